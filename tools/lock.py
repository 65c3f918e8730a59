"""Writes constraints.txt: one version of every package, for all Pythons that pyproject.toml admits.

    python tools/lock.py EXTRA...

Versions are the newest that serve the oldest Python. Where a newer Python cannot use one, its line
and that of the version it gets instead carry a marker. pip is asked for each Python without being
run by it, so one machine can lock for all of them.
"""

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HOME = Path(__file__).resolve().parent.parent
LOCK = HOME / "constraints.txt"
FIRST_LINE = (
    "# The versions Skitter is tested with, for Python {} to {}. Written by `make lock`;"
    " not edited by hand."
)

# `pip --python-version` chooses files by the version named, but still judges markers by the Python
# that runs it. Those read the version from `platform`, so this says the other one there as well.
PIP_FOR_ANOTHER_PYTHON = """
import platform, runpy, sys
version = sys.argv.pop(1)
platform.python_version = lambda: version
platform.python_version_tuple = lambda: tuple(version.split("."))
runpy.run_module("pip", run_name="__main__", alter_sys=True)
"""


def read_project() -> dict[str, Any]:
    """All of pyproject.toml."""
    return tomllib.loads((HOME / "pyproject.toml").read_text())


def admitted_minors(project: dict[str, Any]) -> range:
    """The x of every Python 3.x that `requires-python` admits."""
    asked = project["project"]["requires-python"]
    bounds = re.fullmatch(r">=3\.(\d+),<3\.(\d+)", asked)
    if bounds is None:
        raise SystemExit(f"requires-python is {asked!r}; a lock needs '>=3.x,<3.y'")
    return range(int(bounds[1]), int(bounds[2]))


def gather_requirements(project: dict[str, Any], extras: list[str]) -> list[str]:
    """What Skitter with these extras asks of pip, and what builds and installs it."""
    own = project["project"]

    def follow(requirements: list[str]) -> Iterator[str]:
        for requirement in requirements:
            inner = re.fullmatch(rf"{own['name']}\[(.+)\]", requirement)
            if inner is None:
                yield requirement
            else:
                yield from follow(own["optional-dependencies"][inner[1]])

    listed = ["pip", *project["build-system"]["requires"], *own["dependencies"]]
    for extra in extras:
        listed += own["optional-dependencies"][extra]
    return list(dict.fromkeys(follow(listed)))


def start_pip(
    minor: int, requirements: list[str], *, lock: Path, report: Path
) -> subprocess.Popen[str]:
    """pip on its way to resolve for Python 3.minor.0; installs nothing, writes a report."""
    python = f"3.{minor}.0"
    command = [sys.executable, "-c", PIP_FOR_ANOTHER_PYTHON, python, "install", "--quiet"]
    command += ["--dry-run", "--ignore-installed", "--only-binary=:all:", "--python-version"]
    command += [python, "--target", str(report.parent / "nowhere"), "--report", str(report)]
    command += ["--constraint", str(lock), *requirements]
    return subprocess.Popen(command, text=True, stderr=subprocess.PIPE)


def resolve(minor: int, requirements: list[str], lock: list[str]) -> dict[str, str] | None:
    """The version of every package on Python 3.minor, or None if there is no such set."""
    with tempfile.TemporaryDirectory() as place:
        report, given = Path(place, "report.json"), Path(place, "lock.txt")
        if lock is not None:
            given.write_text("\n".join(lock))
        pip = start_pip(
            minor, requirements, lock=given if lock is not None else None, report=report
        )
        _, said = pip.communicate()
        if pip.returncode:
            print(said, file=sys.stderr)
            return None
        installed = json.loads(report.read_text())["install"]
    return {item["metadata"]["name"]: item["metadata"]["version"] for item in installed}


def write_lines(sets: dict[int, dict[str, str]]) -> list[str]:
    """Constraints for all Pythons; a marker stands only where a package has several versions."""
    lines = []
    for name in sorted({name for found in sets.values() for name in found}, key=str.lower):
        versions = {minor: found[name] for minor, found in sets.items() if name in found}
        if len(set(versions.values())) == 1:
            lines.append(f"{name}=={next(iter(versions.values()))}")
            continue
        lines += [f'{name}=={v}; python_version == "3.{minor}"' for minor, v in versions.items()]
    return lines


def lock_versions(minors: range, requirements: list[str]) -> list[str]:
    """One set for the oldest Python, kept for each newer one wherever it serves."""
    sets: dict[int, dict[str, str]] = {}
    for minor in minors:
        found = resolve(minor, requirements, write_lines(sets)) or resolve(minor, requirements, [])
        if found is None:
            raise SystemExit(f"nothing serves Python 3.{minor}: pip says why above")
        sets[minor] = found
    return write_lines(sets)


def main(extras: list[str]) -> None:
    project = read_project()
    minors = admitted_minors(project)
    lines = lock_versions(minors, gather_requirements(project, extras))
    first = FIRST_LINE.format(f"3.{minors[0]}", f"3.{minors[-1]}")
    LOCK.write_text("\n".join([first, *lines]) + "\n")
    print(f"skitter: {LOCK.name} holds {len(lines)} versions")


if __name__ == "__main__":
    main(sys.argv[1:])
