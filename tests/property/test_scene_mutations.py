"""Whatever is done to a scene file, it either runs or is refused with one clear line.

Five hundred damaged copies of a good file go through the command line: keys dropped, renamed and
doubled, types swapped, extreme numbers, bytes inserted, cut and flipped. And scenes of which every
number is valid but some are extreme: thrown at 100 m/s, spun, squeezed, born inside a hill.
"""

import contextlib
import copy
import io
import shutil
import tempfile
from datetime import timedelta
from pathlib import Path
from unittest import mock

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from skitter.cli import main
from skitter.errors import UserError
from skitter.record import Recording
from skitter.scene.load import load_scene

SCENE = {
    "title": "A test",
    "seconds": 1,
    "frame_rate": 60,
    "time_step": "1/1200",
    "gravity": 9.8,
    "precision": "float32",
    "terrain": [
        {"shape": "plane", "friction": 0.5, "colour": "#aabbcc"},
        {"shape": "box", "at": [3, 0, 0], "size": [1, 2, 1], "turn_deg": [0, 20, 0]},
        {"shape": "sphere", "at": [-3, 0, 0], "radius": 1.5},
        {"shape": "cylinder", "at": [0, 0, 4], "radius": 1, "length": 3},
    ],
    "creatures": [
        {
            "species": "chain",
            "at": [0, 3, 0],
            "velocity": [1, 0, 0],
            "velocity_noise": 0.1,
            "with": {"material": {"young": 3000}, "parts": {"segment": {"repeat": 2}}},
        },
        {
            "species": "jelly_cube",
            "name": "cube",
            "at": [0, 1, 0],
            "turn_deg": [10, 0, 30],
            "with": {
                "parts": [{"name": "j", "shape": "jelly", "size": [1, 1, 1], "cells": [1] * 3}]
            },
        },
    ],
    "camera": {"azimuth_deg": 20, "follow": True},
}
LEGGED = {
    "title": "A test",
    "frame_rate": 100,
    "time_step": "1/3000",
    "terrain": [
        {"shape": "plane"},
        {"shape": "logs", "at": [0, 0, 40], "count": 2, "seed": 1},
        {"shape": "heightfield", "hills": [{"at": [60, 0], "height": 1, "width": 4}]},
        {"shape": "mesh", "file": "torus", "at": [0, 0, -40], "size": 8},
    ],
    "creatures": [
        {
            "species": "pauropod",
            "start": "stand",
            "held": ["tail"],
            "commands": [{"time": 0, "speed": 2, "turn_deg": 10}],
            "with": {
                "segments": 3,
                "joint": {"length": 0.4, "cells": [1, 1, 1]},
                "leg": {"links": [0.5, 0.45, 0.55], "swing": 0.115, "sides": "apart"},
                "walk": {"height": 0.85, "speed": 5},
                "antenna": {"length": 1.9, "theta_deg": [15, 60]},
            },
        },
    ],
    "obstacles": [
        {"shape": "box", "at": [20, 0, 0], "size": [1, 1, 1]},
        {"shape": "scatter", "count": 2, "area": [20, 20], "gap": 1},
    ],
    "food": [{"count": 2, "area": [20, 20], "strength": 2}],
}

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
numbers = st.one_of(
    st.sampled_from([0, -1, 1, 2.5, 1e-9, 1e-3, 1e5, 1e6, 1e9, 1e38, 1e308, 2**31, 2**63, 10**40]),
    st.integers(),
    st.floats(),
)
words = st.sampled_from(
    ["", "~", "1/3", "1/0", "chain", "jelly", "plane", "box", "/dev/zero", "/proc/self/mem", "/",
     "..", "\0", "*a", "&a", "<<", "!!python/name:os.system", "float64", "+x", "#000000", "1e-3"]
)  # fmt: skip
scalars = st.one_of(st.none(), st.booleans(), numbers, words, text)
junk = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(text, inner, max_size=3)),
    max_leaves=12,
)
actions = st.sampled_from(
    ["put", "scale", "drop", "rename", "add", "double", "wrap", "swap", "repeat"]
)
changes = st.tuples(actions, st.integers(0, 10_000), junk, text)
edits = st.tuples(
    st.sampled_from(["insert", "cut", "flip", "repeat line", "indent", "end"]),
    st.integers(0, 10_000),
    st.binary(max_size=8),
)


