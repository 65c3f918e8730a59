"""The lock serves every Python that pyproject.toml admits, and pip says so."""

import hashlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

HOME = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(HOME / "tools"))

import lock  # noqa: E402


def plain_name(requirement: str) -> str:
    """The name alone, as package indexes compare names."""
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0].lower().replace("_", "-")


def can_reach_an_index() -> bool:
    pinned = next(line for line in lock.LOCK.read_text().splitlines() if line.startswith("pip=="))
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", pinned]
    return not subprocess.run(command, capture_output=True).returncode


@pytest.mark.slow
def test_pip_finds_the_lock_for_the_oldest_and_the_newest_python(tmp_path, request):
    """Both ends at once, as most of it is waiting; once for each lock, as an index keeps files."""
    sources = [lock.LOCK, HOME / "pyproject.toml", Path(lock.__file__)]
    key = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    if request.config.cache.get("skitter/lock", None) == key:
        return
    project = lock.read_project()
    extras = list(project["project"]["optional-dependencies"])
    wanted = lock.gather_requirements(project, extras)
    minors = lock.admitted_minors(project)
    asked = {}
    for minor in (minors[0], minors[-1]):
        report = tmp_path / f"{minor}.json"
        asked[minor] = lock.start_pip(minor, wanted, lock=lock.LOCK, report=report)
    said = {minor: pip.communicate(timeout=600)[1] for minor, pip in asked.items()}
    failed = {f"3.{minor}": said[minor] for minor, pip in asked.items() if pip.returncode}
    if failed and not can_reach_an_index():
        pytest.skip("pip reaches no package index")
    assert not failed
    request.config.cache.set("skitter/lock", key)


def test_extras_that_name_extras_are_followed():
    project = lock.read_project()
    wanted = lock.gather_requirements(project, ["dev"])
    assert any(name.startswith("zarr>") for name in wanted), "dev asks for study, study for tables"
    assert not any(name.startswith("skitter") for name in wanted)


def test_every_package_asked_for_is_in_the_lock():
    project = lock.read_project()
    locked = {plain_name(line) for line in lock.LOCK.read_text().splitlines()}
    wanted = lock.gather_requirements(project, list(project["project"]["optional-dependencies"]))
    assert {plain_name(requirement) for requirement in wanted} <= locked


def test_markers_stand_only_where_pythons_differ():
    sets = {11: {"one": "1", "two": "1", "old": "3"}, 14: {"one": "1", "two": "2"}}
    assert lock.write_lines(sets) == [
        "old==3",
        "one==1",
        'two==1; python_version == "3.11"',
        'two==2; python_version == "3.14"',
    ]


@pytest.mark.parametrize("asked", [">=3.11", ">=3.11,<4", "==3.12.*"])
def test_a_python_without_a_newest_minor_cannot_be_locked(asked):
    with pytest.raises(SystemExit, match="a lock needs"):
        lock.admitted_minors({"project": {"requires-python": asked}})
