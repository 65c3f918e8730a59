"""The registry of claims: how a finding is judged, reported and drawn."""

import json
from math import inf, nan

import numpy as np
import pytest
from PIL import Image

from skitter.claims import registry as claims
from skitter.claims.fang2015_brain import share_heedless
from skitter.claims.fang2015_gait import (
    count_until,
    find_lowest,
    measure_left_right,
    measure_waves,
)
from skitter.claims.fang2015_scenes import PLANE, build_scene
from skitter.claims.registry import CLAIMS, Claim, Finding, find_worst, load_claims, run_claims
from skitter.cli import main
from skitter.measure.plot import Curve, Scale, write_bars, write_curves
from skitter.world import World

FIELDS = {"paper": "p", "statement": "s", "scene": "s", "unit": "cm", "why": "w"}


def make_claim(sense: str, measure=lambda: 1.0, id: str = "test/one") -> Claim:
    return Claim(id=id, sense=sense, expected=1.0, tolerance=0.25, measure=measure, **FIELDS)


@pytest.fixture
def only(monkeypatch):
    """Only the claims of the test are known."""
    monkeypatch.setattr(claims, "PAPERS", ())
    monkeypatch.setattr(claims, "CLAIMS", {})
    return lambda one: claims.CLAIMS.update({one.id: one})


@pytest.mark.parametrize(
    ("sense", "passing", "failing"),
    [
        ("at most", [-9.0, 1.25], [1.26, inf, nan]),
        ("at least", [9.0, 0.75], [0.74, -inf, nan]),
        ("equals", [0.75, 1.25], [0.74, 1.26, nan]),
        ("about", [-9.0, 1.0, 9.0], [inf, nan]),
    ],
)
def test_claim_holds(sense, passing, failing):
    one = make_claim(sense)
    assert all(one.holds(value) for value in passing)
    assert not any(one.holds(value) for value in failing)


def test_worst_part_decides():
    parts = {"a.slip": 0.5, "b.slip": 3.0, "a.path": 8.0, "b.path": 2.0, "a.lag": 99.0}
    found = find_worst(parts, at_most={"slip": 2.0}, at_least={"path": 4.0})
    assert found.value == 2.0  # path of b: 4 / 2
    assert found.parts == parts
    assert find_worst({"slip": nan}, at_most={"slip": 1.0}).value == inf
    assert find_worst({"path": 0.0}, at_least={"path": 1.0}).value == inf


def test_record_has_parts_and_plot(only, tmp_path):
    only(make_claim("at most", lambda: Finding(1.1, {"left": 1.1, "right": np.float64(0.4)})))
    (record,) = run_claims(plots=tmp_path / "plots")
    assert record["passed"] and record["value"] == 1.1
    assert record["parts"] == {"left": 1.1, "right": 0.4}
    with Image.open(tmp_path / "plots" / record["plot"]) as picture:
        assert picture.size[0] > 100


def test_bare_number_has_no_parts(only):
    only(make_claim("at most", lambda: 1.1))
    (record,) = run_claims()
    assert "parts" not in record and "plot" not in record


def test_claims_command_writes_plots(only, tmp_path, capsys):
    only(make_claim("at most", lambda: Finding(inf, {"never": inf})))
    assert main(["claims", "test/one", "--plots", str(tmp_path), "--json"]) == 1
    (record,) = json.loads(capsys.readouterr().out)["claims"]
    assert record["value"] is None and record["parts"] == {"never": None}
    assert (tmp_path / "test-one.png").exists()


def test_plots_want_a_folder(only, tmp_path, capsys):
    only(make_claim("at most"))
    (tmp_path / "file").touch()
    assert main(["claims", "--plots", str(tmp_path / "file")]) == 2
    assert "is a file; valid: a directory for the plots" in capsys.readouterr().err


def test_ids_are_of_a_paper():
    assert {one.id.partition("/")[0] for one in load_claims()} == {
        "fang2015",
        "biology",
        "mujika2018",
        "mckenna1990",
        "cenydd2012",
        "world",
    }
    assert all(one.sense == "about" for one in load_claims() if one.id.startswith("biology/"))
    assert len(CLAIMS) >= 13


