"""The documentation: generated pages are current, tables of the models name what is there, and
the site builds without a warning and asks nothing of the network."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from doc_pages import list_inline, list_pages
from skitter.cli import app

HOME = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(HOME / "tools"))

import typer  # noqa: E402

import reference  # noqa: E402
from site_pages import build_order, move_links  # noqa: E402

MODELS = sorted((HOME / "docs" / "models").glob("*[0-9].md"))
ROW = re.compile(r"^\| (.+?) \| `(\w+)` \| `([\w/]+\.py)` \| (.+?) \| (.+?) \|$", re.MULTILINE)
ELSEWHERE = re.compile(r"""<(?:script|img|link|iframe)[^>]*(?:src|href)=["']?(?:https?:)?//""")


def test_the_reference_is_that_of_the_sources():
    for name, text in reference.build_pages().items():
        assert (reference.FOLDER / name).read_text() == text, f"{name}: run tools/reference.py"


def test_the_reference_knows_bounds_defaults_and_units():
    """By the specs as they are written: a leg of a myriapod."""
    page = (reference.FOLDER / "species-keys.md").read_text()
    assert "| `back_deg` | `-30` | -80 to below 0 | degrees |" in page
    assert "| `young` | `4000` | 0.001 to 1e+12 | dyn/cm² |" in page
    assert "| `size` | needed | 3 × 0.001 to 1000 | cm |" in page
    assert "`left`, `right`, `random`" in page
    commands = (reference.FOLDER / "command-line.md").read_text()
    assert "| `--port` N | 0: any free one. 0 to 65535. | `8080` |" in commands


@pytest.mark.parametrize("page", MODELS, ids=lambda page: page.stem)
def test_names_of_the_models_are_in_their_files(page):
    rows = ROW.findall(page.read_text())
    assert len(rows) == page.read_text().count(".py` |") and len(rows) >= 8
    for symbol, name, file, unit, where in rows:
        text = (HOME / "src" / "skitter" / file).read_text()
        assert re.search(rf"\b{name}\b", text), (symbol, name, file)
        assert unit and where, symbol


def test_there_is_a_page_for_each_of_the_five_papers():
    papers = {"fang2013", "fang2015", "mujika2018", "cenydd2012", "mckenna1990"}
    assert {page.stem for page in MODELS} == papers


@pytest.mark.parametrize("page", list_pages())
def test_commands_within_a_sentence_have_options_that_exist(page):
    group = typer.main.get_group(app)
    for text in list_inline(page):
        name = text.partition("skitter ")[2].split()[0].rstrip(".,;:")
        assert name in group.commands, text
        known = {one for option in group.commands[name].params for one in option.opts}
        known |= {one for option in group.commands[name].params for one in option.secondary_opts}
        used = re.findall(r"(?<=\s)(--?[a-z][\w-]*)", text)
        assert {*used} <= known | {"--help"}, text


def test_links_of_the_checkout_become_links_of_the_site():
    assert move_links("[a](docs/scenes.md#x)", "index.md") == "[a](scenes.md#x)"
    assert move_links("[a](docs/decisions)", "index.md") == "[a](decisions/index.md)"
    assert move_links("[a](../CHANGELOG.md)", "scenes.md") == "[a](CHANGELOG.md)"
    assert move_links("[a](../examples/01_x.py)", "tutorial.md") == "[a](examples/01_x.md)"
    assert move_links("[a](../scenes.md)", "models/fang2015.md") == "[a](../scenes.md)"
    assert move_links("[a](https://x.org/y)", "index.md") == "[a](https://x.org/y)"
    assert move_links("```\n[a](docs/b.md)\n```", "index.md") == "```\n[a](docs/b.md)\n```"


def test_a_page_that_is_named_nowhere_has_a_place():
    order = build_order(["index.md", "gallery.md", "sweeps.md", "new.md", "models/x.md"])
    assert order == [
        "index.md",
        {"How to": ["sweeps.md", "new.md"]},
        {"Models": ["models/x.md"]},
        {"Gallery": ["gallery.md"]},
    ]


@pytest.mark.slow
def test_the_site_builds_without_a_warning_and_needs_no_network(tmp_path):
    built = tmp_path / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", built]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=HOME, capture_output=True, text=True, env=quiet)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    pages = [*built.rglob("*.html")]
    assert len(pages) > 40
    for page in pages:
        assert not ELSEWHERE.search(page.read_text()), page
    assert (built / "pictures" / "scenes" / "centipede.jpg").exists()