def list_places(tree) -> list[tuple]:
    """Every (container, key) of a tree."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    places = []
    for key, value in items:
        places.append((tree, key))
        if isinstance(value, dict | list):
            places += list_places(value)
    return places


def apply_change(tree, change) -> None:
    """One mistake somewhere in the tree."""
    action, number, value, word = change
    places = list_places(tree)
    if not places:
        return
    container, key = places[number % len(places)]
    old = container[key]
    if action == "put":
        container[key] = value
    elif action == "scale" and isinstance(old, int | float):
        container[key] = old * 10.0 ** (number % 13 - 6)
    elif action == "drop":
        del container[key]
    elif action == "rename" and isinstance(container, dict):
        container[word or f"{key}s"] = container.pop(key)
    elif action == "add" and isinstance(old, dict):
        old[word] = value
    elif action == "double" and isinstance(old, list):
        old += copy.deepcopy(old)
    elif action == "wrap":
        container[key] = [old]
    elif action == "swap":
        other, other_key = places[number // 7 % len(places)]
        container[key] = copy.deepcopy(other[other_key])
    elif action == "repeat" and isinstance(old, list):
        container[key] = old * (number % 400)


def apply_edit(data: bytes, edit) -> bytes:
    """One mistake somewhere in the bytes."""
    action, number, extra = edit
    place = number % (len(data) + 1)
    if action == "insert":
        return data[:place] + extra + data[place:]
    if action == "cut":
        return data[:place] + data[place + number % 40 :]
    if action == "flip" and data:
        place %= len(data)
        return data[:place] + bytes([data[place] ^ 1 << number % 8]) + data[place + 1 :]
    if action == "end":
        return data[:place]
    lines = data.splitlines(keepends=True) or [b""]
    line = number % len(lines)
    new = lines[line] * 2 if action == "repeat line" else b" " + lines[line]
    return b"".join([*lines[:line], new, *lines[line + 1 :]])


def run_cli(file: Path, output: Path, overrides: list[str]) -> tuple[int, str]:
    """Exit code and standard error of a run of one frame, without word of its progress."""
    options = [word for item in overrides for word in ("--set", item)]
    errors, printed = io.StringIO(), io.StringIO()
    with (
        contextlib.redirect_stderr(errors),
        contextlib.redirect_stdout(printed),
        mock.patch("skitter.progress.DELAY", 1e6),
    ):
        code = main(["run", str(file), "-o", str(output), "--seconds", "1e-6", *options])
    return code, errors.getvalue()


def check_run(data: bytes, overrides: list[str] | None = None) -> None:
    """The file runs, with warnings at most, or is refused with one line and leaves nothing."""
    folder = Path(tempfile.mkdtemp(prefix="skitter-test-"))
    try:
        (folder / "scene.yaml").write_bytes(data)
        with contextlib.chdir(folder):
            code, errors = run_cli(Path("scene.yaml"), Path("out"), overrides or [])
        left = sorted(path.name for path in folder.iterdir())
        if code == 0:
            lines = errors.splitlines()
            assert all(line.startswith("skitter: warning: ") for line in lines), errors
            assert left == ["out", "scene.yaml"]
            assert Recording.open(folder / "out").frame_count == 2
        else:
            assert code == 2, errors
            assert errors.startswith("skitter: ") and errors.count("\n") == 1, errors
            assert left == ["scene.yaml"]
    finally:
        shutil.rmtree(folder)


@pytest.mark.parametrize("scene", [SCENE, LEGGED])
def test_the_undamaged_scene_runs(scene):
    check_run(yaml.safe_dump(scene).encode())


@settings(max_examples=300, deadline=timedelta(seconds=30), suppress_health_check=list(HealthCheck))
@given(st.lists(changes, min_size=1, max_size=3))
def test_damaged_trees(mistakes):
    check_damaged(SCENE, mistakes)


@settings(max_examples=60, deadline=timedelta(seconds=30), suppress_health_check=list(HealthCheck))
@given(st.lists(changes, min_size=1, max_size=3))
def test_damaged_trees_of_legged_scenes(mistakes):
    check_damaged(LEGGED, mistakes)


def check_damaged(scene, mistakes) -> None:
    tree = copy.deepcopy(scene)
    for change in mistakes:
        apply_change(tree, change)
    check_run(yaml.safe_dump(tree, allow_unicode=True).encode())


@settings(max_examples=200, deadline=timedelta(seconds=30), suppress_health_check=list(HealthCheck))
@given(st.lists(edits, min_size=1, max_size=3))
def test_damaged_bytes(mistakes):
    data = yaml.safe_dump(SCENE).encode()
    for edit in mistakes:
        data = apply_edit(data, edit)
    check_run(data)


def powers(low: float, high: float):
    """Positive numbers, as many small as large."""
    return st.floats(low, high).map(lambda exponent: float(f"{10**exponent:.3g}"))


def vectors(low: float, high: float):
    signed = st.builds(
        lambda sign, size: sign * size, st.sampled_from([-1, 0, 1]), powers(low, high)
    )
    return st.lists(signed, min_size=3, max_size=3)


EXTREMES = {
    "gravity": st.floats(-1e5, 1e5),
    "time_step": powers(-4, -1.8),
    "frame_rate": powers(0.7, 3),
    "precision": st.sampled_from(["float32", "float64"]),
    "terrain.0.normal": vectors(-1, 1),
    "terrain.1.size": st.lists(powers(-4, 5), min_size=3, max_size=3),
    "terrain.2.radius": powers(-4, 5),
    "terrain.3.at": vectors(-1, 6),
    "creatures.0.at": vectors(-1, 6),
    "creatures.0.turn_deg": vectors(0, 4),
    "creatures.0.velocity": vectors(0, 4),
    "creatures.0.spin_deg": vectors(0, 4),
    "creatures.0.velocity_noise": powers(-1, 4),
    "creatures.0.with.material.young": powers(-3, 7),
    "creatures.0.with.material.poisson": st.floats(0, 0.49),
    "creatures.0.with.material.density": powers(-3, 3),
    "creatures.0.with.material.damping": powers(-3, 5),
    "creatures.0.with.parts.segment.size": st.lists(powers(-3, 3), min_size=3, max_size=3),
    "creatures.0.with.parts.segment.density": powers(-3, 3),
    "creatures.0.with.parts.segment.fixed": st.booleans(),
    "creatures.0.with.parts.segment.joint.length": powers(-3, 3),
    "creatures.1.velocity": vectors(0, 4),
    "creatures.1.velocity_noise": powers(-1, 4),
    "creatures.1.with.parts.0.size": st.lists(powers(-3, 3), min_size=3, max_size=3),
    "creatures.1.with.restitution": st.floats(0, 1),
}
LEGGED_EXTREMES = {
    "gravity": st.floats(-1e5, 1e5),
    "precision": st.sampled_from(["float32", "float64"]),
    "creatures.0.at": vectors(-1, 6),
    "creatures.0.turn_deg": vectors(0, 4),
    "creatures.0.velocity": vectors(0, 4),
    "creatures.0.start": st.sampled_from(["stand", "free"]),
    "creatures.0.held": st.sampled_from(["[]", "[head]", "[segment_2, tail]"]),
    "creatures.0.commands.0.speed": powers(-3, 4),
    "creatures.0.commands.0.turn_deg": powers(-3, 4),
    "creatures.0.with.segments": st.integers(3, 40),
    "creatures.0.with.taper": st.lists(powers(-1, 1), min_size=2, max_size=2),
    "creatures.0.with.flex_deg": st.floats(1, 60),
    "creatures.0.with.leg.links": st.lists(powers(-3, 2), min_size=3, max_size=3),
    "creatures.0.with.leg.scale": st.lists(powers(-1, 1), min_size=2, max_size=2),
    "creatures.0.with.leg.foot": st.floats(0, 1),
    "creatures.0.with.leg.back_deg": st.floats(-80, -0.1),
    "creatures.0.with.leg.front_deg": st.floats(0.1, 80),
    "creatures.0.with.leg.swing": powers(-3, 2),
    "creatures.0.with.leg.adjust_deg": st.floats(-80, 80),
    "creatures.0.with.antenna.length": powers(-3, 3),
    "creatures.0.with.antenna.theta_deg": vectors(-1, 2).map(lambda v: v[:2]),
    "creatures.0.with.walk.height": powers(-3, 2),
    "creatures.0.with.walk.speed": powers(-3, 3),
    "food.0.strength": powers(-6, 6),
    "food.0.area": st.lists(powers(-3, 5), min_size=2, max_size=2),
    "obstacles.0.at": vectors(-1, 6),
    "obstacles.0.size": st.lists(powers(-4, 5), min_size=3, max_size=3),
    "obstacles.1.gap": powers(-4, 3),
    "terrain.2.hills.0.height": st.floats(-1e4, 1e4),
    "terrain.2.hills.0.width": powers(-4, 5),
    "terrain.3.size": powers(-4, 5),
}


def draw_overrides(extremes: dict):
    """One to three of the extremes, as options of the command line."""
    one = st.sampled_from(sorted(extremes)).flatmap(
        lambda path: extremes[path].map(lambda value: f"{path}={value}")
    )
    return st.lists(one, min_size=1, max_size=3)


@settings(max_examples=200, deadline=timedelta(seconds=30), suppress_health_check=list(HealthCheck))
@given(draw_overrides(EXTREMES))
@example(["creatures.0.velocity_noise=3000"])
@example(["creatures.0.velocity=[0, -9000, 0]"])
@example(["gravity=-97000", "creatures.0.with.parts.segment.fixed=true"])
@example(["terrain.2.radius=40000"])
def test_extreme_but_valid_values(overrides):
    check_run(yaml.safe_dump(SCENE).encode(), overrides)


@settings(max_examples=60, deadline=timedelta(seconds=30), suppress_health_check=list(HealthCheck))
@given(draw_overrides(LEGGED_EXTREMES))
def test_extreme_but_valid_values_of_legged_scenes(overrides):
    check_run(yaml.safe_dump(LEGGED).encode(), overrides)


@settings(max_examples=200, deadline=timedelta(seconds=5))
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
@example("creatures.0.with=")
@example("creatures.0.with.parts.0.0.0=1")
def test_any_override_is_applied_or_refused(override):
    try:
        load_scene(SCENE, overrides=[override])
    except UserError as error:
        assert str(error).startswith("--set ") and str(error).isprintable()
