"""`make fresh`: its bare Debian has what README asks for and no more, and it tries every folder."""

import re
from pathlib import Path

HOME = Path(__file__).resolve().parents[2]
SCRIPT = (HOME / "tools" / "fresh.sh").read_text()


def test_a_bare_debian_has_what_readme_names():
    """`apt-get install` of README, word for word, and no more."""
    packages = re.search(r"^needed=(\S+)", SCRIPT, re.MULTILINE)[1].split(",")
    told = re.search(r"apt-get install ([a-z0-9 -]+)", (HOME / "README.md").read_text())[1].split()
    assert sorted(told) == sorted(packages)


def test_every_folder_of_tests_is_tried():
    """But for those with Blender, which have a target of their own."""
    tried = set(re.findall(r"tests/(\w+)/test_", SCRIPT))
    folders = {path.parent.name for path in (HOME / "tests").glob("*/test_*.py")}
    assert tried == folders - {"blender"}


def test_what_is_tried_is_there():
    for path, name in re.findall(r"echo (tests/\w+/\w+\.py)(?:::(\w+))?", SCRIPT):
        assert f"def {name}" in (HOME / path).read_text()


def test_no_host_is_written_down():
    """Mirrors are those of the machine."""
    assert not re.search(r"https?://|deb\.debian", SCRIPT)
