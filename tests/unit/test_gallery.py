"""The gallery: what is built in is shown, in pictures fit for the repository."""

import re
from pathlib import Path

import pytest

from skitter.scene.catalogue import list_scenes, list_species

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
LARGEST, ALL = 200_000, 6_000_000  # bytes, of one picture and of all
SIZES = {"species": (960, 540), "scenes": (1280, 720)}
SHOWN = [("species", *one) for one in list_species()] + [("scenes", *one) for one in list_scenes()]


@pytest.mark.parametrize("kind, name, title", SHOWN)
def test_page_shows_what_is_built_in(kind, name, title):
    section = find_section(kind, name)
    assert title in section
    assert f"(pictures/{kind}/{name}.jpg)" in section
    if kind == "scenes":
        assert f"skitter run {name} -o out/{name}\nskitter view {name}\n" in section


@pytest.mark.parametrize("kind, name, title", SHOWN)
def test_picture_is_a_small_jpeg_of_the_right_size(kind, name, title):
    image = pytest.importorskip("PIL.Image")
    path = DOCS / "pictures" / kind / f"{name}.jpg"
    assert path.stat().st_size < LARGEST
    with image.open(path) as picture:
        assert (picture.format, picture.size) == ("JPEG", SIZES[kind])


def test_pictures_show_only_what_is_built_in_and_are_small_together():
    paths = sorted((DOCS / "pictures").rglob("*.jpg"))
    shown = [DOCS / "pictures" / kind / f"{name}.jpg" for kind, name, _ in SHOWN]
    others = [DOCS / "pictures" / f"{name}.jpg" for name in ("export", "studio", "worm_modes")]
    assert paths == sorted([*shown, *others])
    assert sum(path.stat().st_size for path in paths) < ALL


@pytest.mark.parametrize("page", [ROOT / "README.md", DOCS / "gallery.md", DOCS / "exports.md"])
def test_pictures_of_a_page_are_there(page):
    links = re.findall(r"!\[[^]]*\]\(([^)]+)\)", page.read_text())
    assert links
    assert [link for link in links if not (page.parent / link).is_file()] == []


def find_section(kind: str, name: str) -> str:
    """What the page says of one species or scene, without its heading."""
    part = (DOCS / "gallery.md").read_text().split(f"\n## {kind.title()}\n")[1].split("\n## ")[0]
    return part.split(f"\n### {name}\n")[1].split("\n### ")[0]
