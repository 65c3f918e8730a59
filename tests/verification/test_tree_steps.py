"""Trees of links in motion: what free flight keeps, orders of the steps, stiffness, cost."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from linkages import make_link, random_case, random_inertia, random_links, random_turn, random_unit
from moving_links import DOWN, Motion
from skitter.bench.timing import time_together
from skitter.rigid.tree.forward import accelerate_rows
from skitter.rigid.tree.model import Link, Tree, build_tree
from skitter.rigid.tree.steps import undo_runge_kutta

NO_GRAVITY = (0.0, 0.0, 0.0)

# --- what free flight keeps


def make_tumbler(seed: int, gravity) -> Motion:
    """A floating tree of twenty degrees of freedom, every joint in motion."""
    rng = np.random.default_rng(seed)
    parts = random_links(rng, 14, with_all=True)
    while any(link.joint == "free" for link in parts):
        parts = random_links(rng, 14, with_all=True)
    centre, inertia = rng.normal(size=3), random_inertia(rng, 2.0)
    links = [make_link(-1, "free", mass=2.0, centre=centre, inertia=inertia)]
    links += [Link(**(vars(link) | {"parent": link.parent + 1})) for link in parts]
    case = random_case(rng, links)
    return Motion(links, case.q, 0.5 * case.v, gravity=gravity)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("gravity", [NO_GRAVITY, DOWN], ids=["floating", "falling"])
def test_free_flight_keeps_energy_and_momentum(seed, gravity):
    """For a second, to 1e-9; where it falls, its momentum grows by its weight times the time."""
    motion = make_tumbler(seed, gravity)
    tree, state = motion.tree, motion.state
    mass = sum(link.mass for link in motion.links)
    scale, energy = tree.kinetic_energy(state.q, state.v), motion.energy()
    linear, angular = tree.momentum(state.q, state.v)
    motion.fly(1.0, 1e-13)
    assert np.linalg.norm(state.v) > 1
    assert motion.energy() == pytest.approx(energy, abs=1e-9 * max(scale, abs(energy)))
    after, about = tree.momentum(state.q, state.v)
    fallen = linear + mass * np.array(gravity)
    assert after == pytest.approx(fallen, abs=1e-9 * np.linalg.norm(fallen))
    if gravity == NO_GRAVITY:
        assert about == pytest.approx(angular, abs=1e-9 * np.linalg.norm(angular))


def test_a_step_that_was_taken_back_leaves_no_trace():
    one, other = make_tumbler(0, DOWN), make_tumbler(0, DOWN)
    one.try_step(0.1, 1e-9)
    assert (one.state.v != other.state.v).all()
    undo_runge_kutta(one.state, one.room)
    one.step(0.001, 3)
    other.step(0.001, 3)
    assert (one.state.q == other.state.q).all()
    assert (one.state.v == other.state.v).all()


def test_steps_that_are_too_bold_are_noticed():
    """A hundred times the tolerance leaves a hundred times the error, or so."""
    errors = []
    for tolerance in (1e-4, 1e-6, 1e-8):
        motion, true = make_tumbler(1, NO_GRAVITY), make_tumbler(1, NO_GRAVITY)
        motion.fly(0.3, tolerance)
        true.fly(0.3, 1e-13)
        errors.append(abs(motion.state.v - true.state.v).max())
    assert 5 < errors[0] / errors[1] < 2000
    assert 5 < errors[1] / errors[2] < 2000
    assert errors[2] < 1e-5


# --- order


L1, L2, M1, M2 = 3.0, 2.0, 1.5, 0.8
SWING = np.array([1.2, -0.4])  # both from the vertical, the second seen from the first


def make_pendulum(springs=()) -> Motion:
    """Two point masses on rods without weight, hanging down along -y."""
    links = [
        make_link(-1, "revolute", mass=M1, centre=[0, -L1, 0]),
        make_link(0, "revolute", place=[0, -L1, 0], mass=M2, centre=[0, -L2, 0]),
    ]
    return Motion(links, SWING, [1.0, -3.0], springs=springs)


def swing_by_lagrange(seconds: float, stiffness: float = 0.0, damping: float = 0.0) -> np.ndarray:
    """Angles of both rods from the vertical obey, with d = a - b and g > 0,
    (M1 + M2) L1² a'' + M2 L1 L2 cos(d) b'' = -M2 L1 L2 sin(d) b'² - (M1 + M2) g L1 sin(a) + A,
    M2 L1 L2 cos(d) a'' + M2 L2² b'' = M2 L1 L2 sin(d) a'² - M2 g L2 sin(b) + B;
    a spring and damper in each joint: B = -k (b - a) - c (b' - a'), A = -k a - c a' - B."""

    def slope(_, y):
        a, b, u, w = y
        c, s, g = np.cos(a - b), np.sin(a - b), 981.0
        second = -stiffness * (b - a) - damping * (w - u)
        first = -stiffness * a - damping * u - second
        mass = np.array([[(M1 + M2) * L1**2, M2 * L1 * L2 * c], [M2 * L1 * L2 * c, M2 * L2**2]])
        force = [
            -M2 * L1 * L2 * s * w**2 - (M1 + M2) * g * L1 * np.sin(a) + first,
            M2 * L1 * L2 * s * u**2 - M2 * g * L2 * np.sin(b) + second,
        ]
        return np.concatenate([[u, w], np.linalg.solve(mass, force)])

    start = [SWING[0], SWING.sum(), 1.0, -2.0]
    a, b, *_ = solve_ivp(slope, (0, seconds), start, "DOP853", rtol=1e-13, atol=1e-13).y[:, -1]
    return np.array([a, b - a])


