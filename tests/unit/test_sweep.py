"""Sweeps: which points there are, that they are kept, what they leave, and what is told of them."""

import errno
import json
import math
from dataclasses import replace

import numpy as np
import pandas
import pytest
import xarray

import skitter
from skitter.errors import UserError
from skitter.measure import table
from skitter.record.files import lock_folder, unlock_folder
from skitter.study import folder as folders
from skitter.study import open_sweep
from skitter.study.sweep import Outcome, load_sweep, read_results, run_point, sweep
from skitter.study.sweep import point as points
from skitter.study.sweep.log import LOG
from skitter.study.sweep.run import prepare

CUBE = {"title": "t", "creatures": [{"species": "cube", "velocity": [3.0, 5.0, 0.0]}]}
THROW = {
    "title": "cubes are thrown",
    "scene": CUBE,
    "seconds": 0.1,
    "seeds": 2,
    "parameters": [
        {"path": "creatures.0.velocity.0", "values": [0, 10, 20]},
        {"path": "creatures.0.velocity.1", "name": "rise", "range": [-50, 50], "count": 2},
    ],
    "measures": ["speed", "distance"],
}


def change(**fields):
    return load_sweep({**THROW, **fields})


def fake(packed):
    """An outcome that can be told from the values, without a run."""
    job = points.json.loads(points.zlib.decompress(packed))
    x, y, _ = job["scene"]["creatures"][0]["velocity"]
    speed = math.hypot(x, y) + job["seed"]
    return Outcome({"cube.speed": speed, "cube.distance": speed / 10})


def test_points_are_all_pairs_with_all_seeds():
    grid = change().grid
    assert grid.dims == ["velocity_0", "rise", "seed"] and grid.shape == (3, 2, 2)
    rows = [(*point.values, point.seed) for point in grid.list_points()]
    assert rows == [(x, y, seed) for x in (0, 10, 20) for y in (-50, 50) for seed in (0, 1)]
    assert len({point.key for point in grid.list_points()}) == 12


def test_ranges_are_even_or_even_in_their_logarithm():
    axis = {"path": "gravity", "range": [1, 100], "count": 5}
    linear, log = (change(parameters=[{**axis, "scale": one}]) for one in ("linear", "log"))
    assert linear.grid.axes[0].values == (1.0, 25.75, 50.5, 75.25, 100.0)
    assert log.grid.axes[0].values == (1.0, 3.16228, 10.0, 31.6228, 100.0)


def draw(samples=400, seed=0, **fields):
    axis = {"path": "creatures.0.velocity.0", **fields}
    plan = change(parameters=[axis], samples=samples, seed=seed)
    return np.array(plan.grid.axes[0].values)


def test_samples_are_those_of_their_distribution():
    """Means and deviations within four standard errors; ends within the range."""
    even = draw(distribution="uniform", range=[2, 8])
    assert 2 <= even.min() < 2.2 and 7.8 < even.max() <= 8
    assert even.mean() == pytest.approx(5, abs=4 * 6 / np.sqrt(12 * 400))
    bell = draw(distribution="normal", mean=-3, deviation=2)
    assert bell.mean() == pytest.approx(-3, abs=4 * 2 / 20)
    assert bell.std() == pytest.approx(2, abs=4 * 2 / np.sqrt(800))
    log = np.log10(draw(distribution="loguniform", range=[0.01, 100]))
    assert log.mean() == pytest.approx(0, abs=4 * 4 / np.sqrt(12 * 400))
    assert np.array_equal(draw(10, distribution="uniform", range=[2, 8]), even[:10]), "it may grow"
    assert not np.array_equal(draw(seed=1, distribution="uniform", range=[2, 8]), even)


def test_samples_meet_all_of_the_grid():
    drawn = {"path": "gravity", "distribution": "uniform", "range": [1, 2]}
    plan = change(parameters=[*THROW["parameters"], drawn], samples=5)
    assert plan.grid.dims == ["velocity_0", "rise", "sample", "seed"]
    assert plan.grid.size == 3 * 2 * 5 * 2
    values = [point.values[2] for point in plan.grid.list_points()]
    assert values[0:10:2] == list(plan.grid.axes[2].values) and values[0] == values[1]


def test_a_point_is_what_skitter_run_would_make_of_it(tmp_path):
    sweep(change(), tmp_path / "s")
    told = open_sweep(tmp_path / "s").sel(velocity_0=10, rise=50, seed=1)
    changes = ["creatures.0.velocity.0=10", "creatures.0.velocity.1=50"]
    run = skitter.run(CUBE, seconds=0.1, seed=1, overrides=changes).measure()
    assert float(told.speed) == run["cube.speed"].value
    assert float(told.distance) == run["cube.distance"].value
    way = math.hypot(10 * 0.1, 50 * 0.1 - 981 * 0.1**2 / 2)  # free flight
    assert float(told.distance) == pytest.approx(way, rel=0.01)


