"""Bodies of links meet everybody: how they answer, what impulses do to them, and who overlaps whom.

An overlap counts by half the width of the smaller body, in obstacles by the radius of the shape
itself: a tenth of it. Places and directions are drawn from seeds that nobody has tuned for.
"""

import numpy as np
import pytest

from link_worlds import EXACT, build_links, make_box
from motions import find_figure_motion
from skitter.creatures.creature import Touched
from skitter.meeting.shapes import AXES, CENTRE, HALF, RADIUS
from skitter.rigid.tree.pushing import PUSH_FORCE
from skitter.rigid.tree.steps import build_room, find_gain
from skitter.terrain.surface import sample
from skitter.world import World
from skitter.world.meeting import Meetings

SEEDS = (1001, 1002, 1003)
LONGEST = 6  # frames of 1/60 s, that an overlap may be too deep
STILL = [{"time": 0, "speed": 0}]


# --- how a tree answers


def touch(one, part, point) -> Touched:
    """What a meeting asks of points of some parts."""
    many = len(part)
    return Touched(
        np.array(part), np.array(point, float), np.tile([0.0, 1.0, 0.0], (many, 1)),
        np.zeros((many, 3)), np.zeros((3 * many, 3 * many)), np.zeros((many, 3)),
    )  # fmt: skip


def ask(world, part, point, seconds) -> Touched:
    """What the first creature of a world answers at the start of a frame."""
    one = world.creatures[0]
    one.start_frame(world.look_around())
    touched = touch(one, part, point)
    one.find_motors(touched.part, seconds)
    one.answer(touched)
    return touched


def test_a_free_box_answers_as_a_rigid_body_does():
    """v = p/m + (K (r x p)) x r', with K the inverse inertia of 1 x 0.5 x 0.8 cm and 0.4 g."""
    place, spin = np.array([2.0, 3.0, 1.0]), [40.0, -70.0, 20.0]
    world = build_links(
        (make_box(), {"at": place.tolist(), "velocity": [5, 1, 2], "spin_deg": spin}),
        terrain=[], gravity=0,
    )  # fmt: skip
    arms = np.array([[0.4, 0.2, 0.1], [-0.3, 0.1, 0.35]])
    touched = ask(world, [0, 0], place + arms, 1 / 300)
    edges = np.array([1.0, 0.5, 0.8])
    inverse = np.diag(12 / 0.4 / ((edges**2).sum() - edges**2))
    cross = [np.cross(np.eye(3), -arm) for arm in arms]  # [r x]
    for i in range(2):
        for j in range(2):
            true = np.eye(3) / 0.4 - cross[i] @ inverse @ cross[j]
            block = touched.response[3 * i : 3 * i + 3, 3 * j : 3 * j + 3]
            assert block == pytest.approx(true, rel=1e-9, abs=1e-9)


def find_velocities(one, v, link, point) -> np.ndarray:
    """Velocities of points of links [n, 3] where the joints move at v, by differences."""
    q, small = one.body_state.q, 1e-6
    place, axes = one.tree.place_links(q)
    local = np.einsum("nji,nj->ni", axes[link], point - place[link])
    ends = []
    for sign in (-1, 1):
        place, axes = one.tree.place_links(one.tree.integrate(q, v, sign * small))
        ends.append(place[link] + np.einsum("nij,nj->ni", axes[link], local))
    return (ends[1] - ends[0]) / (2 * small)


