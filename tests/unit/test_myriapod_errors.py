"""Mistakes about creatures with legs: each is refused with one line, and exit code 2."""

import pytest
import yaml

from skitter.cli import main

SCENE = {
    "title": "t",
    "seconds": 0.02,
    "terrain": [{"shape": "plane"}],
    "creatures": [{"species": "centipede18"}],
}


def creature(**changes):
    return {"creatures": [{"species": "centipede18", **changes}]}


def species(**changes):
    return creature(**{"with": changes})


MISTAKES = [
    (
        species(kind="snail"),
        "kind must be one of articulated, climber, figure, myriapod, object, swimmer, worm;"
        " found the text 'snail'",
    ),
    (species(segments=2), "creatures[0].with.segments must be a whole number from 3 to 200"),
    # 1.97 cm is as far as links of 0.7, 0.6 and 0.7 reach with an ankle of 20 degrees
    (species(walk={"height": 5}), "has legs on segment 1 that cannot stand: the foot is set"),
    (species(leg={"foot": 1}), "and the leg reaches from 0.58 to 1.97 cm; valid: another walk.h"),
    (species(walk={"speed": 90}), "has a walk.speed of 90 cm/s, and its legs can follow at most"),
    (species(leg={"swing": 10}), "valid: less, a shorter leg.swing or a longer stride"),
    (species(leg={"links": [1, 1]}), "creatures[0].with.leg.links must be a list of 3 numbers"),
    (species(leg={"sides": "both"}), "leg.sides must be one of together, apart, free; found"),
    (
        species(antenna={"theta_deg": [50, 10]}),
        "creatures[0].with.antenna.theta_deg must be a low and a high number, in that order",
    ),
    (creature(held=["segment_19"]), "'centipede18' has no part 'segment_19' to be held; valid:"),
    (creature(start="lie"), "creatures[0].start must be one of stand, free; found the text 'lie'"),
    (creature(commands=[{"sped": 1}]), "commands[0].sped is not a known key; did you mean 'speed'"),
    (creature(commands=[{"speed": -1}]), "creatures[0].commands[0].speed must be a number from 0"),
    (creature(at=[1e6, 0, 0]), "1e+06 cm from the origin, where numbers of float32 are too coarse"),
    (
        {"creatures": [{"species": "chain", "at": [0, 3, 0], "commands": [{"speed": 1}]}]},
        "creatures[0].commands are for creatures that walk, swim or crawl, and 'chain' does none"
        " of it; valid: a species of kind articulated or climber or myriapod or swimmer or worm,"
        " or",
    ),
    (
        {"terrain": [{"shape": "mesh", "file": "skul", "at": [0, 0, 0]}]},
        "terrain[0].file is 'skul', which is not there; did you mean 'skull'?",
    ),
    (
        {"terrain": [{"shape": "mesh", "file": "no/such.obj", "at": [0, 0, 0]}]},
        "terrain[0].file is 'no/such.obj', which is not there; valid: ball, knot, pebble, skull,"
        " torus",
    ),
    ({"obstacles": [{"shape": "log"}]}, "obstacles[0].shape must be one of box, sphere, cylinder"),
    (
        {"obstacles": [{"shape": "scatter", "count": 90, "area": [9, 9]}]},
        "obstacles[0]: no room for 90 posts of radius 1 with a gap of 4 in an area of 9 x 9 cm",
    ),
    ({"food": [{"strength": 0}]}, "food[0].strength must be a number"),
    ({"time_step": "1/300"}, "time_step must be at most"),
]


@pytest.mark.parametrize(("change", "expected"), MISTAKES)
def test_mistake(capsys, tmp_path, change, expected):
    (tmp_path / "scene.yaml").write_text(yaml.safe_dump({**SCENE, **change}))
    code = main(["run", str(tmp_path / "scene.yaml"), "-o", str(tmp_path / "out")])
    output = capsys.readouterr()
    assert code == 2
    assert output.err.startswith("skitter: ") and output.err.count("\n") == 1
    assert expected in output.err
    assert not (tmp_path / "out").exists()


def test_without_mistakes_it_runs(tmp_path):
    (tmp_path / "scene.yaml").write_text(yaml.safe_dump(SCENE))
    assert main(["run", str(tmp_path / "scene.yaml"), "-o", str(tmp_path / "out")]) == 0
