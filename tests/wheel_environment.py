"""An environment with the wheel of this checkout and only what the wheel itself asks for.

Made without a network: pip installs the wheel, and the packages it depends on are lent by the
environment the tests run in, each by a link. Those of the extras are not there.
"""

import os
import subprocess
import sys
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

HOME = Path(__file__).resolve().parents[1]
EPOCH = "1700000000"  # s; any fixed moment


def build_wheel(folder: Path, kernels: Path | None = None) -> Path:
    """The wheel as `make wheel` builds it; with the compiled kernels of a folder."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    settings = os.environ | {"SOURCE_DATE_EPOCH": EPOCH}
    if kernels is not None:
        settings["SKITTER_WHEEL_KERNELS"] = str(kernels)
    subprocess.run(command, cwd=HOME, env=settings, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def list_needed(name: str, found: dict[str, Distribution]) -> None:
    """Add all that a package needs, and what that needs, but no extras."""
    for line in distribution(name).requires or []:
        wanted = Requirement(line)
        if wanted.name not in found and (
            not wanted.marker or wanted.marker.evaluate({"extra": ""})
        ):
            found[wanted.name] = distribution(wanted.name)
            list_needed(wanted.name, found)


def lend_packages(site: Path) -> None:
    """Link the files and folders of all packages that the plain wheel needs."""
    needed: dict[str, Distribution] = {}
    list_needed("skitter", needed)
    for package in needed.values():
        tops = {Path(file.parts[0]) for file in package.files or [] if file.parts[0] != ".."}
        for top in tops:
            if top.name != "__pycache__" and not (site / top).exists():
                (site / top).symlink_to(Path(str(package.locate_file(top))))


def make_environment(wheel: Path, folder: Path) -> Path:
    """An environment in the folder; its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin" / "python"
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    told = subprocess.run([python, "-c", ask], check=True, capture_output=True, text=True)
    lend_packages(Path(told.stdout.strip()))
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps"]
    subprocess.run([*command, "--no-index", str(wheel)], check=True, capture_output=True)
    return python
