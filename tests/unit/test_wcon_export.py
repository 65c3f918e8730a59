"""Worms of a recording as a WCON file, and measures of WCON files, as users ask for them."""

import json

import numpy as np
import pytest
from fake_worms import HERTZ, LENGTH, WAVES, crawl, record_crawl
from wcon_rules import check_file

from skitter.cli import main
from skitter.errors import UserError
from skitter.export.write import export_recording
from skitter.measure.files import measure_source
from skitter.measure.plot_worm import find_kymograph
from skitter.wcon.file import Record, Wcon
from skitter.wcon.read import read_wcon
from skitter.wcon.write import write_wcon


@pytest.fixture
def exported(tmp_path):
    recording = record_crawl(seconds=12.0)
    recording.attributes["seed"] = 7
    summary = export_recording(recording, tmp_path / "a.wcon")
    return recording, summary


def test_export_keeps_the_rules(exported):
    _, summary = exported
    document = check_file(summary.file)
    assert document["metadata"]["software"]["tracker"]["name"] == "Skitter"
    assert document["metadata"]["arena"]["orientation"] == "toward"
    assert "timestamp" not in document["metadata"]
    assert document["@skitter"]["seed"] == 7
    assert document["data"][0]["head"] == "L" and document["data"][0]["ventral"] == "CCW"
    assert (summary.format, summary.frames, summary.fps) == ("wcon", 601, 50.0)
    assert summary.creatures[0].name == "worm" and summary.creatures[0].points == 49


def test_export_has_the_midlines_in_mm_seen_from_above(exported):
    recording, summary = exported
    (worm,) = read_wcon(summary.file).worms
    line = np.asarray(recording["worm.midline"])
    np.testing.assert_allclose(worm.time, recording.time, atol=1e-12)
    np.testing.assert_allclose(worm.midline[..., 0], 10 * line[..., 0], atol=1e-12)
    np.testing.assert_allclose(worm.midline[..., 1], -10 * line[..., 2], atol=1e-12)
    assert not worm.lies_on_left


def test_the_same_recording_gives_the_same_bytes(exported, tmp_path):
    recording, summary = exported
    again = export_recording(recording, tmp_path / "b.wcon")
    assert again.file.read_bytes() == summary.file.read_bytes()


def test_a_stretch(exported, tmp_path):
    recording, _ = exported
    export_recording(recording, tmp_path / "c.wcon", start=2.0, end=3.0)
    (worm,) = read_wcon(tmp_path / "c.wcon").worms
    assert len(worm.time) == 51 and worm.time[[0, -1]] == pytest.approx([2, 3])


def test_options_that_do_nothing_are_refused(exported, tmp_path):
    recording, _ = exported
    for option in ({"fps": 25}, {"scale": 2.0}, {"lod": 1}, {"loop": True}, {"in_place": True}):
        flag = next(iter(option)).replace("_", "-")
        with pytest.raises(UserError, match=f"--{flag} does not apply to .wcon files"):
            export_recording(recording, tmp_path / "d.wcon", **option)


def test_recordings_without_worms_are_refused(tmp_path):
    recording = record_crawl(seconds=1.0)
    recording.creatures[0]["kind"] = "swimmer"
    with pytest.raises(UserError, match=r"there is none among worm \(swimmer\)"):
        export_recording(recording, tmp_path / "a.wcon")
    assert list(tmp_path.iterdir()) == []


def write_crawl(path, *, ventral="CCW", head="L", **wave):
    """A file by hand, not by the export: a worm that crawls along +x, seen from above."""
    time, line = crawl(**wave)
    flat = np.stack([10 * line[..., 0], -10 * line[..., 2]], axis=-1)
    flat = flat[:, ::-1] if head == "R" else flat
    count, nowhere = len(time), np.full((len(time), 2), np.nan)
    outline = np.full((count, 0, 2), np.nan)
    one = Record("n2", time, flat, nowhere, nowhere, outline, (head,) * count, (ventral,) * count)
    write_wcon(path, Wcon([one]))


@pytest.mark.parametrize("head", ["L", "R"])
def test_measures_of_a_file(tmp_path, capsys, head):
    path = tmp_path / "n2.wcon"
    write_crawl(path, head=head)
    assert main(["measure", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["measures"]
    assert found["n2.crawl_frequency"]["value"] == pytest.approx(HERTZ, rel=0.01)
    assert found["n2.waves_per_body"]["value"] == pytest.approx(WAVES, rel=0.01)
    assert found["n2.wave_direction"]["value"] == pytest.approx(1, abs=0.01)
    assert found["n2.way_per_cycle"]["value"] == pytest.approx(0.02 / HERTZ / LENGTH, rel=0.01)
    assert found["n2.crawl_speed"] == {"value": pytest.approx(0.02, rel=0.01), "unit": "cm/s"}


def test_a_worm_on_its_other_side_bends_the_other_way(tmp_path):
    from skitter.measure.files import measure_wcon

    values = []
    for ventral in ("CCW", "CW"):
        write_crawl(tmp_path / "a.wcon", ventral=ventral, seconds=4.0)
        values.append(find_kymograph(measure_wcon(tmp_path / "a.wcon")[1]["n2"])[2])
    assert values[0][0, 0] > 5, "at the beginning the head bends towards dorsal"
    np.testing.assert_allclose(values[1], -values[0], atol=1e-6)


def test_points_without_shape_have_a_way(tmp_path):
    path = tmp_path / "points.wcon"
    data = {"id": "p", "t": [0, 1, 2], "x": [0, 3, 6], "y": [0, 4, 8]}
    path.write_text(json.dumps({"units": {"t": "s", "x": "mm", "y": "mm"}, "data": [data]}))
    found = measure_source(path)
    assert found["p.net_drift"].value == pytest.approx(1.0)  # cm
    assert found["p.crawl_speed"].value == pytest.approx(0.5)
    assert "p.crawl_frequency" not in found


def test_eigenworms_and_kymographs(tmp_path, capsys):
    """Four modes that hold every shape there is, and four that hold none of these."""
    pytest.importorskip("PIL")
    write_crawl(tmp_path / "n2.wcon")
    places = (np.arange(48) + 0.5) / 48
    modes = [f(2 * np.pi * k * WAVES * places) for k in (1, 2) for f in (np.cos, np.sin)]
    modes += [places**0]
    np.savetxt(tmp_path / "modes.csv", modes, delimiter=",")
    flags = ["--eigenworms", str(tmp_path / "modes.csv"), "--plots", str(tmp_path / "plots")]
    assert main(["measure", str(tmp_path / "n2.wcon"), *flags]) == 0
    rows = dict(line.split()[:2] for line in capsys.readouterr().out.splitlines())
    assert float(rows["n2.eigenworm_share"]) > 0.95
    assert (tmp_path / "plots" / "n2_kymograph.png").stat().st_size > 5000


def test_files_that_cannot_be_measured(tmp_path, capsys):
    (tmp_path / "a.wcon").write_text('{"units": {"t": "s", "x": "mm", "y": "mm"}, "data": []}')
    assert main(["measure", str(tmp_path / "a.wcon")]) == 2
    line = capsys.readouterr().err
    assert "has no worm with a midline" in line and line.count("\n") == 1