@pytest.mark.parametrize("seconds", [1 / 300, 1 / 600])
def test_a_roach_answers_as_its_implicit_step_does(seconds):
    """Under way on the ground: velocities after a step with an impulse less those without, at all
    touched points, are the response times the impulse."""
    world = build_links(("roach", {"start": "stand"}))
    world.advance(0.4)
    one, rng = world.creatures[0], np.random.default_rng(1001)
    part = np.array([0, 1, 5, 10, 17, 17])
    row = one.show_shapes().row[part]
    point = row[:, CENTRE : CENTRE + 3] + rng.uniform(-0.1, 0.1, (len(part), 3))
    touched = ask(world, part, point, seconds)
    assert touched.response == pytest.approx(touched.response.T, rel=1e-9, abs=1e-9)
    touched.impulse[:] = rng.normal(0, 1, (len(part), 3))
    one.take_impulses(touched, seconds)
    pushes, state = one.pushes, one.body_state
    pushes[:, PUSH_FORCE : PUSH_FORCE + 3] /= seconds
    room = build_room(one.system, len(state.q), len(state.v))
    after = []
    for some in (pushes[:0], pushes):
        outside = one.outside._replace(pushes=some)
        find_gain(one.system, outside, state, 0.0, seconds, seconds, room, one.felt)
        v = state.v + seconds * room.gain
        after.append(find_velocities(one, v, one.plan.body_link[part], point))
    assert touched.velocity == pytest.approx(after[0], rel=1e-4, abs=1e-4)
    change = (touched.response @ touched.impulse.ravel()).reshape(-1, 3)
    assert after[1] - after[0] == pytest.approx(change, rel=1e-4, abs=1e-4 * abs(change).max())


def test_stiff_legs_answer_less_than_free_ones():
    """A foot that stands on sticky ground gives way less than the same foot in the air."""
    response = []
    for height in (0.0, 5.0):
        sticky = {"contact": {"sticky": {"on": True}}}
        world = build_links(("roach", {"start": "stand", "commands": STILL, "with": sticky}))
        world.advance(0.3)
        one = world.creatures[0]
        one.body_state.stuck[:] *= height == 0.0
        one.body_state.q[1] += height
        foot = int(one.plan.foot_body[0])
        point = one.show_shapes().row[[foot], CENTRE : CENTRE + 3]
        response.append(np.linalg.eigvalsh(ask(world, [foot], point, 1 / 300).response))
    assert response[0][-1] < 0.5 * response[1][-1]


# --- what impulses do


@pytest.mark.parametrize("method", ["implicit", "runge_kutta"])
@pytest.mark.parametrize("parts", [5, 7, 10])
def test_an_impulse_arrives_whole_and_at_its_point(method, parts):
    """A spinning roach in the air is pushed at a leg and at its thorax, for one part of a frame."""
    solver = {**EXACT, "method": method} if method == "runge_kutta" else {}
    placement = {"at": [1, 5, 2], "velocity": [20, 3, 1], "spin_deg": [200, 100, -150],
                 "commands": STILL, "with": {"solver": solver}}  # fmt: skip
    world = build_links(("roach", placement), terrain=[], gravity=0)
    one, around = world.creatures[0], world.look_around()
    one.start_frame(around)
    rows = one.show_shapes().row[[0, 9]]
    touched = touch(one, [0, 9], rows[:, CENTRE : CENTRE + 3] + [[0.3, 0.2, 0.1], [0, 0.02, 0]])
    touched.impulse[:] = [[-12, 3, 5], [0.2, 0.4, -0.3]]
    first = one.tree.momentum(one.body_state.q, one.body_state.v)
    one.take_impulses(touched, around.seconds / parts)
    one.advance_part(around, 0, parts)
    last = one.tree.momentum(one.body_state.q, one.body_state.v)
    near = 1e-12 if method == "implicit" else 1e-8
    size = np.linalg.norm(first[0])
    assert last[0] - first[0] == pytest.approx(touched.impulse.sum(axis=0), abs=near * size)
    turned = np.cross(touched.point, touched.impulse).sum(axis=0)
    assert last[1] - first[1] == pytest.approx(turned, abs=10 * near * size)


@pytest.mark.parametrize("parts", [5, 7, 10])
def test_parts_of_a_frame_change_nothing_where_nobody_is_touched(parts):
    """To the last bit, also where they do not end with an interval of the gait."""
    states = []
    for many in (1, parts):
        world = build_links(("roach", {"start": "stand"}))
        for _ in range(10):
            one, around = world.creatures[0], world.look_around()
            one.start_frame(around)
            for part in range(many):
                one.advance_part(around, part, many)
            world.frame += 1
        states.append(world.state())
    for key, value in states[0].items():
        assert value.tobytes() == states[1][key].tobytes(), key


# --- free flight


def find_motion(one) -> tuple[np.ndarray, np.ndarray, float]:
    """Momentum, angular momentum about the origin and kinetic energy of a creature."""
    if one.kind == "articulated":
        state = one.body_state
        return *one.tree.momentum(state.q, state.v), one.tree.kinetic_energy(state.q, state.v)
    return find_figure_motion(one)