def test_what_it_leaves_opens_in_xarray_and_pandas(tmp_path):
    sweep(change(), tmp_path / "s", run=fake)
    store = xarray.open_zarr(tmp_path / "s" / "results.zarr").load()
    assert dict(store.sizes) == {"velocity_0": 3, "rise": 2, "seed": 2}
    assert store.speed.attrs["units"] == "cm/s" and store.distance.attrs["units"] == "cm"
    assert store.rise.attrs["path"] == "creatures.0.velocity.1"
    assert store.speed.sel(velocity_0=20, rise=-50, seed=1).item() == math.hypot(20, 50) + 1
    assert (store.reason == "").all() and store.attrs["title"] == THROW["title"]
    assert store.equals(open_sweep(tmp_path / "s"))
    table = pandas.read_csv(tmp_path / "s" / "points.csv")
    assert list(table.columns) == ["velocity_0", "rise", "seed", "speed", "distance", "reason"]
    frame = open_sweep(tmp_path / "s").to_dataframe().reset_index()
    assert (frame.speed == table.speed).all() and len(table) == 12


def test_only_what_is_missing_is_run(tmp_path):
    made = []

    def stop(packed):
        made.append(packed)
        if len(made) == 5:
            raise KeyboardInterrupt
        return fake(packed)

    with pytest.raises(KeyboardInterrupt):
        sweep(change(), tmp_path / "s", run=stop)
    kept = open_sweep(tmp_path / "s")
    assert int((kept.reason == "").sum()) == 4 and int((kept.reason == "not run yet").sum()) == 8
    assert int(np.isnan(kept.speed).sum()) == 8
    assert xarray.open_zarr(tmp_path / "s" / "results.zarr").load().equals(kept)
    seen = []
    ended = sweep(
        change(), tmp_path / "s", run=stop, tell=lambda done, total: seen.append((done, total))
    )
    assert ended.ran == 8 and len(made) == 5 + 8 and seen == [(k, 12) for k in range(4, 13)]
    assert sweep(change(), tmp_path / "s", run=stop).ran == 0 and len(made) == 13


def test_a_sweep_may_grow(tmp_path):
    """More values, more seeds and another order of parameters: what was run before stays."""
    sweep(change(), tmp_path / "s", run=fake)
    wide = {**THROW["parameters"][0], "values": [30, 0, 10, 20]}
    plan = change(parameters=[THROW["parameters"][1], wide], seeds=[1, 0, 5])
    assert sweep(plan, tmp_path / "s", run=fake).ran == 2 * 4 * 3 - 12
    told = open_sweep(tmp_path / "s")
    assert told.sizes == {"rise": 2, "velocity_0": 4, "seed": 3}
    assert float(told.speed.sel(velocity_0=20, rise=-50, seed=1)) == math.hypot(20, 50) + 1
    assert float(told.speed.sel(velocity_0=30, rise=50, seed=5)) == math.hypot(30, 50) + 5


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"settle": 0.05}, "another settle;"),
        ({"measures": ["speed"]}, "another measures;"),
        ({"set": {"gravity": 100}}, "another scene;"),
        ({"parameters": THROW["parameters"][:1]}, "another parameters;"),
    ],
)
def test_another_sweep_is_refused(tmp_path, fields, what):
    sweep(change(), tmp_path / "s", run=fake)
    before = (tmp_path / "s" / "plan.json").read_bytes()
    with pytest.raises(UserError, match=what):
        sweep(change(**fields), tmp_path / "s", run=fake)
    assert (tmp_path / "s" / "plan.json").read_bytes() == before


def test_folders_that_hold_something_else_are_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="holds something else"):
        sweep(change(), tmp_path, run=fake)
    (tmp_path / "busy").mkdir()
    lock = lock_folder(tmp_path / "busy")
    with pytest.raises(UserError, match="is being written by another sweep"):
        sweep(change(), tmp_path / "busy", run=fake)
    unlock_folder(lock)
    with pytest.raises(UserError, match="holds no sweep"):
        open_sweep(tmp_path)


@pytest.mark.parametrize("damage", ["cut", "changed", "twice", "nonsense"])
def test_damaged_lines_are_dropped_and_run_again(tmp_path, damage):
    sweep(change(), tmp_path / "s", run=fake)
    log = tmp_path / "s" / LOG
    whole = log.read_bytes()
    lines = whole.splitlines(keepends=True)
    last = {
        "cut": lines[-1][:-20],
        "changed": lines[-1].replace(b'"cube.speed": ', b'"cube.speed": 9'),
        "twice": lines[-2],
        "nonsense": b"\xff\x00[]\n",
    }[damage]
    assert last != lines[-1]
    log.write_bytes(b"".join([*lines[:-1], last]))
    table = (tmp_path / "s" / "points.csv").read_bytes()
    ended = sweep(change(), tmp_path / "s", run=fake)
    assert ended.ran == 1 and ended.damaged == (damage != "cut")
    assert log.read_bytes() == whole and (tmp_path / "s" / "points.csv").read_bytes() == table


