"""Rigid bodies against closed forms: free flight, spin, bounce, slope, rest."""

import numpy as np
import pytest

from bodies import NO_TERRAIN, box, capsule, figure, plane
from skitter.compiled import LANES
from skitter.creatures.measures import compute_energies
from skitter.rigid.bodies import FRAME_ROWS, MODEL_ROWS, STATE_ROWS, advance_poses, update_frames
from skitter.rigid.shapes import capsule_mass, combine_masses
from skitter.scene.spec import BoxTerrain, CylinderTerrain, PlaneTerrain, SphereTerrain
from skitter.terrain import build_terrain


def test_torque_free_period():
    """I = (1, 2, 3), spin (0.01, 1, 0.01): the middle axis tumbles with period 39.10573 s; its spin
    crosses zero at 10.917, 30.470, 50.023 s (Jacobi's elliptic functions)."""
    model, state, frame = np.zeros(MODEL_ROWS), np.zeros(STATE_ROWS), np.zeros(FRAME_ROWS)
    model[LANES : 7 * LANES : LANES] = [1, 0, 0, 1 / 2, 0, 1 / 3]
    state[6 * LANES] = 1
    state[10 * LANES :: LANES] = np.array([1, 2, 3]) * [0.01, 1, 0.01]
    dt, crossings, last = 1e-3, [], 1.0
    momentum = state[10 * LANES :: LANES].copy()
    for step in range(51_000):
        update_frames(model, state, frame)
        spin = (frame[3 * LANES : 12 * LANES : LANES].reshape(3, 3).T @ frame[: 3 * LANES : LANES])[
            1
        ]
        if spin * last < 0:
            crossings.append((step - spin / (spin - last)) * dt)
        last = spin
        advance_poses(model, frame, dt, state)
    assert crossings == pytest.approx([10.917, 30.470, 50.023], abs=2e-3)
    assert 2 * (crossings[1] - crossings[0]) == pytest.approx(39.10573, rel=1e-4)
    assert (state[10 * LANES :: LANES] == momentum).all()


def test_free_fall_is_exact_to_the_order_of_the_step():
    """Symplectic Euler falls g t (t + dt) / 2, and its velocity is exact."""
    body = box(gravity=981.0, at=(0, 10, 0), velocity=(3, 50, 0), spin_deg=(10, 200, 30))
    body.advance(300, NO_TERRAIN)
    t, dt = 0.1, 1 / 3000
    assert body.position == pytest.approx([0.3, 10 + 50 * t - 981 * t * (t + dt) / 2, 0], abs=1e-9)
    assert body.body_velocity[0] == pytest.approx([3, 50 - 981 * t, 0], abs=1e-9)


@pytest.mark.parametrize("build", [box, capsule])
@pytest.mark.parametrize("restitution", [0.3, 0.8, 1.0])
def test_bounce_height_follows_restitution(build, restitution):
    """Dropped by h, it comes back to e^2 h, within the order of the step."""
    body = build(gravity=981.0, at=(0, 5.5, 0), restitution=restitution)
    ground = plane(restitution=restitution)
    heights, fall = [], 5.0
    for _ in range(3000):
        body.advance(1, ground)
        heights.append(body.position[1] - 0.5)
    landed = next(i for i in range(1, 3000) if heights[i] > heights[i - 1])
    again = next(i for i in range(landed + 1, 3000) if heights[i] < heights[i - 1])
    # the bounce is found up to one step early: v dt = 0.033 of 5 cm, each way
    assert heights[again - 1] == pytest.approx(restitution**2 * fall, abs=0.015 * fall)


@pytest.mark.parametrize("friction", [0.3, 0.8])
@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_box_slides_beyond_the_friction_angle_and_not_before(friction, real):
    for excess, slides in ((0.98, False), (1.02, True)):
        angle = np.arctan(friction * excess)
        normal = (np.sin(angle), np.cos(angle), 0.0)
        slope = build_terrain([PlaneTerrain(shape="plane", normal=normal, friction=2 * friction)])
        turn = (0, 0, -np.degrees(angle))
        start = 0.25 * np.array(normal)
        body = box(
            (1, 0.5, 1), gravity=981.0, at=tuple(start), turn_deg=turn, friction=0.5, real=real
        )
        body.advance(1500, slope)
        down = np.array([np.cos(angle), -np.sin(angle), 0.0])
        distance = (body.position - start) @ down
        if slides:  # s = g (sin - mu cos) t^2 / 2
            expected = 981 * (np.sin(angle) - friction * np.cos(angle)) * 0.5**2 / 2
            assert distance == pytest.approx(expected, rel=0.02)
        else:
            assert abs(distance) < 1e-3


def test_sliding_box_stops_after_the_right_distance():
    """Coulomb friction brings it to rest after v^2 / (2 mu g), and it stays."""
    body = box((1, 0.5, 1), gravity=981.0, at=(0, 0.25, 0), velocity=(40, 0, 0), friction=0.5)
    ground = plane(friction=1.0)
    body.advance(3000, ground)
    assert body.position[0] == pytest.approx(40**2 / (2 * 0.5 * 981), rel=0.01)
    before = body.position
    body.advance(6000, ground)
    assert np.abs(body.position - before).max() < 1e-6


