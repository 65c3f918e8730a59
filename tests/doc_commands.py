"""Runs what the documents tell people to type, in the order of a page, in a folder of its own.

Simulations are made short, pictures small and servers brief (SHORTER); what a page takes for
granted, such as a mesh of the reader's, is put there before (STAND_INS). What is not run, and why,
stands in NOT_RUN.
"""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import trimesh
import yaml
from PIL import Image

import skitter
from doc_pages import HOME, Block, Command, list_blocks, list_commands
from skitter.cli import main
from skitter.scene.catalogue import list_scenes
from skitter.scene.load import load_scene

SECONDS = 0.1  # of a simulation
LONGER = {"docs/exports.md": 2.0, "docs/species.md": 1.0, "docs/recordings.md": 0.5}
STAND_INS = {  # recordings that a page speaks of and does not make, and the scenes they are of
    "out": "falling_chain",
    "out/centipede": "centipede",
    "out/mine": "falling_chain",
    "out/worm": "worm_muscles",
}
NOT_RUN = {  # by how a command begins
    "python examples/": "tests/unit/test_examples.py runs all of them",
    "povray": "a program of others; tests/unit/test_povray.py runs it on exports of ours",
    "skitter sweep swim": "minutes; tests/unit/test_sweep.py sweeps a small grid",
    "dask": "a program of others, and a cluster",
    "sbatch": "a program of others, and a cluster",
    "apt-get": "a bare Debian needs it; make fresh installs the same",
    "pip": "what people install, the Makefile installs and tests",
}
NOT_RUN_WITH = {"--scheduler": "needs a cluster; tests of sweeps start one of their own"}
SMALL = ["--size", "320x180"]
SHORTER = {  # options that a command gets, unless it has them
    "run": ["--seconds"],
    "view": ["--no-browser", "--port", "0", "--seconds", "0.2"],
    "render": SMALL,
    "tune": ["--generations", "1", "--jobs", "1"],
    "claims": ["--list"],
}
MOMENTS = {"--time": 0.5, "--start": 0.25, "--end": 0.75, "--seconds": 0.5}  # shares of a recording
STUDY = {"seconds": 2.0, "settle": 0.5, "population": 4, "generations": 1}


def run_page(page: str, folder: Path) -> int:
    """Do all that a page says; how many things that was."""
    os.chdir(folder)
    put_files()
    blocks = list_blocks(page)
    yamls = [check_yaml(block) for block in blocks if block.language == "yaml"]
    commands = [run_command(page, command) for command in list_commands(page)]
    scripts = [run_python(page, block) for block in blocks if block.language == "python"]
    return len(yamls) + len(commands) + len(scripts)


def put_files() -> None:
    """A mesh, a map and a scene of the reader's."""
    for name in ("my.obj", "rock.obj"):
        trimesh.creation.icosphere(subdivisions=3, radius=20).export(name)
    ramp = np.add.outer(np.arange(32), np.arange(32)) * 4
    Image.fromarray(ramp.astype(np.uint8)).save("dunes.png")
    scene = {"title": "Mine", "terrain": [{"shape": "plane"}], "creatures": [{"species": "robot"}]}
    Path("my.yaml").write_text(yaml.safe_dump(scene))


def run_command(page: str, command: Command) -> None:
    words = command.words
    if words[0] == "make":
        return check_target(words)
    begins = " ".join([command.program, *words[1:]])
    if any(begins.startswith(known) for known in NOT_RUN) or {*NOT_RUN_WITH} & {*words}:
        return None
    if "--povray" in words and shutil.which("povray") is None:
        return None  # as in tests/unit/test_povray.py; `make test` installs it
    assert command.program == "skitter", f"{page}:{command.line}: {command}"
    arguments = shorten(page, words[1:])
    if arguments[0] in ("view", "render", "export", "measure", "cite"):
        put_recording(page, arguments[1])
    code = main(arguments)
    assert code == (2 if command.fails else 0), f"{page}:{command.line}: {command}"
    return None


def check_target(words: list[str]) -> None:
    """Make knows the target and how to make it; nothing is made."""
    subprocess.run(["make", "-n", *words[1:]], cwd=HOME, check=True, capture_output=True)


