"""What bodies of links touch and what holds them, against closed forms (McKenna 1990 section 3.1).

A box of 1 x 0.5 x 0.8 cm weighs 0.4 g. Its undersides press down with the points of its surface
that are lowest, each a spring; at rest the spring is scaled by (1 + restitution)/2.
"""

import numpy as np
import pytest
from scipy.optimize import brentq

from link_worlds import EXACT, G, build_links, list_rows, make_box
from skitter.creatures.articulated.company import gather
from skitter.rigid.tree.steps import step_implicit

SIZE, MASS = np.array([1.0, 0.5, 0.8]), 0.4
LINEAR = {"spring": "linear", "alpha": 2e4}


def count_lowest(world) -> int:
    """How many points of a box that stands upright are under it; all lie on its surface."""
    points = abs(world.creatures[0].system.probe / (SIZE / 2))
    assert points.max(axis=1) == pytest.approx(np.ones(len(points)))
    assert (points.min(axis=1) > 1 - 1e-9).sum() == 8  # the corners are among them
    return int((world.creatures[0].system.probe[:, 1] < -SIZE[1] / 2 + 1e-9).sum())


# --- boxes at rest


@pytest.mark.parametrize("method", ["implicit", "runge_kutta"])
@pytest.mark.parametrize("spring", ["linear", "exponential"])
@pytest.mark.parametrize("restitution", [0.0, 0.4])
def test_a_box_sinks_in_as_deep_as_its_weight_presses(spring, restitution, method):
    alpha, beta = (2e4, 1.0) if spring == "linear" else (400.0, 100.0)
    contact = {"spring": spring, "alpha": alpha, "beta": beta, "restitution": restitution}
    species = make_box(contact=contact, solver={"method": method})
    world = build_links((species, {"at": [0, 0.255, 0]}))
    world.advance(0.2)
    each = MASS * G / count_lowest(world) / ((1 + restitution) / 2)
    depth = each / alpha if spring == "linear" else np.log(1 + each / alpha) / beta
    row = world.read()
    assert row["c0.centre_of_mass"] == pytest.approx([0, SIZE[1] / 2 - depth, 0], abs=1e-3 * depth)
    assert abs(row["c0.momentum"]).max() < 1e-3


# --- bounces


def bounce(restitution: float, speed: float, solver: dict, *, contact=LINEAR) -> float:
    """How fast a box leaves a plane, of how fast it came, without gravity."""
    species = make_box(contact={**contact, "restitution": restitution}, solver=solver)
    world = build_links(
        (species, {"at": [0, 0.26, 0], "velocity": [0, -speed, 0]}), gravity=0, frame_rate=1000
    )
    world.advance(0.03)
    row = world.read()
    assert row["c0.centre_of_mass"][1] > 0.25
    assert row["c0.angular_momentum"] == pytest.approx([0, 0, 0], abs=1e-6)
    return float(row["c0.momentum"][1] / MASS / speed)


@pytest.mark.parametrize("restitution", [1.0, 0.49, 0.25])
def test_a_bounce_gives_back_its_restitution_of_the_energy(restitution):
    """Fast enough that the gradual change within CALM = 1 cm/s does not count: it takes part in
    (1/300)² of the energy. The speed is its root."""
    assert bounce(restitution, 300, EXACT) == pytest.approx(restitution**0.5, rel=2e-4)


def test_implicit_steps_bounce_less_and_come_to_the_same():
    """Their error is of the first order: half the step, half of it."""
    errors = [0.5 - bounce(0.25, 300, {"time_step": step}) for step in (2e-5, 1e-5)]
    assert 0 < errors[1] < 0.01
    assert errors[0] / errors[1] == pytest.approx(2, rel=0.1)


