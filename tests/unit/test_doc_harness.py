"""The harness that runs the documents notices what is wrong in one."""

import subprocess

import pytest

from doc_commands import run_page, shorten, shorten_study
from doc_pages import list_blocks, list_commands
from skitter.errors import UserError

GOOD = """Save this as `mine.yaml`:

```yaml
title: A cube
terrain: [{shape: plane}]
creatures: [{species: jelly_cube, at: [0, 2, 0]}]
```

```sh
skitter run mine.yaml -o out/a \\
    --set seconds=3      # a remark
skitter run nothing -o out/b   # fails: there is no such scene
make help
```

```
some output
```

```python
from pathlib import Path
assert Path("out/a/zarr.json").exists()
```
"""


def write(folder, text):
    page = folder / "page.md"
    page.write_text(text)
    return str(page)


def test_what_a_page_says(tmp_path):
    page = write(tmp_path, GOOD)
    assert [block.language for block in list_blocks(page)] == ["yaml", "sh", "", "python"]
    assert list_blocks(page)[0].file == "mine.yaml"
    commands = list_commands(page)
    assert [str(one) for one in commands] == [
        "skitter run mine.yaml -o out/a --set seconds=3",
        "skitter run nothing -o out/b",
        "make help",
    ]
    assert [one.fails for one in commands] == [False, True, False]


def test_a_good_page_passes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_page(write(tmp_path, GOOD), tmp_path) == 5


@pytest.mark.parametrize(
    ("before", "after", "error"),
    [
        ("jelly_cube", "jelly_cub", UserError),  # a species that there is not
        ("shape: plane", "shape: plain", UserError),
        ("skitter run mine", "skitter walk mine", AssertionError),  # a command that there is not
        ("--set seconds=3", "--sets seconds=3", AssertionError),  # an option that there is not
        ("run nothing", "run falling_chain", AssertionError),  # said to fail, and does not
        ("make help", "make nonsense", subprocess.CalledProcessError),
        ("make help", "mak help", ValueError),  # a program that nobody knows
        ('"out/a/zarr.json"', '"out/z"', AssertionError),  # a script that fails
    ],
)
def test_a_wrong_page_does_not(before, after, error, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert before in GOOD
    with pytest.raises(error):
        run_page(write(tmp_path, GOOD.replace(before, after)), tmp_path)


def test_commands_are_made_short_and_stay_what_they_are():
    assert shorten("x.md", ["run", "a", "-o", "b"]) == ["run", "a", "-o", "b", "--seconds", "0.1"]
    shot = shorten("x.md", ["render", "a", "-o", "b.png", "--time", "7"])
    assert shot == ["render", "a", "-o", "b.png", "--time", "0.05", "--size", "320x180"]
    assert shorten("x.md", ["claims", "--json"]) == ["claims", "--json", "--list"]


def test_studies_are_made_short():
    axes = [{"path": "a", "values": [1, 2, 3]}, {"path": "b", "range": [0, 1], "count": 9}]
    study = shorten_study({"seeds": 5, "parameters": axes, "seconds": 60})
    assert study["seeds"] == 1 and study["seconds"] <= 2
    assert [one.get("values", one.get("count")) for one in study["parameters"]] == [[1, 2], 2]
    assert axes[0]["values"] == [1, 2, 3], "what is given stays"
