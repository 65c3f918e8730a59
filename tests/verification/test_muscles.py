"""Muscles and water on bodies, against formulae and conservation laws (Fang 2015 chapter 5)."""

import numpy as np
import pytest

from bodies import NO_TERRAIN, box, capsule, chain, figure, jelly
from skitter.compiled import CELL_LANES
from skitter.control.swim import GOAL_TURN
from skitter.creatures.measures import compute_energies, compute_momentum
from skitter.creatures.physics import Physics
from skitter.creatures.swimmer import Swimmer
from skitter.elastic.block import CELL_TETS, compute_rest
from skitter.elastic.muscle import contract
from skitter.scene.load import load_scene
from skitter.scene.spec import CreaturePlacement
from skitter.water.surface import build_still_water

WATER = build_still_water(0.0, 1.0)
DEEP = (0.0, -50.0, 0.0)
SLAB = (2.0, 0.6, 1.5)  # cm
IDLE = {"left": {}, "right": {}}  # muscles that stay as they are built
# left, right, top, bottom: each side alone, all at once, and left and right as swimmers use them
LENGTHS = [
    (0.6, 1.0, 1.0, 1.0),
    (1.0, 0.6, 1.0, 1.0),
    (1.0, 1.0, 0.6, 1.0),
    (1.0, 1.0, 1.0, 0.6),
    (0.7, 0.9, 1.1, 0.8),
    (0.5, 0.9, 0.7, 0.7),
]


def map_nodes(nodes, lengths):
    """A block with four sides of other lengths: Fang 2015 eq. 5.1, with a top and a bottom."""
    left, right, top, bottom = lengths
    middle = (nodes.max(axis=0) + nodes.min(axis=0)) / 2
    x, y, z = ((nodes - middle) / np.ptp(nodes, axis=0)).T
    stretch = (left + right + top + bottom) / 4 + (right - left) * z + (top - bottom) * y
    return np.column_stack([x * stretch * np.ptp(nodes[:, 0]), nodes[:, 1], nodes[:, 2]])


def list_cells(body):
    """Row, lane, block and the eight nodes within it, of every cell."""
    corners = body.soft.cell_node.reshape(-1, 8, CELL_LANES)
    for row, lane in np.argwhere(body.soft.cell_block >= 0):
        block = body.soft.cell_block[row, lane]
        places = list(body.node_places[block])
        yield row, lane, block, [places.index(node) for node in corners[row, :, lane]]


@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize("cells", [(1, 1, 1), (2, 2, 2), (3, 2, 4)])
def test_rest_shape_is_that_of_the_mapped_nodes(cells, lengths):
    body = chain(3, cells=cells, muscles=IDLE)
    rest, before = body.soft.rest.copy(), body.soft.rest.reshape(-1, 6, 12, CELL_LANES).copy()
    contract(body.muscle, np.tile(lengths, (2, 1)), np.zeros(3 * CELL_LANES), rest)
    after = rest.reshape(-1, 6, 12, CELL_LANES)
    for row, lane, block, nodes in list_cells(body):
        built = body.plan.soft[block].nodes
        tets = np.array(nodes)[CELL_TETS]
        _, old = compute_rest(built, tets)
        inverse, volume = compute_rest(map_nodes(built, lengths), tets)
        found = after[row, :, :9, lane].reshape(6, 3, 3)
        np.testing.assert_allclose(found, inverse, rtol=1e-12, atol=1e-12)
        for item in (9, 10):  # 2 mu V and lambda V
            ratio = after[row, :, item, lane] / before[row, :, item, lane]
            np.testing.assert_allclose(ratio, volume / old, rtol=1e-12)


@pytest.mark.parametrize("side", range(4))
def test_a_side_has_its_length(side):
    """Left is -z, right +z, top +y, bottom -y; a side is as long as asked where the opposite one
    keeps its length and the other two have the mean."""
    nodes = chain(2).plan.soft[0].nodes
    lengths = np.full(4, 0.75)
    lengths[side], lengths[side ^ 1] = 0.5, 1.0
    axis = (2, 2, 1, 1)[side]
    end = (min, max, max, min)[side](nodes[:, axis])
    edge = np.isclose(nodes[:, axis], end)
    mapped = map_nodes(nodes, lengths)
    assert np.ptp(mapped[edge, 0]) == pytest.approx(0.5 * np.ptp(nodes[:, 0]))


def make_eel(real=np.float32, **changes):
    scene = {
        "title": "an eel",
        "terrain": [],
        "creatures": [{"species": "eel", "name": "eel", "with": changes}],
    }
    place = CreaturePlacement(species="eel", at=(0.0, -0.3, 0.0))
    physics = Physics(1 / 1000, 981.0, real)
    return Swimmer("eel", load_scene(scene).species[0], place, physics, np.random.default_rng(0))