def test_damping_takes_energy_from_a_bounce():
    """Force k x (1 + d v), v of approach: with u = v², du/dx = -2 k x (1 + d v)/m. Both ways obey
    v - ln(1 + d v)/d = ... of the same depth: v1/d - ln(1 + d v1)/d² = -v2/d - ln(1 - d v2)/d²."""
    d, speed = 0.001, 300.0

    def left(v: float) -> float:
        return speed / d - np.log1p(d * speed) / d**2 - (-v / d - np.log1p(-d * v) / d**2)

    true = brentq(left, 1.0, speed) / speed
    assert true < 0.9
    ratio = bounce(1.0, speed, EXACT, contact={**LINEAR, "damping": d})
    assert ratio == pytest.approx(true, rel=1e-4)


# --- friction


def slide(angle_deg: float, own: float, ground: float, **solver) -> np.ndarray:
    """Speeds down a slope [frame], cm/s, of a flat box laid on it; a frame is 0.01 s."""
    a = np.radians(angle_deg)
    normal = np.array([np.sin(a), np.cos(a), 0])  # down is towards x
    species = make_box((1.0, 0.2, 0.8), contact={"friction": own}, solver=solver)
    plane = {"shape": "plane", "normal": normal.tolist(), "friction": ground}
    placement = {"at": (0.099 * normal).tolist(), "turn_deg": [0, 0, -angle_deg]}
    world = build_links((species, placement), terrain=[plane], frame_rate=100)
    (momentum,) = list_rows(world, 30, "c0.momentum")
    mass = 0.16
    assert abs(momentum[-1] @ normal) < 1e-2
    return momentum @ np.array([np.cos(a), -np.sin(a), 0]) / mass


@pytest.mark.parametrize("method", ["implicit", "runge_kutta"])
def test_below_the_angle_of_friction_a_box_only_creeps(method):
    """Friction of mu N v/slip carries the weight at v = slip tan(angle)/mu, 0.05 cm/s at most."""
    speeds = slide(25, 1.4, 0.5, method=method)
    creep = 0.05 * np.tan(np.radians(25)) / 0.7
    assert speeds[-1] == pytest.approx(creep, rel=0.01)


FRICTIONS = [(1.0, 0.7), (0.7, 0.7), (0.9, 0.4), (0.2, 0.8), (0.0, 1.0)]


@pytest.mark.parametrize(("own", "ground"), FRICTIONS)
def test_above_it_a_box_slides_against_the_product_of_frictions(own, ground):
    a, mu = np.radians(45), own * ground
    speeds = slide(45, own, ground, method="runge_kutta")
    gain = (speeds[-1] - speeds[9]) / 0.2
    assert gain == pytest.approx(G * (np.sin(a) - mu * np.cos(a)), rel=1e-4)


def test_implicit_steps_come_to_the_same_sliding():
    """They take the friction of the end of a step to be less, as if it were viscous: an error of
    the first order."""
    true = G * np.sin(np.radians(45)) * (1 - 0.7)
    errors = []
    for step in (1 / 2000, 1 / 4000):
        speeds = slide(45, 1.4, 0.5, time_step=step)
        errors.append(true - (speeds[-1] - speeds[9]) / 0.2)
    assert 0 < errors[0] < 0.01 * true
    assert errors[0] / errors[1] == pytest.approx(2, rel=0.1)


# --- ground that is no plane


@pytest.mark.parametrize("shape", ["box", "heightfield", "mesh"])
def test_a_box_rests_on_any_flat_ground_as_on_a_plane(shape, tmp_path):
    """Ground 1.3 cm high and level: a box, a field of heights, a mesh of twelve triangles."""
    corners = [(x, y, z) for x in (-2, 2) for y in (-1, 1) for z in (-2, 2)]
    faces = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]
    lines = ["v {} {} {}".format(*corner) for corner in corners]
    lines += ["f {} {} {} {}".format(*face) for face in faces]
    (tmp_path / "block.obj").write_text("\n".join(lines) + "\n")
    grounds = {
        "plane": {"shape": "plane", "at": [0, 1.3, 0]},
        "box": {"shape": "box", "at": [0, 0.3, 0], "size": [4, 2, 4]},
        "heightfield": {
            "shape": "heightfield", "at": [0, 1.3, 0], "size": [8, 8],
            "hills": [{"at": [0, 0], "height": 0, "width": 1}],
        },
        "mesh": {"shape": "mesh", "file": str(tmp_path / "block.obj"), "at": [0, 0.3, 0]},
    }  # fmt: skip
    found = []
    for ground in (grounds["plane"], grounds[shape]):
        placement = {"at": [0.1, 1.6, 0.05], "turn_deg": [0, 20, 0]}
        world = build_links((make_box(), placement), terrain=[ground])
        world.advance(0.3)
        row = world.read()
        found.append([*row["c0.centre_of_mass"], *row["c0.momentum"]])
    assert found[0][1] < 1.55
    assert found[1] == pytest.approx(found[0], abs=1e-5)


