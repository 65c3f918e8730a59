"""A worm in a world: it moves, is recorded, restored and told what to do; mistakes are refused."""

import numpy as np
import pytest
import yaml

from skitter.cli import main
from skitter.creatures.worm.anatomy import MUSCLES
from skitter.errors import UserError
from skitter.events import Poke, Release, SetGravity, SetParameter, Steer
from skitter.record import Recording
from skitter.world import World
from trees import read_tree

COARSE = {"slabs": 16, "around": 8}
DRIVES = {"mode": {}, "wave": {"drive": "wave"}, "reflex": {"drive": "reflex"}}
PLANE = {"shape": "plane", "friction": 1.0}
BUMPS = [
    {"shape": "heightfield", "hills": [{"at": [0.03, 0.01], "height": 0.01, "width": 0.02}]},
    {"shape": "box", "at": [-0.02, 0, 0], "size": [0.01, 0.012, 0.05]},
    {"shape": "sphere", "at": [0.02, 0, 0.004], "radius": 0.006},
]


def place(name="worm", drive="mode", *, placement=None, **changes) -> dict:
    crawl = {"crawl": DRIVES[drive]} if DRIVES[drive] else {}
    own = {"body": COARSE, **crawl, **changes}
    return {"species": "c_elegans", "name": name, "with": own, **(placement or {})}


def scene(*creatures, **fields) -> dict:
    return {
        "title": "t", "frame_rate": 50, "time_step": 0.02, "seconds": 0.4, "terrain": [PLANE],
        "creatures": list(creatures), **fields,
    }  # fmt: skip


def build(*creatures, threads=2, **fields) -> World:
    return World.from_scene(scene(*(creatures or (place(),)), **fields), threads=threads)


def same(one: dict, other: dict) -> bool:
    return one.keys() == other.keys() and all(
        np.asarray(one[key]).tobytes() == np.asarray(other[key]).tobytes() for key in one
    )


def is_finite(world: World) -> bool:
    return all(np.isfinite(value).all() for value in world.read().values())


@pytest.mark.parametrize("drive", DRIVES)
def test_runs_without_momentum_of_its_own(drive):
    """Every frame: numbers, no net force or torque inside, and a body near the ground."""
    world = build(place(drive=drive))
    moved = 0.0
    start = world.creatures[0].body.mesh.nodes
    for _ in range(60):
        world.advance()
        row = world.read()
        assert is_finite(world)
        assert float(row["worm.internal_force"]) < 1e-10
        assert float(row["worm.internal_torque"]) < 1e-10
        height = row["worm.node_position"][:, 1]
        assert -0.004 < height.min() < 0.004
        moved = max(moved, float(row["worm.energy_elastic"]))
        length = np.linalg.norm(np.diff(row["worm.midline"], axis=0), axis=1).sum()
        assert 0.06 < length < 0.13
    assert moved > 1e-5  # it does bend
    assert start.shape == row["worm.node_position"].shape
    active = row["worm.muscle_activation"]
    assert active.shape == (95,)
    assert (active.max() > 0.05) == (drive != "mode")
    assert ((active >= 0) & (active <= 1)).all()


def test_channels_and_statics_are_those_of_a_worm():
    world = build()
    world.advance()
    row, statics = world.read(), {one.name: one for one in world.statics()}
    for channel in world.channels():
        assert row[channel.name].shape == channel.shape, channel.name
    assert len({one.name for one in world.channels()}) == len(row)
    tets, rest = statics["worm.tets"].values, statics["worm.rest_position"].values
    assert rest.shape == row["worm.node_position"].shape
    assert tets.max() == len(rest) - 1
    assert statics["worm.tet_region"].values.shape == (len(tets),)
    assert statics["worm.muscle_region"].values.shape == (95,) == (len(MUSCLES),)
    assert float(statics["worm.body_length"].values) == pytest.approx(0.1, rel=1e-6)
    assert row["worm.midline"].shape == (49, 3)
    assert row["worm.midline"][0, 0] > row["worm.midline"][-1, 0] + 0.08  # head first, at +x
    np.testing.assert_allclose(world.creatures[0].position, row["worm.midline"][0])


