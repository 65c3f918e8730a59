"""Outside programs that judge exported files; tools/prepare_oracles.sh installs them."""

import json
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
NODE, VALIDATE = ROOT / ".tools/node", ROOT / "tools/validate_gltf.js"


def validate_glb(*paths: Path) -> dict[str, dict[str, Any]]:
    """What Khronos' validator says of each file: errors, warnings, infos and messages, by path."""
    assert NODE.exists(), "no validator; sh tools/prepare_oracles.sh validator installs it"
    done = subprocess.run([NODE, VALIDATE, *paths], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check_glb(*paths: Path) -> None:
    """No error and no warning in any of the files; hints are allowed."""
    for path, report in validate_glb(*paths).items():
        grave = [one for one in report["messages"] if one["severity"] < 2]
        assert not grave, f"{path}: {report['errors']} errors, {report['warnings']} warnings" + (
            "".join(f"\n  {one['code']} at {one.get('pointer')}: {one['message']}" for one in grave)
        )
        assert report["errors"] == report["warnings"] == 0  # also those left out of the messages