def test_claims_about_worms_are_listed():
    """Those that the paper's section 8 and our list of what to show name, each with its place."""
    listed = {one.id.partition("/")[2]: one for one in load_claims() if "mujika2018/" in one.id}
    of_paper = {
        "muscles-95", "undulation-mode-found", "momentum-zero", "no-anisotropy-no-travel",
        "alpha-widens", "friction-speeds", "best-parameters-travel", "anisotropic-friction-exact",
    }  # fmt: skip
    past = {"muscle-crawl", "muscle-backward", "muscle-turn", "medium-adapts", "mesh-scale"}
    real = {"real-frequency", "real-waves", "real-curvature", "real-eigenworms"}
    assert of_paper | past | real <= set(listed)
    for name, one in listed.items():
        assert "Mujika 2018" in one.paper and one.statement and one.scene and one.why
        assert name not in of_paper or "Mujika 2018 section" in one.paper


def test_real_worm_has_its_quartiles():
    (frequency,) = (one for one in load_claims() if one.id == "mujika2018/real-frequency")
    assert frequency.bounds == pytest.approx([0.26, 0.48])
    (waves,) = (one for one in load_claims() if one.id == "mujika2018/real-waves")
    assert waves.bounds == pytest.approx([1.31, 1.97])


def test_eigenworms_that_are_not_at_hand_are_not_measured(monkeypatch):
    monkeypatch.delenv("SKITTER_WORM_DATA", raising=False)
    (record,) = run_claims(["mujika2018/real-eigenworms"])
    assert not record["passed"] and np.isnan(record["value"])
    assert "SKITTER_WORM_DATA is not set" in record["trouble"]


def test_ticks_are_round():
    assert Scale(0.0, 1.0, 0, 100).choose_ticks().tolist() == pytest.approx(
        [0, 0.2, 0.4, 0.6, 0.8, 1]
    )
    assert Scale(-3.0, 19.0, 0, 100).choose_ticks().tolist() == [0, 5, 10, 15]


def read_colours(path) -> set[tuple[int, int, int]]:
    with Image.open(path) as picture:
        return {colour for _, colour in picture.getcolors(picture.width * picture.height)}


def test_bound_is_drawn(tmp_path):
    curve = Curve("c", [0, 1, 2, 3], [0.0, nan, 1.0, inf])
    write_curves(tmp_path / "c.png", title="t", curves=[curve], labels=("x", "y"), bounds=[0.5])
    write_bars(tmp_path / "b.png", title="t", values={"a": 1.0, "b": inf}, label="", bounds=[0.5])
    for name in ("c.png", "b.png"):
        assert (0xC0, 0x39, 0x2B) in read_colours(tmp_path / name)


def test_curves_without_numbers_can_be_drawn(tmp_path):
    for values in ([], [nan, nan], [2.0, 2.0]):
        curve = Curve("c", values, values)
        write_curves(tmp_path / "c.png", title="t", curves=[curve], labels=("x", "y"))
        assert len(read_colours(tmp_path / "c.png")) > 1  # at least the axes on their ground


def test_bars_of_nothing_can_be_drawn(tmp_path):
    write_bars(tmp_path / "b.png", title="t", values={"a": 0.0}, label="")
    assert len(read_colours(tmp_path / "b.png")) > 1


def test_count_until_stays_below():
    assert count_until(np.array([0.3, 0.01, 0.2, 0.01, 0.02]), 0.05) == 3
    assert count_until(np.array([0.01, nan]), 0.05) == 2
    assert count_until(np.array([0.01]), 0.05) == 0


def test_touch_may_be_answered_one_frame_later():
    mode = np.array([1, 1, 2, 3, 3, 1])  # 2 is AVOIDANCE
    assert share_heedless(mode, np.array([0, 1, 1, 0, 0, 0], bool)) == 0.0
    assert share_heedless(mode, np.array([1, 1, 0, 0, 0, 0], bool)) == 0.5
    assert np.isnan(share_heedless(mode, np.zeros(6, bool)))


def test_lowest_point_is_a_foot_or_a_corner():
    """A creature in the air tilted by 90 degrees hangs from its head by its own length."""
    level, upright = (
        find_lowest(
            World.from_scene(
                build_scene(
                    "giant_centipede", PLANE, seconds=1, at=[0, 60, 0], start="free",
                    turn_deg=[0, 0, tilt],
                )
            )
        )
        for tilt in (0, 90)
    )  # fmt: skip
    assert 57 < level < 60
    assert 60 - 23 < upright < 60 - 20


def test_waves_emerge_and_sides_keep_time():
    """Fang 2015 sections 4.3.2 and 4.3.3, on the one species that shows both in seconds."""
    assert measure_waves({"giant_centipede": 8.0}).value <= 1.0
    assert measure_left_right({"giant_centipede": 6.0}).value <= 0.05


@pytest.mark.parametrize("id", [one.id for one in load_claims() if one.quick])
def test_quick_claim_holds(id):
    (record,) = run_claims([id])
    assert record["passed"], record