def test_a_full_disk_costs_no_finished_point(tmp_path, monkeypatch):
    write = folders.write_all

    def fill(file, data):
        if made[0] == 7:
            write(file, data[: len(data) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        write(file, data)

    def count(packed):
        made[0] += 1
        return fake(packed)

    made = [0]
    monkeypatch.setattr(folders, "write_all", fill)
    with pytest.raises(UserError, match="no space left on device; what is finished is kept"):
        sweep(change(), tmp_path / "s", run=count)
    assert (tmp_path / "s" / LOG).read_bytes().count(b"\n") == 6
    assert (tmp_path / "s" / LOG).read_bytes().endswith(b"}\n"), "nothing half"
    assert sweep(change(), tmp_path / "s", run=count).ran == 6


def test_a_worker_without_room_ends_the_sweep_and_not_the_point(tmp_path):
    def fill(packed):
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        sweep(change(), tmp_path / "s", run=fill)
    assert not read_results(tmp_path / "s").rows


def add_measure(monkeypatch, compute):
    spec = replace(table.CREATURE_MEASURES[0], id="risky", unit="1", kinds=(), compute=compute)
    spec = replace(spec, applies=table.always)
    monkeypatch.setattr(table, "CREATURE_MEASURES", table.CREATURE_MEASURES)
    table.CREATURE_MEASURES.append(spec)
    return spec


def test_a_measure_that_raises_is_recorded_and_the_rest_finish(tmp_path, monkeypatch):
    def compute(recording, name):
        if recording.scene["creatures"][0]["velocity"][0] == 10:
            raise ZeroDivisionError("nothing to divide by")
        return 4.0

    spec = add_measure(monkeypatch, compute)
    try:
        plan = change(measures=["speed", "risky"])
        ended = sweep(plan, tmp_path / "s")
        reason = "measure cube.risky: ZeroDivisionError: nothing to divide by"
        assert ended.ran == 12 and ended.failures == {reason: 4}
        told = open_sweep(tmp_path / "s")
        assert (told.reason.sel(velocity_0=10) == reason).all()
        assert np.isnan(told.risky.sel(velocity_0=10)).all()
        assert np.isfinite(told.speed).all(), "what could be measured is there"
        assert (told.risky.sel(velocity_0=[0, 20]) == 4.0).all()
        assert sweep(plan, tmp_path / "s").ran == 0, "failed points are finished too"
        assert sweep(plan, tmp_path / "s", retry=True, run=fake).ran == 4
    finally:
        table.CREATURE_MEASURES.remove(spec)


def test_points_that_make_no_scene_or_fly_apart_are_recorded(tmp_path):
    drawn = {"path": "terrain.0.friction", "distribution": "normal", "mean": 0.1, "deviation": 1}
    scene = {**CUBE, "terrain": [{"shape": "plane"}]}
    plan = change(scene=scene, parameters=[drawn], samples=8, seeds=1)
    bad = [value < 0 for value in plan.grid.axes[0].values]
    assert any(bad) and not all(bad)
    ended = sweep(plan, tmp_path / "s", run=fake)
    assert sum(ended.failures.values()) == sum(bad)
    told = open_sweep(tmp_path / "s")
    assert [one != "" for one in told.reason.values.ravel()] == bad
    assert all("terrain[0].friction must be a number" in one for one in ended.failures)
    soft = {"title": "t", "creatures": [{"species": "jelly_cube"}], "frame_rate": 10}
    far = {"path": "time_step", "values": [0.1]}  # so long a step flies apart
    plan = change(scene=soft, parameters=[far], seconds=0.2, seeds=1)
    assert "time_step" in next(iter(sweep(plan, tmp_path / "t").failures))


def test_another_version_elsewhere_is_refused():
    plan = change()
    packed = prepare(plan, next(plan.grid.list_points()), None)
    job = json.loads(points.zlib.decompress(packed)) | {"version": "0.0.1"}
    with pytest.raises(UserError, match=r"has skitter .* and the sweep 0.0.1; valid: the same"):
        run_point(points.zlib.compress(json.dumps(job).encode()))


def test_terrain_files_travel(tmp_path, monkeypatch):
    """A job names its file by content: a copy that was sent is used, a missing one is told."""
    from skitter.study.cluster_file import FilePlugin

    heights = tmp_path / "heights.csv"
    heights.write_text("0,0,0\n0,0,0\n0,0,0\n")
    ground = {"shape": "heightfield", "file": str(heights), "size": [20, 20]}
    plan = change(scene={**CUBE, "terrain": [ground]})
    point = next(plan.grid.list_points())
    packed, here = prepare(plan, point, None), run_point(prepare(plan, point, None))
    (file,) = points.list_files(plan.load(point.values))
    data = heights.read_bytes()
    heights.unlink()
    assert "is not on" in run_point(packed).reason and "heights.csv" in run_point(packed).reason
    monkeypatch.setattr(points, "RECEIVED", {})
    worker = type("Worker", (), {"local_directory": str(tmp_path)})
    FilePlugin(file.sha256, ".csv", data, points.receive_file).setup(worker)
    assert run_point(packed) == here and not here.reason