def shorten(page: str, arguments: list[str]) -> list[str]:
    """The command with little to do."""
    name, seconds = arguments[0], LONGER.get(page, SECONDS)
    found = list(arguments)
    if name in ("render", "export"):
        for option, share in MOMENTS.items():
            if option in found:
                found[found.index(option) + 1] = f"{share * seconds:g}"
    if name == "view" and "--html" in found:
        return found
    if "--povray" in found:
        return shrink_tracing(found)
    more = SHORTER.get(name, [])
    more = ["--seconds", str(seconds)] if name == "run" else more
    if name == "render" and {"--gait", "--panel"} & {*found}:
        more = ["--size", "960x540"]
    return found if {*more} & {*found} else found + more


def shrink_tracing(words: list[str]) -> list[str]:
    """Few rays and few frames."""
    kept = list(words)
    for option in ("--size", "--supersample", "--fps"):
        if option in kept:
            del kept[kept.index(option) : kept.index(option) + 2]
    film = ["--fps", "5", "--end", "0.4"] if kept[3].endswith(".mp4") else []
    return [*kept, "--size", "160x90", *film]


def put_recording(page: str, source: str) -> None:
    """What a page takes for granted."""
    if source in STAND_INS and not Path(source, "zarr.json").exists():
        skitter.run(STAND_INS[source], seconds=LONGER.get(page, SECONDS), output=source)


def run_python(page: str, block: Block) -> None:
    """A block as a script of its own."""
    text = block.text.replace("seconds=10", "seconds=2").replace("seconds=5", "seconds=1")
    text = text.replace("generations=20", "generations=1").replace("jobs=2", "jobs=1")
    for source in STAND_INS:
        if f'"{source}"' in text and "eel" not in text:
            put_recording(page, source)
    exec(compile(text, f"{page}:{block.line}", "exec"), {"__name__": "__main__"})


def check_yaml(block: Block) -> None:
    """Load what it is, and let a scene begin; keep it under the name that the page gives it."""
    tree = yaml.safe_load(block.text)
    kind = tell_kind(tree)
    if kind == "study":
        tree = shorten_study(tree)
        block = block._replace(text=yaml.safe_dump(tree, sort_keys=False))
        check_study(tree)
    default = {"scene": "my.yaml", "camera": "path.yaml", "species": "own_species.yaml"}
    path = Path(block.file or default.get(kind, f"{kind}.yaml"))
    path.write_text(block.text)
    if kind in ("scene", "species", "part"):
        check_begins(make_scene(kind, tree, path))


def shorten_study(tree: dict[str, Any]) -> dict[str, Any]:
    """Few trials of a search, the ends of the grid of a sweep."""
    few = {"seeds": 1, "samples": 2} if "objective" not in tree else {}
    kept = {key: value for key, value in (STUDY | few).items() if key in tree}
    axes = [dict(one) for one in tree["parameters"]]
    for one in axes:
        one |= {"count": 2} if "count" in one else {}
        one |= {"values": one["values"][:2]} if "values" in one else {}
    return tree | kept | {"parameters": axes}


def check_study(tree: dict[str, Any]) -> None:
    """A search has an objective, a sweep has none; loading checks either with its scene."""
    if "objective" in tree:
        from skitter.study.tune import load_plan

        load_plan(tree)
    else:
        from skitter.study.sweep import load_sweep

        load_sweep(tree)


def tell_kind(tree: dict[str, Any]) -> str:
    if "kind" in tree:
        return "species"
    if "parameters" in tree:
        return "study"
    if "keys" in tree:
        return "camera"  # which the command beside it reads
    return "scene" if {"title", "creatures"} <= {*tree} else "part"


def make_scene(kind: str, tree: dict[str, Any], path: Path) -> Any:
    """A scene as it is, or one around a species or a part of a scene."""
    if kind == "scene":
        return path
    if kind == "species":
        start = "free" if tree["kind"] in ("figure", "swimmer") else "stand"
        placed = {"species": str(path), "at": [0, 20, 0], "start": start}
        water = {"water": {"waves": False, "level": 20}} if tree["kind"] == "swimmer" else {}
        return {"title": "One", "terrain": [{"shape": "plane"}], "creatures": [placed], **water}
    swims = "water" in tree and tree["water"].get("follow") == "eel"
    creature = {"species": "eel" if swims else "jelly_cube", "at": [0, 30, 0]}
    return {"title": "A part", "creatures": [creature], **tree}


def check_begins(scene: Any) -> None:
    """Two frames of it."""
    world = skitter.World(load_scene(scene))
    try:
        world.advance(2 / world.scene.spec.frame_rate)
    finally:
        world.close()


def list_gallery() -> list[str]:
    return [name for name, _ in list_scenes()]