def find_total(world) -> list:
    return [sum(each) for each in zip(*map(find_motion, world.creatures), strict=True)]


FLYING = {
    "cube": {"species": "cube", "at": [3.5, 5, 0.3]},
    "chain": {"species": "chain", "at": [4.5, 5, 0.3], "turn_deg": [0, 90, 0]},
    "centipede": {"species": "centipede18", "at": [4, 5, 0.3], "turn_deg": [0, 90, 0]},
    "roach": {"species": "roach", "at": [5, 5, 0.3], "turn_deg": [0, 90, 0],
              "velocity": [-10, 0, 0], "commands": STILL},
}  # fmt: skip


@pytest.mark.parametrize("other", FLYING)
def test_momentum_is_kept_across_a_meeting_in_the_air(other, monkeypatch):
    """In each part of a frame with contacts; kinetic energy never passes that of the start."""
    roach = {"species": "roach", "at": [0, 5, 0], "velocity": [30, 0, 0], "commands": STILL}
    creatures = [{"name": f"c{k}", "start": "free", **one} for k, one in
                 enumerate((roach, FLYING[other]))]  # fmt: skip
    scene = {"title": "t", "terrain": [], "gravity": 0, "precision": "float64",
             "creatures": creatures}  # fmt: skip
    world = World.from_scene(scene)
    find, parts = Meetings.find_contacts, []

    def note(*args) -> int:
        parts.append((find(*args), find_total(world)))
        return parts[-1][0]

    monkeypatch.setattr(Meetings, "find_contacts", note)
    start, met, other_start = find_total(world), 0, find_motion(world.creatures[1])[0]
    sizes = [np.linalg.norm(one) for one in start[:2]]
    for _ in range(16):
        parts.clear()
        world.advance()
        ends = [total for _, total in parts[1:]] + [find_total(world)]
        for (count, first), last in zip(parts, ends, strict=False):
            assert last[2] <= start[2] * (1 + 1e-4)
            if count:
                met += 1
                assert np.linalg.norm(last[0] - first[0]) < 1e-6 * sizes[0]
                assert np.linalg.norm(last[1] - first[1]) < 1e-4 * sizes[1]
    assert met > 3
    gained = find_motion(world.creatures[1])[0] - other_start
    assert np.linalg.norm(gained) > 2  # g cm/s: they have hit each other


# --- on the ground


def measure_overlaps(world) -> dict[str, float]:
    """How deep creatures are in each other, of a tenth of half the smaller one's width."""
    row = world.read()
    return {one.name: float(row[f"{one.name}.overlap"]) / 0.1 for one in world.creatures}


def measure_depths(world) -> dict[int, float]:
    """How deep shapes of the first creature are in obstacles, of a tenth of their radius."""
    share = np.stack(np.meshgrid(*[np.linspace(-1, 1, 7)] * 3), axis=-1).reshape(-1, 3)
    depths = {}
    for k, row in enumerate(world.creatures[0].show_shapes().row):
        turn = row[AXES : AXES + 9].reshape(3, 3)
        points = row[CENTRE : CENTRE + 3] + share * row[HALF : HALF + 3] @ turn.T
        far = min(sample(world.things.barrier.arrays, *point)[0] for point in points)
        depths[k] = (row[RADIUS] - far) / (0.1 * row[RADIUS])
    return depths


def watch(world, seconds, measure=measure_overlaps) -> tuple[int, float]:
    """For how many frames in a row somebody is too deep, and how fast anybody ever is."""
    running, longest, fastest = {}, 0, 0.0
    for _ in range(round(60 * seconds)):
        world.advance()
        deep = {key for key, depth in measure(world).items() if depth > 1}
        running = {key: running.get(key, 0) + 1 for key in deep}
        longest = max([longest, *running.values()])
        fastest = max(fastest, *(one.top_speed for one in world.creatures))
    return longest, fastest


def place(species, x, z, turn, speed, y=0.0) -> dict:
    return {"species": species, "at": [x, y, z], "turn_deg": [0, turn, 0],
            "commands": [{"time": 0, "speed": speed}]}  # fmt: skip