def fit_slope(x, y) -> float:
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def test_a_double_pendulum_converges_at_order_five():
    """Against the textbook's equations, by another program and method."""
    seconds, true, errors = 0.4, swing_by_lagrange(0.4), []
    counts = (256, 384, 512, 768, 1024)
    for count in counts:
        motion = make_pendulum()
        motion.step(seconds / count, count)
        errors.append(np.linalg.norm(motion.state.q - true))
    assert errors[-1] < 1e-8
    assert 4.8 < -fit_slope(counts, errors) < 5.2


def test_implicit_steps_converge_at_order_one():
    """With springs and dampers in the joints, against the same equations."""
    seconds, stiffness, damping = 0.2, 3000.0, 20.0
    true, errors = swing_by_lagrange(seconds, stiffness, damping), []
    counts = (1000, 2000, 4000, 8000)
    for count in counts:
        motion = make_pendulum([(0, stiffness, damping, 0.0), (1, stiffness, damping, 0.0)])
        motion.step_implicit(seconds / count, count)
        errors.append(np.linalg.norm(motion.state.q - true))
    assert errors[-1] < 0.01
    assert 0.9 < -fit_slope(counts, errors) < 1.1


def test_implicit_steps_of_a_tumbling_tree_come_to_runge_kutta():
    errors, counts = [], (500, 1000, 2000, 4000)
    true = make_tumbler(2, DOWN)
    true.fly(0.05, 1e-11)
    for count in counts:
        motion = make_tumbler(2, DOWN)
        motion.step_implicit(0.05 / count, count)
        errors.append(abs(motion.state.v - true.state.v).max())
    assert 0.9 < -fit_slope(counts, errors) < 1.1


# --- stiffness


def test_a_stiff_spring_comes_to_rest_at_the_right_place():
    """k h²/I = 1e4. Where it rests, k (angle - rest) is the torque of the weight on a rod that
    stands out at this angle from the vertical; the spring gives by 2e-7 rad, and that is right."""
    mass, length, h, rest = 0.3, 2.0, 1 / 500, 1.0
    inertia = mass * length**2
    stiffness = 1e4 * inertia / h**2
    links = [make_link(-1, "revolute", mass=mass, centre=[0, -length, 0])]
    motion = Motion(links, [0.2], [30.0], springs=[(0, stiffness, 0.0, rest)])
    motion.step_implicit(h, 200)

    def turn(angle: float) -> float:
        return -stiffness * (angle - rest) - mass * 981.0 * length * np.sin(angle)

    true = brentq(turn, 0.5, 1.5, xtol=1e-15)
    assert rest - true > 1e-7
    assert motion.state.q[0] - rest == pytest.approx(true - rest, rel=1e-6)
    assert abs(motion.state.v[0]) < 1e-9


