"""The gallery says how to run and to view each scene: each runs for a frame, and is served for a
moment."""

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


# Of the module, so that both tests of a scene follow each other: the second finds the terrain and
# the modes of its bodies still in memory, which take seconds to work out.
@pytest.fixture(scope="module", params=list_gallery())
def name(request):
    return request.param


@pytest.mark.slow
def test_every_scene_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["run", name, "-o", f"out/{name}", "--seconds", "0.02"]) == 0


@pytest.mark.slow
def test_every_scene_is_served(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["view", name, "--no-browser", "--port", "0", "--seconds", "0.1"]) == 0