ROUGH = [
    {"shape": "heightfield", "size": [30, 30],
     "random": {"count": 25, "height": [0.3, 1.2], "width": [0.7, 1.6], "area": [16, 16]}},
    {"shape": "logs", "count": 12, "radius": [0.2, 0.6], "length": [1, 4], "area": [14, 14]},
    {"shape": "mesh", "file": "pebble", "at": [1.5, 1.2, 0.5], "size": 2.5},
    {"shape": "plane", "at": [0, -0.4, 0]},
]  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_remembering_how_far_the_ground_is_changes_nothing(seed):
    """A roach thrown onto rough ground, step by step: once asked anew each time."""
    rng = np.random.default_rng(seed)
    placement = {"at": [*rng.uniform(-3, 3, 1), 3.0, *rng.uniform(-3, 3, 1)],
                 "turn_deg": rng.uniform(-180, 180, 3).tolist(),
                 "velocity": rng.uniform(-60, 60, 3).tolist(),
                 "spin_deg": rng.uniform(-1500, 1500, 3).tolist()}  # fmt: skip
    found = []
    for forget in (False, True):
        world = build_links(("roach", placement), terrain=ROUGH)
        company = gather(world.creatures, [world.look_around()])
        calls = 0.0
        for _ in range(500):
            if forget:
                company.room.seen[:] = -1.0
            args = company.system, company.outside, company.state, 1 / 2000, 1
            assert step_implicit(*args, company.room, company.felt) == 1
            calls += abs(company.felt.leg_force).sum()
        assert calls > 0  # legs have touched something
        found.append(np.concatenate([company.state.q, company.state.v, [calls]]))
    assert (found[0] == found[1]).all()


# --- legs


@pytest.fixture(scope="module")
def standing():
    world = build_links(("roach", {"start": "stand", "commands": [{"speed": 0}]}))
    return world.creatures[0].plan.total_mass, list_rows(
        world, 60, "c0.foot_force", "c0.momentum", "c0.foot_touching"
    )


@pytest.fixture(scope="module")
def walking():
    world = build_links(("roach", {"start": "stand"}))
    return world.creatures[0].plan.total_mass, list_rows(
        world, 120, "c0.foot_force", "c0.momentum", "c0.steps"
    )


def test_the_feet_of_one_that_stands_carry_its_weight(standing):
    mass, (forces, momentum, touching) = standing
    weight = mass * G
    assert touching[-1].all()
    assert forces[-1].sum(axis=0) == pytest.approx([0, weight, 0], abs=1e-3 * weight)
    assert (forces[-1][:, 1] > 0.02 * weight).all()  # each carries its part
    assert abs(momentum[-1]).max() < 0.1 * mass  # cm/s


def test_forces_on_feet_are_what_changes_the_momentum(walking):
    """Less the weight. In each frame, within what implicit steps lose of it; over whole strides of
    0.1 s within 1e-3 of the weight."""
    mass, (forces, momentum, steps) = walking
    weight = mass * G
    assert (steps[-1] > 15).all()
    total = forces.sum(axis=1)[1:] - [0, weight, 0]
    gain = np.diff(momentum, axis=0) * 60
    assert abs(gain).max() > 0.1 * weight  # it is not just standing
    assert abs(total - gain).max() < 0.01 * weight
    strides = (total - gain)[-114:].reshape(-1, 6, 3).mean(axis=1)
    assert abs(strides).max() < 1e-3 * weight