MEETINGS = {
    "flank of one that stands": (place("giant_centipede", 1.5, -4, 90, 0), -2.5),
    "flank of one that walks": (place("giant_centipede", 4, 4, 90, 8), 0.0),
    "head on": (place("giant_centipede", 6, 0, 180, 8), 0.0),
    "millipede": (place("millipede", 1, -2, 90, 3), -2.5),
    "roach head on": (place("roach", 5, 0, 180, 6, 1.0), 0.0),
    "roach from the side": (place("roach", 4, 0, 90, 0, 1.0), 0.0),
    "cube": ({"species": "cube", "at": [3, 0.5, 0], "turn_deg": [0, 30, 0]}, 0.0),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("other", MEETINGS)
def test_a_roach_overlaps_nobody_for_long(other, seed):
    """And nobody flies apart: legs are never faster than 300 cm/s."""
    rng = np.random.default_rng(seed)
    second, x = MEETINGS[other]
    second = second | {"at": [*second["at"][:2], second["at"][2] + rng.uniform(-0.5, 0.5)]}
    first = place("roach", x, 0, rng.uniform(-25, 25), 6, 1.0)
    creatures = [{"name": f"c{k}", **one} for k, one in enumerate((first, second))]
    scene = {"title": "t", "terrain": [{"shape": "plane"}], "creatures": creatures}
    longest, fastest = watch(World.from_scene(scene), 1.5)
    assert longest <= LONGEST
    assert fastest < 300


def test_a_centipede_that_walks_into_a_roach_is_stopped():
    first = place("roach", 6, 0, 90, 0, 1.0)
    creatures = [{"name": "c0", **first}, {"name": "c1", **place("giant_centipede", 0, 0, 0, 8)}]
    scene = {"title": "t", "terrain": [{"shape": "plane"}], "creatures": creatures}
    world = World.from_scene(scene)
    longest, _ = watch(world, 1.5)
    assert longest == 0
    assert world.creatures[1].position[0] < 6  # without, its head would be at 12 cm


OBSTACLES = {
    "box": {"shape": "box", "at": [4, 1, 0], "size": [2, 2, 40]},
    "sphere": {"shape": "sphere", "at": [4, 1, 0], "radius": 1.0},
    "small sphere": {"shape": "sphere", "at": [3, 0.6, 0], "radius": 0.3},
    "cylinder": {"shape": "cylinder", "at": [4, 1, 0], "radius": 0.6, "length": 3},
    "thin post": {"shape": "cylinder", "at": [3, 1, 0], "radius": 0.1, "length": 3},
}


@pytest.mark.parametrize("name", OBSTACLES)
def test_a_roach_stays_out_of_obstacles(name):
    """Also of those that fit between the points at which its boxes feel the ground."""
    rng, obstacle = np.random.default_rng(1001), OBSTACLES[name]
    obstacle = obstacle | {"at": [*obstacle["at"][:2], rng.uniform(-0.3, 0.3)]}
    world = World.from_scene(
        {"title": "t", "terrain": [{"shape": "plane"}], "obstacles": [obstacle],
         "creatures": [{"name": "c0", **place("roach", 0, 0, 0, 6, 1.0)}]}
    )  # fmt: skip
    longest, fastest = watch(world, 1.5, measure_depths)
    assert longest <= LONGEST
    assert fastest < 300


# --- bytes


def build_company(threads: int) -> World:
    first, second = place("roach", 0, 0, 10, 6, 1.0), place("giant_centipede", 4.5, 0.2, 180, 8)
    third = place("roach", 3, 2.2, 90, 6, 1.0)
    creatures = [{"name": f"c{k}", **one} for k, one in enumerate((first, second, third))]
    scene = {"title": "t", "terrain": [{"shape": "plane"}], "creatures": creatures,
             "obstacles": [{"shape": "sphere", "at": [2.5, 0.5, -1.5], "radius": 0.5}]}  # fmt: skip
    return World.from_scene(scene, threads=threads)


def test_meetings_are_the_same_resumed_and_on_two_threads():
    whole, split, other = build_company(1), build_company(2), build_company(2)
    whole.advance(0.7)
    split.advance(0.35)
    other.restore(split.state())
    other.advance(0.35)
    before, after = whole.state(), other.state()
    for key, value in before.items():
        assert value.tobytes() == after[key].tobytes(), key