@pytest.mark.parametrize("drive", DRIVES)
@pytest.mark.parametrize("at", [1, 5, 10])
def test_state_goes_on_to_the_last_bit(drive, at):
    world, fresh = build(place(drive=drive)), build(place(drive=drive))
    world.advance(at / 50)
    kept = world.state()
    world.advance(10 / 50)
    fresh.restore(kept)
    assert same(fresh.state(), kept)
    fresh.advance(10 / 50)
    assert same(fresh.state(), world.state())
    assert same(fresh.read(), world.read())


@pytest.mark.parametrize("alpha", [15, 40])
def test_state_of_a_hard_drive_goes_on_to_the_last_bit(alpha):
    """Where the exact stiffness fails, and where steps are divided."""
    hard = place(crawl={"alpha": alpha})
    world = build(hard)
    for _ in range(12):
        kept = world.state()
        world.advance()
        fresh = build(hard)
        fresh.restore(kept)
        fresh.advance()
        assert same(fresh.state(), world.state())
        assert is_finite(world)


@pytest.mark.parametrize("drive", ["mode", "wave"])
def test_threads_and_repetition_change_nothing(drive):
    both = place("a", drive), place("b", drive, placement={"at": [0, 0, 0.05]})
    ends = []
    for threads in (1, 2, 2):
        world = build(*both, threads=threads)
        world.advance(0.3)
        ends.append(world.state())
    assert same(ends[0], ends[1])
    assert same(ends[1], ends[2])


def test_resumed_recording_equals_a_whole_one(tmp_path):
    (tmp_path / "worm.yaml").write_text(yaml.safe_dump(scene(place())))
    file = str(tmp_path / "worm.yaml")
    assert main(["run", file, "-o", str(tmp_path / "whole")]) == 0
    assert main(["run", file, "--seconds", "0.14", "-o", str(tmp_path / "parts")]) == 0
    assert main(["run", file, "--resume", "-o", str(tmp_path / "parts")]) == 0
    assert read_tree(tmp_path / "whole") == read_tree(tmp_path / "parts")
    recording = Recording.open(tmp_path / "whole")
    assert recording["worm.midline"].shape == (21, 49, 3)
    assert recording["worm.internal_force"][:].max() < 1e-10
    assert recording["worm.internal_torque"][:].max() < 1e-10


# --- what it is told ----------------------------------------------------------------------------


def crawl_of(world: World) -> np.ndarray:
    """Activation [frame, muscle] of a second."""
    found = []
    for _ in range(50):
        world.advance()
        found.append(world.read()["worm.muscle_activation"].copy())
    return np.array(found)


@pytest.mark.parametrize("speed", [-0.02, 0.0, 0.02])
def test_commands_lead_it_forward_and_backward(speed):
    """The wave of activity goes from head to tail, from tail to head, or rests."""
    commands = [{"time": 0.0, "speed": speed}]
    world = build(place(drive="wave", placement={"commands": commands}))
    world.advance(1.0)
    first = world.read()["worm.drive_phase"]
    world.advance(0.5)
    assert np.sign(world.read()["worm.drive_phase"] - first) == np.sign(speed)
    assert is_finite(world)


@pytest.mark.parametrize("turn", [40.0, -40.0])
def test_turn_bends_it_to_one_side(turn):
    """To the left, where its ventral side is, by muscles of that side."""
    commands = [{"time": 0.0, "speed": 0.02, "turn_deg": turn}]
    world = build(place(drive="wave", placement={"commands": commands}))
    plain = build(place(drive="wave"))
    names = np.array([one.side for one in MUSCLES])
    more = (crawl_of(world) - crawl_of(plain)).mean(axis=0)
    left = more[names == "ventral"].mean() - more[names == "dorsal"].mean()
    assert left * np.sign(turn) > 0.01


def test_steered_and_let_go():
    world = build(place(drive="wave"))
    world.apply(Steer("worm", -0.02, 0.3))
    assert world.creatures[0].led.tolist() == [-1.0, pytest.approx(-0.6)]
    world.advance(0.1)
    kept = world.state()
    world.apply(Release("worm"))
    world.advance(0.1)
    assert world.creatures[0].led.tolist() == [1.0, 0.0]
    world.restore(kept)
    assert world.creatures[0].led.tolist() == [-1.0, pytest.approx(-0.6)]
    world.advance(0.02)
    assert world.creatures[0].led[0] == -1.0  # still steered


