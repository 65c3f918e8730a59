"""What users write, changed: scenes, species, `--set`, studies, cameras, folders of sweeps."""

import json
import random
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from fuzz_mutations import NASTY, change_bytes, change_tree, write_json

from skitter.errors import UserError
from skitter.look.camera_path import read_camera_path
from skitter.scene.catalogue import SCENE_LIBRARY, SPECIES_LIBRARY
from skitter.scene.load import load_scene
from skitter.scene.read_yaml import read_yaml
from skitter.study.sweep.load import load_sweep
from skitter.study.sweep.store import read_results
from skitter.study.tune.history import read_history
from skitter.study.tune.load import load_plan

Attempt = Callable[[], object]
CAMERA = {
    "keys": [
        {"time": 0, "eye": [10, 5, 10], "look_at": [0, 1, 0]},
        {"time": 1.5, "eye": [20, 5, 10], "follow": "ant"},
    ]
}
PLAN = {
    "grid": {
        "axes": [{"name": "speed", "path": "a.b", "values": [1, 2]}],
        "samples": 0,
        "seeds": [0],
        "base": "x",
    },
    "measures": [],
    "creature": "ant",
    "units": {"speed": "cm/s"},
}
ROW = {"key": "k", "values": [1.0], "seed": 0, "measures": {"ant.speed": 2.0}, "reason": ""}
HEAVY = ("zoo", "forest_floor", "spider_crowd")  # scenes that take long to check
STRANGE = [
    "[[[[", "{a: b", "&a *a", "!!str 1", "---\n---", "a: b: c", "\ud800", "1e400", '"\\x00"',
    "[1,2", "{<<: [1]}", "{<<: {a: 1}}", "? [a]\n: b", "%YAML 1.1", "{threshold: 0.9}",
    "{a: {b: {c: 1}}}",
]  # fmt: skip
PATHS = [
    "", ".", "a..b", "terrain[0]", "terrain[99].x", "creatures.0.with.leg", "creatures.with",
    "x" * 500, "terrain.-1", "terrain.٣.x", "creatures.0.with.kind", "creatures.0.with.a.a.a.a.b",
    "creatures.0.with.gait.programs.head", "creatures.0.with.gait.programs.head.step",
]  # fmt: skip


@dataclass(frozen=True)
class Library:
    """The trees of all built-in files."""

    scenes: dict[str, Any]
    species: dict[str, Any]
    studies: dict[str, Any]

    @property
    def donors(self) -> list[Any]:
        return [*self.scenes.values(), *self.species.values(), *self.studies.values()]


def read_library() -> Library:
    studies = SCENE_LIBRARY.parents[1] / "study" / "library"
    trees = (
        {path.stem: read_yaml(path) for path in sorted(folder.glob("*.yaml"))}
        for folder in (SCENE_LIBRARY, SPECIES_LIBRARY, studies)
    )
    scenes, species, plans = trees
    return Library({k: v for k, v in scenes.items() if k not in HEAVY}, species, plans)


def write_yaml(tree: Any) -> bytes:
    try:
        text = yaml.safe_dump(tree, allow_unicode=True, sort_keys=False)
    except (yaml.YAMLError, ValueError, OverflowError):
        text = json.dumps(tree, default=str)
    return text.encode("utf-8", "replace")


def put(path: Path, tree: Any, rng: random.Random) -> str:
    """Write a tree, now and then with some of its bytes changed."""
    data = write_yaml(tree)
    path.write_bytes(change_bytes(rng, data) if rng.random() < 0.2 else data)
    return str(path)


def make_scene(rng: random.Random, library: Library, folder: Path) -> Attempt:
    tree = change_tree(rng, rng.choice(list(library.scenes.values())), library.donors)
    if rng.random() < 0.25:
        return lambda: load_scene(tree)
    path = put(folder / "scene.yaml", tree, rng)
    return lambda: load_scene(path)


def make_species(rng: random.Random, library: Library, folder: Path) -> Attempt:
    tree = change_tree(rng, rng.choice(list(library.species.values())), library.donors)
    path = put(folder / "species.yaml", tree, rng)
    return lambda: load_scene({"title": "t", "creatures": [{"species": path}]})


def make_set(rng: random.Random, library: Library, folder: Path) -> Attempt:
    """Changes to a built-in scene and to the species in it."""
    name = rng.choice(list(library.scenes))
    scene = library.scenes[name]
    changes = []
    for _ in range(rng.choice([1, 1, 2, 3])):
        placed = rng.randrange(len(scene["creatures"]))
        species = library.species.get(scene["creatures"][placed].get("species"), {})
        paths = rng.choice([
            list(list_paths(scene)),
            [f"creatures.{placed}.with.{path}" for path in list_paths(species)] or PATHS,
            PATHS,
        ])  # fmt: skip
        value = rng.choice(STRANGE) if rng.random() < 0.3 else describe(rng.choice(NASTY))
        changes.append(rng.choice(paths) + rng.choice(["=", "=", "=", "==", "", " = "]) + value)
    return lambda: load_scene(name, overrides=changes)


def describe(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)


def list_paths(tree: Any, way: str = "") -> Iterator[str]:
    """Ways to all parts of a tree, as in `--set`."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, value in items:
        path = f"{way}.{key}" if way else str(key)
        yield path
        if isinstance(value, dict | list):
            yield from list_paths(value, path)


def make_study(rng: random.Random, library: Library, folder: Path) -> Attempt:
    tree = change_tree(rng, rng.choice(list(library.studies.values())), library.donors)
    path = put(folder / "study.yaml", tree, rng)

    def attempt() -> None:
        with warnings.catch_warnings(action="ignore"):  # the scene in it may be doubted
            try:
                load_sweep(path)
            except UserError as error:
                if "is a study of skitter tune" not in str(error):
                    raise
                load_plan(path)

    return attempt


def make_camera(rng: random.Random, library: Library, folder: Path) -> Attempt:
    path = put(folder / "camera.yaml", change_tree(rng, CAMERA, [CAMERA]), rng)
    return lambda: read_camera_path(Path(path), ["ant"])


def make_results(rng: random.Random, library: Library, folder: Path) -> Attempt:
    """The folder of a sweep or a search that something happened to."""
    plan, row = change_tree(rng, PLAN, [PLAN, ROW]), change_tree(rng, ROW, [PLAN, ROW])
    data = write_json(rng.choice([PLAN, plan]))
    (folder / "plan.json").write_bytes(change_bytes(rng, data) if rng.random() < 0.3 else data)
    lines = write_json(row) + b"\n" + write_json(ROW) + b"\n"
    lines = change_bytes(rng, lines) if rng.random() < 0.5 else lines
    for name in ("points.jsonl", "history.jsonl"):
        (folder / name).write_bytes(lines)
    if rng.random() < 0.3:
        return lambda: read_history(folder / "history.jsonl")
    return lambda: read_results(folder)
