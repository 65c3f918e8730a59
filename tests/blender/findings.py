"""What Blender finds in a file, asked of it in a process of its own."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
PYTHON, SCRIPT = ROOT / ".venv-blender/bin/python", Path(__file__).with_name("inspect_file.py")


@dataclass(frozen=True)
class Findings:
    """Bones and meshes over the frames asked for, m and y up."""

    about: dict[str, Any]
    arrays: dict[str, np.ndarray]

    def bones(self, armature: str) -> dict[str, np.ndarray]:
        """Heads by name, [frame, 3] each."""
        names, heads = self.arrays[f"bone_names/{armature}"], self.arrays[f"bones/{armature}"]
        return {str(name): heads[:, k] for k, name in enumerate(names)}

    def points(self, mesh: str) -> np.ndarray:
        """Vertices [frame, vertex, 3]."""
        return self.arrays[f"points/{mesh}"]

    def triangles(self, mesh: str) -> np.ndarray:
        """Of a mesh, as vertices [triangle, 3]."""
        return self.arrays[f"triangles/{mesh}"]

    def find_armature(self, creature: str) -> str:
        """The armature of that name or, as USD may have it, the one within an object of it."""
        found = [
            name
            for name in self.about["armatures"]
            if creature in (name, *self.about["ancestors"][name])
        ]
        assert len(found) == 1, f"armatures of {creature}: {found} of {self.about['ancestors']}"
        return found[0]

    def find_meshes(self, creature: str) -> list[str]:
        """All that its armature moves or that lies within an object of its name."""
        armature = self.find_armature(creature)
        return [
            name
            for name, mesh in self.about["meshes"].items()
            if mesh["armature"] == armature or creature in self.about["ancestors"][name]
        ]


def inspect(path: Path, *, fps: int, frames: list[int]) -> Findings:
    """Load a file into Blender; frames are those of the clip, the first is 0."""
    if not PYTHON.exists():
        pytest.skip("there is no Blender; make test-blender prepares it")
    output = path.with_suffix(f"{path.suffix}.npz")
    listed = ",".join(str(frame) for frame in frames)
    options = ["--fps", str(fps), "--frames", listed, "--output", output]
    done = subprocess.run([PYTHON, SCRIPT, path, *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    with np.load(output) as found:
        arrays = {name: found[name] for name in found.files}
    return Findings(json.loads(str(arrays.pop("about"))), arrays)
