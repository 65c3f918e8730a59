"""The gallery says how to view each scene: each is served for a moment."""

import pytest

from doc_commands import list_gallery
from skitter.cli import main


@pytest.mark.slow
@pytest.mark.parametrize("name", list_gallery())
def test_every_scene_is_served(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["view", name, "--no-browser", "--port", "0", "--seconds", "0.1"]) == 0