@pytest.mark.parametrize("drive", DRIVES)
def test_all_its_numbers_can_be_set(drive):
    world = build(place(drive=drive))
    one = world.creatures[0]
    assert {"grip.forward", "grip.backward", "grip.across", "medium.along"} <= set(one.numbers)
    world.advance(0.06)
    for path in one.numbers:
        group, key = path.split(".")
        value = 0.9 * getattr(getattr(one.species, group), key) + 0.01
        world.apply(SetParameter("worm", path, value))
        assert getattr(getattr(one.species, group), key) == pytest.approx(value)
        world.advance()
    assert is_finite(world)
    kept, fresh = world.state(), build(place(drive=drive))
    fresh.restore(kept)  # with the numbers that it had
    world.advance(0.1)
    fresh.advance(0.1)
    assert same(world.state(), fresh.state())


def test_friction_set_while_it_lies_is_felt():
    slope = {"shape": "plane", "normal": [0.3, 1, 0], "friction": 1.0}  # falls towards its head
    world = build(
        place(crawl={"alpha": 0}, grip={"forward": 1.0, "film": 0.0},
              placement={"turn_deg": [0, 0, -16.7]}), terrain=[slope],
    )  # fmt: skip
    world.advance(0.2)
    start = world.creatures[0].centre
    world.advance(0.2)
    held = np.linalg.norm(world.creatures[0].centre - start)
    world.apply(SetParameter("worm", "grip.forward", 0.01))
    world.advance(0.2)
    assert np.linalg.norm(world.creatures[0].centre - start) > 20 * held + 0.01


def test_number_that_it_has_not_is_refused():
    world = build(place(drive="wave"))
    with pytest.raises(UserError, match=r"'crawl\.alpha' cannot be set"):
        world.apply(SetParameter("worm", "crawl.alpha", 1))
    with pytest.raises(UserError, match="must be a number"):
        world.apply(SetParameter("worm", "grip.forward", -1))


def test_poke_moves_it_where_it_is_touched():
    world, other = build(), build()
    for one in (world, other):
        one.advance(0.04)
    head = world.creatures[0].position
    world.apply(Poke("worm", tuple(head.tolist()), (0.0, 0.0, 5.0)))
    v = world.creatures[0].motion.v - other.creatures[0].motion.v
    near = np.linalg.norm(world.creatures[0].motion.x - head, axis=1)
    assert v[near.argmin(), 2] == pytest.approx(5.0, rel=0.01)
    assert np.abs(v[near > 0.05]).max() < 0.05
    for one in (world, other):
        one.advance(0.1)
    assert is_finite(world)
    assert not same(world.read(), other.read())


def test_gravity_can_be_turned_around():
    world = build(place(crawl={"alpha": 0}, grip={"film": 0.0}))
    world.advance(0.1)
    low = world.creatures[0].centre[1]
    world.apply(SetGravity(-981.0))
    world.advance(0.1)
    assert world.creatures[0].centre[1] > low + 0.001  # it rises
    world.apply(SetGravity(981.0))
    world.advance(0.5)
    assert world.creatures[0].centre[1] == pytest.approx(low, abs=0.001)
    assert is_finite(world)


# --- where it is, and with whom ----------------------------------------------------------------


@pytest.mark.parametrize("turn", [(0, 0, 0), (0, 0, 90), (40, 30, 20)])
def test_falls_onto_uneven_ground(turn):
    placement = {"at": [0, 0.12, 0], "turn_deg": list(turn), "start": "free"}
    world = build(place(drive="wave", placement=placement), terrain=BUMPS)
    for _ in range(40):
        world.advance()
        assert is_finite(world)
    gap = world.terrain.sample(world.creatures[0].motion.x)[0]
    assert gap.min() > -0.002  # on the ground, not in it
    assert gap.min() < 0.002
    assert float(world.read()["worm.internal_force"]) < 1e-10