def test_a_stiff_tree_stays_stable():
    """Ten links in a row on springs of k h²/I = 1e4 hold their rest angles under gravity."""
    h, rest = 1 / 500, 0.3
    stiffness = 1e4 * 1.0 / h**2
    links = [
        make_link(k - 1, "revolute", place=[float(k > 0), 0, 0], mass=1.0, centre=[0.5, 0, 0],
                  inertia=np.eye(3))
        for k in range(10)
    ]  # fmt: skip
    motion = Motion(links, springs=[(k, stiffness, 0.0, rest) for k in range(10)])
    motion.step_implicit(h, 400)
    assert motion.state.q == pytest.approx(np.full(10, rest), abs=1e-4)
    assert abs(motion.state.v).max() < 1e-6


# --- loops closed by springs


def test_a_mass_on_a_spring_to_the_world_swings_as_it_must():
    """x = A cos(w t), w = sqrt(k/m), where the spring holds the origin of a free link."""
    mass, stiffness, t = 0.4, 900.0, 0.31
    ball = make_link(-1, "free", mass=mass, inertia=0.1 * np.eye(3))
    start = np.array([1.0, 0.5, -0.2])
    motion = Motion([ball], [*start, 1, 0, 0, 0], gravity=NO_GRAVITY, closures=[(0, -1, stiffness)])
    motion.fly(t, 1e-11)
    true = start * np.cos(np.sqrt(stiffness / mass) * t)
    assert motion.state.q[:3] == pytest.approx(true, abs=1e-8)


def test_two_masses_on_a_spring_swing_by_their_reduced_mass():
    """And the middle of mass stays where it is."""
    masses, stiffness, t = (0.4, 1.7), 900.0, 0.31
    links = [make_link(-1, "free", mass=m, inertia=m * np.eye(3)) for m in masses]
    q = [1.0, 0, 0, 1, 0, 0, 0, -1.0, 0, 0, 1, 0, 0, 0]
    motion = Motion(links, q, gravity=NO_GRAVITY, closures=[(0, 1, stiffness)])
    motion.fly(t, 1e-11)
    x, y = motion.state.q[0], motion.state.q[7]
    reduced = masses[0] * masses[1] / sum(masses)
    assert x - y == pytest.approx(2 * np.cos(np.sqrt(stiffness / reduced) * t), abs=1e-8)
    assert masses[0] * x + masses[1] * y == pytest.approx(masses[0] - masses[1], abs=1e-9)


# --- cost


def make_chain(count: int) -> Tree:
    rng = np.random.default_rng(0)
    return build_tree([
        make_link(
            k - 1, "revolute", place=rng.normal(size=3), turn=random_turn(rng),
            axis=random_unit(rng), mass=1.0, inertia=random_inertia(rng, 1.0),
        )
        for k in range(count)
    ])  # fmt: skip


@pytest.mark.serial
def test_the_cost_of_dynamics_grows_with_the_number_of_links():
    """Linearly: an exponent of 0.9 to 1.1 from 8 to 512 links."""
    sizes, gravity = [8, 16, 32, 64, 128, 256, 512], np.array(DOWN)

    def prepare(tree: Tree):
        rows = np.ones((4096 // len(tree.index), tree.v_size))
        rest = gravity, np.zeros(tree.v_size), tree.work(), np.empty_like(rows)
        return lambda count: accelerate_rows(tree.index, tree.number, rows, rows, rows, *rest)

    best = time_together({str(size): prepare(make_chain(size)) for size in sizes}, 1, 50)
    spent = [best[str(size)] / (4096 // size) for size in sizes]
    assert 0.9 < fit_slope(sizes, spent) < 1.1