def test_signals_of_both_sides_alternate():
    """s_l² + s_r² = 1, each between 0 and 1 (Fang 2015 section 5.4)."""
    eel, seen = make_eel(), []
    shortest, longest = eel.species.swim.length
    eel.advance(1100, NO_TERRAIN, None, WATER)  # beyond the ramp
    for _ in range(50):
        eel.advance(20, NO_TERRAIN, None, WATER)
        seen.append((eel.swim_state.length[:, :2] - shortest) / (longest - shortest))
    np.testing.assert_allclose((np.array(seen) ** 2).sum(axis=-1), 1.0, atol=1e-12)
    assert np.min(seen) >= 0 and np.ptp(seen) > 0.95


def slow_down(body, steps=1):
    """Force on a body in still, deep water, from the change of its momentum [3], dyn."""
    before = compute_momentum(body)[0]
    body.advance(steps, NO_TERRAIN, None, WATER)
    return (compute_momentum(body)[0] - before) / (steps * body.physics.dt)


@pytest.mark.parametrize("make", [box, jelly])
@pytest.mark.parametrize(("axis", "area"), [(0, 0.6 * 1.5), (1, 2.0 * 1.5), (2, 2.0 * 0.6)])
@pytest.mark.parametrize("sign", [-1, 1])
def test_drag_is_that_of_the_front(make, axis, area, sign):
    """rho v² A against the motion: nothing of it on the rear or along the sides (eq. 5.2)."""
    velocity = np.zeros(3)
    velocity[axis] = sign * 5.0
    force = slow_down(make(size=SLAB, velocity=tuple(velocity), at=DEEP))
    expected = np.zeros(3)
    expected[axis] = -sign * 25.0 * area
    np.testing.assert_allclose(force, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("make", [box, jelly])
@pytest.mark.parametrize("density", [0.5, 1.0, 2.0])
def test_a_submerged_body_is_lighter_by_its_water(make, density):
    options = {"material": {"density": density}} if make is jelly else {}
    body = make(size=SLAB, at=DEEP, gravity=981.0, **options)
    mass = body.node_mass.sum() + body.body_mass.sum()
    volume = np.prod(SLAB)
    force = slow_down(body)
    np.testing.assert_allclose(force, [0, 981.0 * (volume - mass), 0], rtol=1e-9, atol=1e-8)


@pytest.mark.parametrize("density", [0.3, 0.6, 0.85])
def test_a_floating_box_has_its_draught(density):
    """Of its height, as its density is of the water's."""
    part = {"name": "box", "shape": "box", "size": [3.0, 1.0, 3.0], "density": density}
    body = figure([part], at=(0.0, 0.5 - density - 0.05, 0.0), gravity=981.0)
    heights = []
    for _ in range(600):
        body.advance(30, NO_TERRAIN, None, WATER)
        heights.append(body.body_position[0, 1])
    draught = 0.5 - np.mean(heights[300:])
    assert draught == pytest.approx(density, rel=0.01)


@pytest.mark.parametrize("make", [box, capsule])
def test_work_on_the_water_is_what_a_coasting_body_loses(make):
    body = make(velocity=(20.0, 3.0, -4.0), at=DEEP, spin_deg=(0.0, 90.0, 0.0))
    start = sum(compute_energies(body))
    body.advance(3000, NO_TERRAIN, None, WATER)
    lost = start - sum(compute_energies(body))
    assert lost > 0.5 * start
    assert body.water_work[0] == pytest.approx(lost, rel=0.01)


def test_muscles_push_nobody_but_the_body():
    """Without water, linear and angular momentum stay what they are, nothing, to rounding."""
    wave = {"mean": 0.75, "height": 0.25, "frequency": 2.0, "shift_deg": 50.0}
    muscles = {"left": wave, "right": wave | {"phase_deg": 180.0}, "top": wave, "ramp": 0.2}
    body = chain(6, material={"damping": 50.0}, muscles=muscles)
    linear = angular = flow = spin = 0.0
    for _ in range(60):
        body.advance(50, NO_TERRAIN)
        p, h = compute_momentum(body)
        each = body.body_mass[:, None] * body.body_velocity
        flow = max(flow, np.linalg.norm(each, axis=1).sum())
        spin = max(spin, np.linalg.norm(np.cross(body.body_position, each), axis=1).sum())
        linear, angular = max(linear, np.linalg.norm(p)), max(angular, np.linalg.norm(h))
    assert flow > 1.0
    assert linear < 1e-9 * flow
    assert angular < 1e-9 * spin


def advance(eel, strokes):
    for _ in range(strokes):
        eel.advance(250, NO_TERRAIN, None, WATER)
    return eel.state()


def assert_same(one, two):
    assert one.keys() == two.keys()
    for name, values in one.items():
        assert np.array_equal(values, two[name]), name


def test_runs_with_muscles_are_identical():
    assert_same(advance(make_eel(), 6), advance(make_eel(), 6))


def test_a_swimmer_goes_on_from_a_state():
    eel = make_eel()
    eel.swim_state.swimmer[0, GOAL_TURN] = 0.3
    kept = advance(eel, 3)
    end = advance(eel, 3)
    other = make_eel()
    other.restore(kept)
    assert_same(advance(other, 3), end)