def test_starts_on_the_ground_wherever_that_is():
    for height in (-0.3, 0.0, 0.7):
        terrain = [{"shape": "plane", "at": [0, height, 0]}]
        world = build(place(crawl={"alpha": 0}, placement={"at": [0, 0.1, 0]}), terrain=terrain)
        lowest = world.creatures[0].motion.x[:, 1].min()
        assert lowest == pytest.approx(height, abs=1e-5)
        world.advance(0.2)
        # a body of eight sides lies on one of them, as deep as a round one would
        assert world.creatures[0].motion.x[:, 1].min() == pytest.approx(height, abs=8e-4)


def test_two_worms_far_apart_do_not_know_of_each_other():
    both = build(place("a"), place("b", placement={"at": [0.0, 0, 0.3]}))
    alone = build(place("a"))
    both.advance(0.3)
    alone.advance(0.3)
    ours, theirs = both.read(), alone.read()
    assert all(np.array_equal(ours[key], theirs[key]) for key in theirs)
    moved = ours["b.midline"] - [0, 0, 0.3]
    np.testing.assert_allclose(moved, ours["a.midline"], atol=2e-4)


def test_worm_and_walker_share_a_world():
    legs = {"species": "pauropod", "name": "legs", "at": [5, 0, 5]}
    shared = {"title": "t", "terrain": [PLANE], "frame_rate": 50}
    world = World.from_scene({**shared, "creatures": [place(), legs]}, threads=2)
    start = world.read()["legs.body_position"][0].copy()
    world.advance(0.1)
    assert is_finite(world)
    assert not np.array_equal(world.read()["legs.body_position"][0], start)
    alone = World.from_scene({**shared, "creatures": [place()]})
    alone.advance(0.1)
    assert np.array_equal(world.read()["worm.midline"], alone.read()["worm.midline"])


# --- mistakes ----------------------------------------------------------------------------------

MISTAKES = [
    ({"body": {"radius": 0.03}}, "radius of more than a quarter of its length"),
    ({"body": {"around": 10}}, "creatures[0].with.body.around"),
    ({"body": {"around": 4}}, "creatures[0].with.body.around"),
    ({"body": {"slabs": 2}}, "creatures[0].with.body.slabs"),
    ({"body": {"file": "nowhere.msh"}}, "nowhere.msh"),
    ({"crawl": {"drive": "legs"}}, "crawl.drive must be one of mode, wave, reflex; found"),
    ({"crawl": {"drive": "wave", "alpha": 3}}, "crawl.alpha is not a known key"),
    ({"crawl": {"alpha": -1}}, "crawl.alpha must be a number from 0 to 100; found -1"),
    ({"crawl": {"mode": 0}}, "crawl.mode"),
    ({"crawl": "fast"}, "crawl must be a mapping"),
    ({"grip": {"forward": -0.1}}, "grip.forward"),
    ({"tissues": {"muscle": {"poisson": 0.5}}}, "tissues.muscle.poisson"),
    ({"solver": "lu"}, "solver must be one of cholesky, cg; found"),
    ({"length": 3}, "length is not a known key"),
]


@pytest.mark.parametrize(("wrong", "line"), MISTAKES)
def test_mistake_is_told_in_one_line(wrong, line):
    with pytest.raises(UserError) as error:
        build({"species": "c_elegans", "with": wrong})
    assert line in str(error.value)
    assert "\n" not in str(error.value)


def test_only_worms_go_backward():
    back = {"commands": [{"time": 0, "speed": 1}, {"time": 1, "speed": -1}]}
    with pytest.raises(UserError) as error:
        build({"species": "pauropod", **back})
    assert "creatures[0].commands[1].speed must be a number from 0 to 10,000" in str(error.value)


@pytest.mark.parametrize("drive", ["wave", "mode"])
def test_either_solver_moves_it_alike(drive):
    """Of a radius of 0.004 cm; the mode's forces are beyond what the exact stiffness bears."""
    world, other = build(place(drive=drive, solver="cg")), build(place(drive=drive))
    for _ in range(4):
        world.advance()
        other.advance()
        away = np.abs(world.read()["worm.midline"] - other.read()["worm.midline"]).max()
        assert 0 < away < (1e-8 if drive == "wave" else 1e-3)