# --- bodies against bodies

SPIN = (300.0, -200.0, 500.0)  # degrees/s


def collide(solver, *, restitution=0.5, friction=0.6, density=3.0, aside=0.3, spin=SPIN):
    """Momentum, angular momentum about the origin and energy [frame] of two boxes that meet in the
    air; the other is of its own density."""
    contact = {**LINEAR, "restitution": restitution, "friction": friction}
    light = make_box(contact=contact, solver=solver)
    heavy = make_box(contact=contact, solver=solver, density=density)
    world = build_links(
        (light, {"at": [-0.9, 5, 0], "velocity": [40, 0, 0], "spin_deg": list(spin)}),
        (heavy, {"at": [0.7, 5 + aside, aside / 3], "velocity": [-20, 0, 0]}),
        terrain=[], gravity=0, frame_rate=500,
    )  # fmt: skip
    keys = ["momentum", "angular_momentum", "centre_of_mass", "energy_kinetic"]
    one = list_rows(world, 50, *(f"{name}.{key}" for name in ("c0", "c1") for key in keys))
    linear = one[0] + one[4]
    angular = one[1] + one[5] + np.cross(one[2], one[0]) + np.cross(one[6], one[4])
    assert abs(one[0][-1] - one[0][0]).max() > 5  # they have met
    return linear, angular, one[3] + one[7], one[0]


def read_pair(world) -> tuple[np.ndarray, np.ndarray, float]:
    """Momentum of both, and their energy."""
    row = world.read()
    energy = row["c0.energy_kinetic"] + row["c1.energy_kinetic"]
    return row["c0.momentum"], row["c1.momentum"], float(energy)


def test_two_bodies_that_meet_keep_their_momentum():
    """Off their middles, spinning and rubbing, 0.4 g against 1.2 g: to 1e-9 of it."""
    linear, angular, energy, _ = collide(EXACT)
    assert abs(linear - linear[0]).max() < 1e-9 * 16  # g cm/s, of the lighter
    assert abs(angular - angular[0]).max() < 1e-9 * 16 * 5  # 5 cm above the origin
    assert energy[-1] < 0.95 * energy[0]


def test_two_bodies_bounce_by_the_restitution():
    """Head on: their relative speed falls to its root, by the same closed form as on a plane."""
    linear, _, _, first = collide(EXACT, restitution=0.36, friction=0, aside=0, spin=(0, 0, 0))
    assert linear[-1] == pytest.approx(linear[0], abs=1e-8)
    before = first[0][0] / 0.4 - (linear[0] - first[0])[0] / 1.2
    after = first[-1][0] / 0.4 - (linear[-1] - first[-1])[0] / 1.2
    assert before == pytest.approx(60)
    assert after == pytest.approx(-0.6 * before, rel=0.01)


@pytest.mark.parametrize("density", [0.05, 1.0])
@pytest.mark.parametrize("friction", [0.0, 0.7])
def test_implicit_steps_push_both_bodies_alike(density, friction):
    """A box falls across another of 2 g that slides by, with contacts as they are by default. What
    one gains the other loses, within a tenth, and nothing makes energy."""
    light = make_box(contact={"friction": friction}, density=density)
    heavy = make_box(contact={"friction": friction}, density=5.0)
    world = build_links(
        (light, {"at": [0, 5.6, 0], "velocity": [0, -40, 0], "turn_deg": [0, 40, 0]}),
        (heavy, {"at": [0, 5, 0], "velocity": [20, 0, 0]}),
        terrain=[], gravity=0, frame_rate=500,
    )  # fmt: skip
    first = read_pair(world)
    world.advance(0.05)
    last = read_pair(world)
    gained, lost = last[0] - first[0], first[1] - last[1]
    assert gained[1] > 10 * density  # it has bounced
    assert lost == pytest.approx(gained, abs=0.1 * np.linalg.norm(gained))
    assert last[2] <= first[2]