@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_resting_contact_is_still(real):
    """A dropped, tilted box comes to rest on a face, and then nothing moves any more."""
    body = box((1, 0.6, 0.8), gravity=981.0, at=(0, 2, 0), turn_deg=(25, 40, 15), real=real)
    body.advance(6000, plane())
    kinetic, _, _ = compute_energies(body)
    before = body.position
    body.advance(3000, plane())
    assert kinetic < 1e-6
    assert np.abs(body.position - before).max() < 1e-4
    assert min(abs(body.position[1] - half) for half in (0.5, 0.3, 0.4)) < 1e-3


@pytest.mark.parametrize(
    "terrain, height",
    [
        (BoxTerrain(shape="box", at=(0, -1, 0), size=(4, 2, 4)), 0.3),
        (CylinderTerrain(shape="cylinder", at=(0, -1, 0), radius=3, length=2), 0.3),
        (SphereTerrain(shape="sphere", at=(0, -3, 0), radius=3), 0.3),
    ],
)
def test_box_rests_on_any_primitive(terrain, height):
    """Also where only the middle of its face touches, as on a ball."""
    body = box((1, 0.6, 0.8), gravity=981.0, at=(0, 0.8, 0))
    body.advance(6000, build_terrain([terrain]))
    assert body.position == pytest.approx([0, height, 0], abs=0.01)


def test_capsule_rolls_down_a_slope_with_the_right_acceleration():
    """Rolling without slipping: a = g sin / (1 + I / m r^2)."""
    angle, radius, length = np.radians(15), 0.5, 1.0
    normal = (0.0, np.cos(angle), np.sin(angle))
    slope = build_terrain([PlaneTerrain(shape="plane", normal=normal, friction=1.0)])
    start = radius * np.array(normal)
    body = capsule(radius, length, gravity=981.0, at=tuple(start), friction=1.0)
    body.advance(600, slope)
    mass, inertia = capsule_mass(radius, length, 1.0)
    acceleration = 981 * np.sin(angle) / (1 + inertia[0, 0] / (mass * radius**2))
    travelled = (body.position - start) @ [0, -np.sin(angle), np.cos(angle)]
    assert travelled == pytest.approx(acceleration * 0.2**2 / 2, rel=0.02)


def test_capsule_inertia_by_monte_carlo_free_integration():
    """Against the same solid cut into 200^3 little cubes."""
    radius, length = 0.5, 1.2
    axis = [np.linspace(-1.2, 1.2, 240), np.linspace(-0.6, 0.6, 120), np.linspace(-0.6, 0.6, 120)]
    x, y, z = np.meshgrid(*axis, indexing="ij")
    beyond = np.maximum(np.abs(x) - length / 2, 0)
    inside = beyond**2 + y**2 + z**2 <= radius**2
    cell = np.prod([a[1] - a[0] for a in axis])
    points = np.stack([x[inside], y[inside], z[inside]], axis=1)
    mass, inertia = capsule_mass(radius, length, 1.0)
    square = (points**2).sum(axis=0) * cell
    assert mass == pytest.approx(len(points) * cell, rel=0.01)
    assert np.diag(inertia) == pytest.approx(square.sum() - square, rel=0.02)


def test_combined_mass_is_that_of_a_dumbbell():
    points = np.array([[1.0, 0, 0], [-1.0, 0, 0]])
    mass, centre, inertia = combine_masses(
        0.0, np.zeros(3), np.zeros((3, 3)), points, np.array([2.0, 2.0])
    )
    assert mass == 4 and centre == pytest.approx([0, 0, 0])
    assert np.diag(inertia) == pytest.approx([0, 4, 4])


def test_fixed_part_does_not_move():
    parts = [
        {"name": "top", "shape": "box", "size": [1, 0.2, 1], "fixed": True},
        {"name": "bob", "shape": "box", "size": [0.6, 0.6, 0.6], "parent": "top", "face": "-y"},
    ]
    body = figure(parts, gravity=9.8, at=(0, 5, 0))
    body.advance(3000, NO_TERRAIN)
    assert body.body_position[0] == pytest.approx([0, 5, 0], abs=1e-12)
    assert body.body_position[1][1] < 5 - 0.1 - 1.0 - 0.3


@pytest.mark.parametrize("rate", [3000, 600])
def test_perfect_bounces_do_not_gain_energy(rate):
    body = capsule(0.5, 0.0, gravity=98.1, at=(0, 3, 0), restitution=1.0, dt=1 / rate)
    start = sum(compute_energies(body))
    body.advance(10 * rate, plane(restitution=1.0))
    assert sum(compute_energies(body)) < 1.02 * start


@pytest.mark.parametrize("speed", [300, 9000])
def test_inelastic_impact_ends_on_the_surface(speed):
    """Neither in the air before it nor, however fast, behind it; on a plane and on a thin box."""
    thin = BoxTerrain(shape="box", at=(0, -0.25, 0), size=(4, 0.5, 4))
    for ground in (plane(), build_terrain([thin])):
        body = capsule(0.1, 0.0, at=(0, 20, 0), velocity=(0, -speed, 0))
        body.advance(600, ground)
        assert body.position[1] == pytest.approx(0.1, abs=1e-3)
