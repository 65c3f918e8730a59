"""The sweep of a swimmer's strokes: grids, going on, the best strokes, the command."""

import json

import numpy as np
import pytest

from skitter.cli import main
from skitter.commands.sweep_swim import load_swimmer
from skitter.errors import UserError
from skitter.measure.plot import Curve, write_heat_map
from skitter.scene.read_yaml import read_yaml
from skitter.species.swim import Optimum
from skitter.study.swim import sweep as module
from skitter.study.swim.optimum import (
    evaluate,
    find_best,
    find_contour,
    refine,
    regress,
    write_optimum,
)
from skitter.study.swim.sweep import Sweep, build_plan, run_sweep
from skitter.study.swim.trial import Protocol, estimate_left, is_stable, keep_school, try_strokes

SHORT = Protocol(window=0.5, settle=0.5, longest=3.0)


def make_sweep(best_deg=54.0, count=25):
    """Speed 4 f g(ps) and power 100 v² (1 + ...): cheapest at one phase shift at every speed."""
    hertz, degrees = np.linspace(0.5, 2.5, count), np.linspace(18.0, 108.0, count)
    off = (degrees - best_deg) / 60
    speed = 4 * hertz[:, None] * (1 - 0.3 * off**2)
    power = 100 * speed**2 * (1 + 4 * off**2)
    return Sweep(hertz, degrees, speed, power, np.ones(speed.shape, bool), speed * 0)


def test_contour_has_its_speed():
    found = find_contour(refine(make_sweep()), 5.0)
    off = (found[:, 1] - 54) / 60
    np.testing.assert_allclose(4 * found[:, 0] * (1 - 0.3 * off**2), 5.0, rtol=5e-3)


def test_best_stroke_is_found():
    best = find_best(make_sweep())
    inside = ~best.border
    np.testing.assert_allclose(best.phase_deg[inside], 54.0, atol=3.0)
    np.testing.assert_allclose(best.frequency[inside], best.speed[inside] / 4, rtol=0.02)
    np.testing.assert_allclose(best.power[inside], 100 * best.speed[inside] ** 2, rtol=0.03)


def test_what_lies_at_the_end_of_a_range_is_told():
    """Speeds below 2 cm/s need less than half a hertz at the best shift; with the best shift
    outside the range, all lie at its end."""
    best = find_best(make_sweep())
    assert best.border[best.speed < 1.9].all() and not best.border[best.speed > 2.5].any()
    assert find_best(make_sweep(best_deg=10.0)).border.all()
    with pytest.raises(ValueError, match="too few"):
        regress(make_sweep(best_deg=10.0), find_best(make_sweep(best_deg=10.0)))


def test_regression_meets_speeds_and_can_be_pasted(tmp_path):
    sweep = make_sweep()
    fit = regress(sweep, find_best(sweep))
    assert fit.power_fit > 0.999 and fit.power_exponent == pytest.approx(2.0, abs=0.03)
    assert fit.speed_error < 0.02
    assert evaluate(fit.frequency, 6.0) == pytest.approx(1.5, rel=0.02)
    (tmp_path / "optimum.yaml").write_text(write_optimum(fit))
    block = Optimum.model_validate(read_yaml(tmp_path / "optimum.yaml")["optimum"])
    assert block.frequency == pytest.approx(fit.frequency, rel=1e-4, abs=1e-4)


def test_what_is_left_of_a_geometric_approach():
    windows = np.array([[4.0, 1.0, 5.0], [2.0, 1.5, 5.0], [1.0, 1.75, 5.1]])
    assert estimate_left(windows).tolist() == pytest.approx([1.0, 0.25, 0.1])


def test_stability_needs_three_windows():
    assert not is_stable(np.full((5, 2), 3.0), 2, SHORT).any()
    assert is_stable(np.full((6, 2), 3.0), 2, SHORT).all()
    rising = np.column_stack([np.full(6, 3.0), np.linspace(1, 3, 6)])
    assert is_stable(rising, 2, SHORT).tolist() == [True, False]


def test_trial_of_an_eel():
    """Two at once: in order, forwards, at some cost, the same when tried again, by a school that
    has swum before or a new one."""
    eel, shifts = load_swimmer("eel"), np.radians([36.0, 90.0])
    one = try_strokes(eel, 2.0, shifts, guess=3.0, seconds=2.0)
    try_strokes(eel, 1.0, shifts, seconds=1.0)
    two = try_strokes(eel, 2.0, shifts, guess=3.0, seconds=2.0)
    keep_school.cache_clear()
    three = try_strokes(eel, 2.0, shifts, guess=3.0, seconds=2.0)
    assert one.speed_course.shape == (4, 2) and one.seconds == 2.0
    assert (one.speed > 0).all() and (one.power > 0).all()
    assert one.power[0] > 3 * one.power[1]
    for other in (two, three):
        assert np.array_equal(one.speed_course, other.speed_course)
        assert np.array_equal(one.power_course, other.power_course)


