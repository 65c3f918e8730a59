"""A recording of worms on the command line: measured, exported as WCON, measured from there."""

import json

import numpy as np
import pytest
from fake_myriapod import GROUND
from wcon_rules import check_file

from skitter.channel import Channel
from skitter.cli import main
from skitter.record.writer import RecordingWriter
from skitter.scene.load import load_scene
from worm_recordings import BEND, FRAME_RATE, LENGTH, SPEED, WAVES, Track, midline_at_rest

HERTZ = SPEED * WAVES / LENGTH  # they glide along their own track
NAMES = ("ann", "bob")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two worms side by side, of which nothing but the midline is recorded."""
    path = tmp_path_factory.mktemp("worms") / "two"
    bodies = [{"species": "chain", "name": name} for name in NAMES]
    scene = load_scene({"title": "t", "terrain": GROUND, "creatures": bodies})
    worms = [{"name": name, "kind": "worm", "species": "worm", "look": {}} for name in NAMES]
    attributes = {"scene": scene.to_dict(), "creatures": worms, "obstacles": []}
    rest, track = midline_at_rest(), Track.draw(12.0)
    channels = [
        Channel(f"{name}.midline", (f"{name}.point", "xyz"), rest.shape, "float64", "cm")
        for name in NAMES
    ]
    with RecordingWriter.create(path, channels, [], attributes, FRAME_RATE) as writer:
        for time in np.arange(601) / FRAME_RATE:
            line = track.carry(rest, float(time))
            rows = {
                f"{name}.midline": line + np.array([0, 0, 0.04 * k]) for k, name in enumerate(NAMES)
            }
            writer.append(float(time), rows)
    return path


def measure(capsys, *arguments):
    assert main(["measure", *map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)["measures"]


def test_measures(folder, capsys):
    found = measure(capsys, folder)
    for name in ("ann", "bob"):
        value = {key: found[f"{name}.{key}"]["value"] for key in (
            "crawl_frequency", "waves_per_body", "wave_direction", "curvature_amplitude",
            "way_per_cycle", "crawl_speed", "eigenworm_share_own",
        )}  # fmt: skip
        assert value["crawl_frequency"] == pytest.approx(HERTZ, rel=0.01)
        assert value["waves_per_body"] == pytest.approx(WAVES, rel=0.01)
        assert value["wave_direction"] == pytest.approx(1, abs=0.01)
        assert value["curvature_amplitude"] == pytest.approx(BEND, rel=0.02)
        assert value["eigenworm_share_own"] > 0.99
        # without slip it goes one wave ahead in a cycle
        ahead = value["crawl_speed"] / value["crawl_frequency"] / LENGTH
        assert value["way_per_cycle"] == pytest.approx(ahead, rel=0.01)
    assert "ann.eigenworm_share" not in found


def test_the_export_has_the_same_measures(folder, tmp_path, capsys):
    """But for what a recording leaves out of its beginning, here nothing: the wave is steady."""
    output = tmp_path / "worms.wcon"
    assert main(["export", str(folder), "-o", str(output)]) == 0
    assert "601 frames at 50 per second" in capsys.readouterr().out
    assert [one["id"] for one in check_file(output)["data"]] == ["ann", "bob"]
    before, after = measure(capsys, folder), measure(capsys, output)
    for key in ("crawl_frequency", "waves_per_body", "wave_amplitude", "crawl_speed"):
        values = [one[f"bob.{key}"]["value"] for one in (before, after)]
        assert values[1] == pytest.approx(values[0], rel=0.01), key
    assert after["ann.net_drift"]["value"] == pytest.approx(before["ann.net_drift"]["value"])


def test_one_of_two(folder, tmp_path):
    output = tmp_path / "bob.wcon"
    assert main(["export", str(folder), "-o", str(output), "--creature", "bob"]) == 0
    assert [one["id"] for one in check_file(output)["data"]] == ["bob"]


def test_kymographs(folder, tmp_path):
    pytest.importorskip("PIL")
    assert main(["measure", str(folder), "--plots", str(tmp_path / "k")]) == 0
    names = sorted(path.name for path in (tmp_path / "k").iterdir())
    assert names == ["ann_kymograph.png", "bob_kymograph.png"]
