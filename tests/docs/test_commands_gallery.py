"""The gallery says how to run each scene: each runs for a frame. (Served: its neighbour.)"""

import pytest

from doc_commands import list_gallery
from doc_pages import list_commands
from skitter.cli import main

PAGES = ("docs/gallery.md",)


def test_it_has_both_commands_for_every_scene():
    told = [" ".join(command.words) for command in list_commands("docs/gallery.md")]
    wanted = [
        line
        for name in list_gallery()
        for line in (f"skitter run {name} -o out/{name}", f"skitter view {name}")
    ]
    assert told == wanted


@pytest.mark.slow
@pytest.mark.parametrize("name", list_gallery())
def test_every_scene_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["run", name, "-o", f"out/{name}", "--seconds", "0.02"]) == 0