def try_fake_row(plan, row):
    count = len(plan.phase_deg)
    speed = [plan.frequency[row] * (1 + k) for k in range(count)]
    return {"speed": speed, "power": speed, "stable": [True] * count, "seconds": [1.0] * count}


def test_a_sweep_goes_on_where_it_stopped(tmp_path, monkeypatch):
    plan, made = build_plan(load_swimmer("eel"), (4, 3), (0.5, 2.0), (18.0, 90.0)), []

    def try_row(plan, row):
        made.append(row)
        if len(made) == 3:
            raise KeyboardInterrupt
        return try_fake_row(plan, row)

    monkeypatch.setattr(module, "try_row", try_row)
    with pytest.raises(KeyboardInterrupt):
        run_sweep(plan, tmp_path / "s")
    seen = []
    sweep = run_sweep(plan, tmp_path / "s", tell=lambda done, total: seen.append((done, total)))
    assert made == [0, 1, 2, 2, 3] and seen == [(3, 4), (4, 4)]
    again = Sweep.load(tmp_path / "s" / "sweep.npz")
    assert np.array_equal(again.speed, sweep.speed) and sweep.speed.shape == (4, 3)


def test_another_sweep_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "try_row", try_fake_row)
    eel = load_swimmer("eel")
    run_sweep(build_plan(eel, (3, 3), (0.5, 2.0), (18.0, 90.0)), tmp_path / "s")
    with pytest.raises(UserError, match="holds another sweep"):
        run_sweep(build_plan(eel, (3, 4), (0.5, 2.0), (18.0, 90.0)), tmp_path / "s")
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "thing").touch()
    with pytest.raises(UserError, match="holds something else"):
        run_sweep(build_plan(eel, (3, 3), (0.5, 2.0), (18.0, 90.0)), tmp_path / "t")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["swm"], "there is no study 'swm'; did you mean 'swim'"),
        (["swim", "--grid", "24"], "--grid 24: valid: as 24x24"),
        (["swim", "--grid", "2x9"], "--grid 2x9: valid"),
        (["swim", "--frequency", "2,1"], "--frequency 2,1: valid: two numbers"),
        (["swim", "--phase_deg", "a,b"], "--phase_deg a,b: valid: two numbers"),
        (["swim", "--species", "centipede18"], "is of kind myriapod; valid: one of kind swimmer"),
        (["swim", "--species", "eal"], "eal"),
    ],
)
def test_mistakes_are_told_in_one_line(arguments, message, tmp_path, capsys):
    assert main(["sweep", *arguments, "-o", str(tmp_path / "s")]) == 2
    told = capsys.readouterr().err
    assert message in told and told.count("\n") == 1
    assert not (tmp_path / "s").exists()


def test_command_writes_everything(tmp_path, monkeypatch, capsys):
    made = make_sweep(count=9)

    def try_row(plan, row):
        return {
            "speed": made.speed[row].tolist(),
            "power": made.power[row].tolist(),
            "stable": [True] * 9,
            "seconds": [1.0] * 9,
        }

    monkeypatch.setattr(module, "try_row", try_row)
    monkeypatch.setattr("skitter.study.swim.pictures.RAMP_SECONDS", 2.0)
    call = ["sweep", "swim", "-o", str(tmp_path / "s"), "--grid", "9x9", "--processes", "1"]
    assert main([*call, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)["sweep"]
    assert report["swims"] == 81 and report["unstable"] == 0
    assert {"c3_speed.png", "c4_power.png", "c5c_power.png"} <= set(report["pictures"])
    assert all((tmp_path / "s" / name).exists() for name in report["pictures"])
    assert (tmp_path / "s" / "optimum.yaml").exists()
    assert main(call) == 0  # from what is there
    assert "power law" in capsys.readouterr().out


def test_heat_map_is_drawn(tmp_path):
    values = np.arange(12.0).reshape(3, 4)
    values[0, 0] = np.nan
    write_heat_map(
        tmp_path / "h.png",
        title="t",
        x=np.arange(4.0),
        y=np.arange(3.0),
        values=values,
        labels=("x", "y"),
        unit="cm",
        curves=[Curve("line", [0, 3], [0, 2])],
    )
    assert (tmp_path / "h.png").stat().st_size > 1000
