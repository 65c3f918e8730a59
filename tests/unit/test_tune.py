"""Tuning: what a search finds, that it goes on to the same bytes, and what it leaves."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from fake_searches import BOWL, LOWEST, bowl
from fake_world import FakeWorld

from skitter.errors import UserError
from skitter.record import Recording
from skitter.record.files import lock_folder, unlock_folder
from skitter.scene.load import load_scene
from skitter.study.tune import Outcome, load_plan, search, tune
from skitter.study.tune.result import compare
from skitter.study.tune.trial import attempt, find_cost, join_runs, record

FILES = ("history.jsonl", "best.yaml", "study.yaml", "plan.json", "history.png")


def change(**fields):
    return load_plan({**BOWL, **fields})


def read_files(folder):
    return {name: (folder / name).read_bytes() for name in FILES}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """An uninterrupted search."""
    folder = tmp_path_factory.mktemp("whole") / "search"
    tune(load_plan(BOWL), folder, evaluate=bowl)
    return folder


def test_the_lowest_place_of_a_bowl_is_found():
    found = search(change(generations=60), evaluate=bowl)
    assert np.allclose(found.best.values, LOWEST, rtol=2e-3)
    assert found.best.cost < 1e-6 < found.start.cost
    assert found.start.values == (9.8, 0.15, 9.0), "the scene's own numbers"


def test_one_parameter_is_enough():
    one = change(parameters=BOWL["parameters"][:1], generations=40)
    assert search(one, evaluate=bowl).best.values[0] == pytest.approx(4.0, abs=0.01)


def test_a_lowest_place_at_the_end_of_a_range_is_found():
    def slope(plan, values, run):
        return Outcome(values[0] - 30 * values[1], {})

    found = search(change(generations=40), evaluate=slope)
    assert found.best.values[:2] == pytest.approx((0.0, 1.0), abs=0.02)
    assert all(0 <= trial.values[0] <= 20 for trial in found.trials)


def test_a_search_is_decided_by_its_seed_alone(whole, tmp_path):
    before = np.random.get_state()[1].copy()  # noqa: NPY002  pycma would use it
    tune(load_plan(BOWL), tmp_path / "again", evaluate=bowl)
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002
    assert read_files(tmp_path / "again") == read_files(whole)
    other = search(change(seed=8), evaluate=bowl)
    assert other.generations[1].trials[0].values != search_lines(whole)[1]["trials"][0]["values"]


def search_lines(folder):
    return [json.loads(line) for line in (folder / "history.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("kept", range(6))
def test_cut_after_any_generation_it_goes_on_to_the_same_bytes(whole, tmp_path, kept):
    folder = tmp_path / "cut"
    folder.mkdir()
    lines = (whole / "history.jsonl").read_bytes().splitlines(keepends=True)
    torn = lines[kept][: len(lines[kept]) // 2]  # of the generation that was being written
    (folder / "history.jsonl").write_bytes(b"".join(lines[:kept]) + torn)
    (folder / "plan.json").write_bytes((whole / "plan.json").read_bytes())
    made = []

    def count(plan, values, run):
        made.append(values)
        return bowl(plan, values, run)

    tune(load_plan(BOWL), folder, evaluate=count)
    assert read_files(folder) == read_files(whole)
    assert len(made) == (6 - kept) * 6 - (5 if kept == 0 else 0), "nothing is tried twice"


def test_stopped_within_a_generation_it_goes_on_to_the_same_bytes(whole, tmp_path):
    calls = []

    def stop(plan, values, run):
        calls.append(values)
        if len(calls) == 10:
            raise KeyboardInterrupt
        return bowl(plan, values, run)

    with pytest.raises(KeyboardInterrupt):
        tune(load_plan(BOWL), tmp_path / "s", evaluate=stop)
    assert len(search_lines(tmp_path / "s")) == 2
    assert load_scene(tmp_path / "s" / "best.yaml").name == "best", "the best so far is there"
    tune(load_plan(BOWL), tmp_path / "s", evaluate=bowl)
    assert read_files(tmp_path / "s") == read_files(whole)


def test_two_processes_give_the_same_bytes(whole, tmp_path):
    tune(load_plan(BOWL), tmp_path / "two", jobs=2, evaluate=bowl)
    assert read_files(tmp_path / "two") == read_files(whole)


def test_a_longer_search_goes_on_from_a_shorter_one(whole, tmp_path):
    tune(change(generations=2), tmp_path / "s", evaluate=bowl)
    tune(load_plan(BOWL), tmp_path / "s", evaluate=bowl)
    assert read_files(tmp_path / "s") == read_files(whole)
    with pytest.raises(UserError, match="holds 5 generations already; valid: at least so many"):
        tune(change(generations=4), tmp_path / "s", evaluate=bowl)


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"sigma": 0.1}, "another sigma;"),
        ({"seed": 1, "population": 8}, "another population, seed;"),
        ({"set": {"time_step": 0.001}}, "another set, scene;"),
    ],
)
def test_another_study_is_refused(whole, fields, what):
    before = read_files(whole)
    with pytest.raises(UserError, match=what):
        tune(change(**fields), whole, evaluate=bowl)
    assert read_files(whole) == before


def test_folders_that_hold_something_else_are_refused(tmp_path):
    plan = load_plan(BOWL)
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="holds something else; valid: a new directory"):
        tune(plan, tmp_path, evaluate=bowl)
    with pytest.raises(UserError, match="is a file"):
        tune(plan, tmp_path / "file", evaluate=bowl)
    (tmp_path / "busy").mkdir()
    lock = lock_folder(tmp_path / "busy")
    with pytest.raises(UserError, match="is being written by another search"):
        tune(plan, tmp_path / "busy", evaluate=bowl)
    unlock_folder(lock)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (b'"generation": 2', b'"generation": 3', "line 3 is not generation 2 of a search"),
        (b'{"generation": 1', b'["generation": 1', "line 2 is not generation 1 of a search"),
        (b'"values": [9.8', b'"values": [9.9', "generation 0 of the directory has other values"),
    ],
)
def test_a_changed_history_is_refused(whole, tmp_path, old, new, told):
    for name in FILES:
        (tmp_path / name).write_bytes((whole / name).read_bytes())
    history = tmp_path / "history.jsonl"
    assert old in history.read_bytes()
    history.write_bytes(history.read_bytes().replace(old, new, 1))
    with pytest.raises(UserError, match=told):
        tune(load_plan(BOWL), tmp_path, evaluate=bowl)


def test_a_scene_that_changes_meanwhile_ends_the_search(tmp_path):
    scene = tmp_path / "scene.yaml"
    text = "title: t\nseconds: 1\nterrain: [{shape: plane}]\ncreatures: [{species: cube}]\n"
    scene.write_text(text)
    fields = {"parameters": [{"path": "gravity", "range": [0, 2000]}]}
    plan = change(scene=str(scene), **fields)

    def edit(plan, values, run):
        scene.write_text(text.replace("plane", "plane, friction: 0.1"))
        return Outcome(1.0)

    with pytest.raises(UserError, match="has changed during the search"):
        tune(plan, tmp_path / "s", evaluate=edit)
    assert not (tmp_path / "s" / "history.jsonl").exists()


def test_what_was_found_is_a_scene(whole):
    best = min((t for g in search_lines(whole) for t in g["trials"]), key=lambda t: t["cost"])
    scene = load_scene(whole / "best.yaml")
    assert scene.spec.gravity == best["values"][0]
    assert scene.spec.terrain[0].friction == best["values"][1]
    assert scene.spec.creatures[0].at == (2.5, best["values"][2], 0.0)
    assert scene.spec.seconds == 0.1
    assert "tune study, seed 7: generation" in scene.spec.source
    assert scene.spec.source.startswith("Fang, Jiang and Terzopoulos 2013, figure 4. Found by")
    again = load_plan(whole / "study.yaml")
    assert again.describe() == load_plan(BOWL).describe()


def test_numbers_may_be_tied(tmp_path):
    plan = change(
        parameters=[
            {
                "path": "creatures.0.with.material.young",
                "range": [100, 1000],
                "also": ["creatures.0.at.0", {"path": "creatures[0].at[2]", "factor": -0.5}],
            }
        ],
        scene="jelly_drop",
        objective=[{"measure": "soft.speed", "goal": "larger"}],
    )
    assert plan.start == (100.0,), "what the scene has below `with`"
    scene = plan.load((240.0,))
    assert scene.species[0].material.young == 240.0
    assert scene.spec.creatures[0].at == (240.0, 2.8, -120.0)
    assert plan.measures == ["soft.speed"]


def test_numbers_of_the_scene_may_be_shifted_or_scaled():
    place = {"path": "creatures.0.at.0", "range": [-5, 5], "apply": "add"}
    stiff = {"path": "creatures.0.with.material.young", "range": [0.1, 10], "apply": "multiply"}
    plan = change(
        parameters=[
            {**place, "also": ["creatures.1.at.0", {"path": "creatures.2.at.0", "factor": -2}]},
            {**stiff, "scale": "log", "also": ["creatures.1.with.material.young"]},
        ],
        scene="jelly_drop",  # at -4.4, -2.2 and 0 cm; of 100 and 300 dyn/cm²
    )
    assert plan.start == (0.0, 1.0)
    before, same = load_scene("jelly_drop"), plan.load(plan.start)
    assert same.spec.creatures[2].at == before.spec.creatures[2].at
    assert same.species == before.species
    scene = plan.load((1.5, 0.5))
    assert [one.at[0] for one in scene.spec.creatures[:3]] == [-2.9, -0.7, -3.0]
    assert [one.material.young for one in scene.species[:2]] == [50.0, 150.0]


def test_the_number_of_a_species_is_where_it_starts():
    plan = change(parameters=[{"path": "creatures.0.with.material.young", "range": [1, 1e5]}])
    assert plan.start == (load_scene("falling_chain").species[0].material.young,)


def test_measures_of_parts_are_known():
    """Which parts there are only a recording tells."""
    first = [{"measure": "load_share_1", "goal": "value", "value": 0.3}]
    fields = {"scene": "roach_tripod", "parameters": BOWL["parameters"][1:2]}
    plan = change(objective=first, **fields)
    assert plan.measures == ["roach.load_share_1"]
    assert compare(plan, *search(plan, evaluate=bowl).generations[0].trials * 2) == {
        "roach.load_share_1": {"start": None, "best": None, "unit": "1"}
    }
    with pytest.raises(UserError, match=r"no measure 'roach.load_share_'.*load_share_PART"):
        change(objective=[{"measure": "load_share_", "goal": "larger"}], **fields)


def test_costs_by_hand():
    plan = change(
        objective=[
            {"measure": "speed", "goal": "larger", "weight": 2, "scale": 4},
            {"measure": "distance", "goal": "smaller", "scale": 10},
            {"measure": "duration", "goal": "value", "value": 3, "weight": 5},
        ],
        limits=[{"measure": "speed", "least": 1, "most": 6, "weight": 100, "scale": 2}],
    )
    assert plan.measures == ["chain.speed", "chain.distance", "duration"]
    measures = {"chain.speed": 8.0, "chain.distance": 5.0, "duration": 2.5}
    # -2 · 8/4 + 5/10 + 5 · 0.5 + 100 · (8 - 6)/2
    assert find_cost(plan, measures) == pytest.approx(-4 + 0.5 + 2.5 + 100)
    assert find_cost(plan, {**measures, "chain.speed": 0.5}) == pytest.approx(-0.25 + 3 + 25)
    assert find_cost(plan, {**measures, "chain.speed": 4.0}) == pytest.approx(-2 + 3)


def test_a_trial_is_the_mean_of_its_runs():
    runs = [Outcome(1.0, {"a": 2.0}), Outcome(2.0, {"a": 4.0}), Outcome(9.0, {}, "it fell")]
    trial = join_runs((1.0,), runs)
    assert trial.cost == 4.0 and trial.measures == {"a": 3.0} and trial.failure == "it fell"


def test_every_variant_is_run_with_every_seed():
    made = []

    def note(plan, values, run):
        variant, seed = plan.runs[run]
        made.append((plan.load(values, variant).spec.terrain[0].friction, seed))
        return bowl(plan, values, run)

    plan = change(
        variants=[{"terrain.0.friction": 0.3}, {"terrain.0.friction": 0.6}],
        seeds=[3, 5],
        generations=1,
        parameters=BOWL["parameters"][:1],
    )
    seen = []
    search(plan, evaluate=note, tell=lambda done, total: seen.append((done, total)))
    assert made[:4] == [(0.3, 3), (0.3, 5), (0.6, 3), (0.6, 5)]
    assert seen == [(k, 28) for k in range(29)], "seven trials of four runs"


class Falling(FakeWorld):
    """Breaks at its third frame."""

    fails_at = 3


@pytest.mark.parametrize(("kind", "share"), [(Falling, 0.5), (FakeWorld, 1.0)])
def test_how_far_a_run_came_is_told(tmp_path, kind, share):
    world = kind(load_plan(BOWL).load((9.8, 0.02, 9.0)))  # 6 frames
    reached, failure = record(world, tmp_path / "r", 0.04)
    assert reached == share
    assert failure == ("" if share == 1 else "chain: flew apart at 0.1 s; try a shorter time_step")
    if share == 1:
        assert Recording.open(tmp_path / "r").time == pytest.approx([3 / 60, 4 / 60, 5 / 60, 0.1])


def test_values_that_make_no_scene_are_a_bad_trial_and_no_end():
    plan = change(set={"gravity": 5.0})
    bad = attempt(plan, (1e9, 0.1, 9.0), 0)
    assert bad.cost == 2000.0 and bad.measures == {}
    assert "gravity" in bad.failure and "must be a number from" in bad.failure


THROW = {
    "title": "the cube that comes back",
    "scene": {
        "title": "a cube is thrown",
        "creatures": [{"species": "cube", "velocity": [3.0, 5.0, 0.0]}],
    },
    "seconds": 0.1,
    "parameters": [
        {"path": "creatures.0.velocity.0", "range": [-10, 10]},
        {"path": "creatures.0.velocity.1", "range": [-100, 100]},
    ],
    "objective": [{"measure": "distance", "goal": "smaller"}],
    "population": 4,
    "generations": 2,
}


def test_a_scene_is_run_measured_and_bettered(tmp_path):
    """In free flight a body goes v t + g t²/2, whatever it is made of."""
    plan = load_plan(THROW)
    found = tune(plan, tmp_path / "s", jobs=1)
    assert len(found.trials) == 9 and found.best.cost < found.start.cost
    for trial in found.trials:
        x, y = trial.values[0] * 0.1, trial.values[1] * 0.1 - 981 * 0.1**2 / 2
        assert trial.measures["cube.distance"] == pytest.approx(math.hypot(x, y), rel=0.01)
        assert trial.cost == trial.measures["cube.distance"] and not trial.failure
    best = load_scene(tmp_path / "s" / "best.yaml")
    assert best.spec.creatures[0].velocity[:2] == found.best.values


def test_a_run_that_does_not_tell_is_a_failure():
    plan = load_plan(THROW)
    other = replace(plan, spec=plan.spec.model_copy(update={"creature": "nobody"}))
    told = attempt(other, plan.start, 0)
    assert told.cost == 1000.0 and told.failure == "the run does not tell nobody.distance"
