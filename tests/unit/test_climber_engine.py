"""The engine of climbers and objects against closed forms."""

import numpy as np
import pytest
from fake_figure import make_figure, make_floor

from skitter.creatures.climber.engine import Engine
from skitter.creatures.climber.engine_model import ROLLING, Member, build_servo, measure_inertia
from skitter.creatures.climber.shapes import BALL, BOX_SHAPE, ROLLER, BlockShape, blocks_to_arrays
from skitter.errors import SimulationError
from skitter.rotation import matrix_from_turn
from skitter.scene.spec import BoxTerrain, PlaneTerrain
from skitter.terrain.build import Terrain, build_terrain

STEP, GRAVITY = 1 / 500, 981.0
CUBE = BlockShape(BOX_SHAPE, (2.0, 2.0, 2.0), 4.0, 1.0)
NOWHERE = build_terrain([]).arrays


def start(blocks=(), *, member=True, at=(0.0, 50.0, 0.0), **figure) -> Engine:
    """A climber in the air, weightless, and some objects."""
    members = [Member(make_figure(**figure))] if member else []
    engine = Engine(members, blocks, gravity=GRAVITY, step=STEP)
    if member:
        engine.bodies[0].place[:] = at
        engine.read_in()
    return engine


def run(engine: Engine, steps: int, ground=NOWHERE, barrier=NOWHERE) -> Engine:
    for _ in range(steps):
        engine.step(ground, barrier)
    return engine


def find_centre(engine: Engine) -> np.ndarray:
    """Centre of mass of the first climber, by the engine's own sums."""
    bodies = 1 + engine.layout.member[0, 4] + engine.layout.member[0, 6]
    mass = engine.model.body_mass[1 : 1 + bodies]
    return mass @ engine.data.xipos[1 : 1 + bodies] / mass.sum()


def find_tips(engine: Engine) -> np.ndarray:
    """Feet of the first climber."""
    figure = make_figure()
    last = figure.leg_first[1:] - 1
    body = 3 + last  # the world, thorax, abdomen, segments
    ahead = engine.data.xmat[body].reshape(-1, 3, 3)[:, :, 0]
    return engine.data.xpos[body] + ahead * figure.length[last][:, None]


class TestBody:
    def test_masses_are_those_of_the_figure(self):
        engine, figure = start(), make_figure()
        assert engine.model.body_mass[1:].sum() == pytest.approx(figure.total_mass)
        turned = engine.model.body_iquat[1]
        assert np.isclose(np.sort(engine.model.body_inertia[1]), [2, 8, 8]).all(), turned

    def test_a_heavy_climber_falls_by_half_g_t_squared_whatever_its_pose(self):
        engine = start()
        engine.bodies[0].turn[:] = matrix_from_turn((30, 50, 70))
        engine.orders[0].weight[0] = 1.0
        engine.read_in()
        before, steps = find_centre(engine), 100
        run(engine, steps)
        fall = GRAVITY * STEP**2 * steps * (steps + 1) / 2  # of steps that end with the new speed
        assert np.allclose(find_centre(engine) - before, [0, -fall, 0], atol=1e-6 * fall)
        assert np.abs(engine.bodies[0].spin).max() < 1e-6
        assert np.abs(engine.bodies[0].angle - make_figure().rest).max() < 1e-6

    def test_a_weightless_one_stays(self):
        engine = run(start(), 100)
        assert np.abs(engine.bodies[0].place - [0, 50, 0]).max() < 1e-9

    def test_half_of_gravity_is_half_the_fall(self):
        falls = []
        for weight in (0.5, 1.0):
            engine = start()
            engine.orders[0].weight[0] = weight
            before = find_centre(engine)[1]
            falls.append(before - find_centre(run(engine, 50))[1])
        assert falls[0] == pytest.approx(falls[1] / 2, rel=1e-6)

    def test_force_on_the_thorax_accelerates_all_of_it(self):
        engine, force = start(), np.array([3000.0, -2000.0, 1000.0])
        before, steps = find_centre(engine), 100
        engine.orders[0].force[:] = force
        run(engine, steps)
        way = force / make_figure().total_mass * STEP**2 * steps * (steps + 1) / 2
        assert np.allclose(find_centre(engine) - before, way, rtol=1e-4, atol=1e-4)

    def test_torque_on_the_thorax_turns_it_as_the_world_sees_it(self):
        engine = start()
        engine.bodies[0].turn[:] = matrix_from_turn((0, 90, 0))
        engine.read_in()
        engine.orders[0].torque[:] = 0, 0, 500.0
        run(engine, 20)
        spin = engine.bodies[0].spin
        assert spin[2] > 0.01
        assert np.abs(spin[:2]).max() < 0.2 * spin[2]

    def test_a_state_read_in_is_a_state_read_out(self):
        engine = start()
        body = engine.bodies[0]
        body.turn[:] = matrix_from_turn((20, -130, 75))
        body.velocity[:], body.spin[:] = (1, 2, 3), (0.3, -0.2, 0.1)
        body.speed[:] = np.linspace(-1, 1, len(body.speed))
        kept = [value.copy() for value in body]
        engine.read_in()
        engine.orders[0].strength[0] = 0.0
        engine.data.qvel[:] *= 1.0
        tiny = Engine([Member(make_figure())], gravity=0.0, step=1e-9)
        tiny.read_in([body])
        tiny.orders[0].strength[0] = 0.0
        tiny.step(NOWHERE, NOWHERE)
        for value, then in zip(tiny.bodies[0], kept, strict=True):
            assert np.allclose(value, then, atol=1e-4)


class TestServo:
    def test_a_hinge_turns_what_is_beyond_it(self):
        figure = make_figure(legs=2)
        figure.axis[:] = 0, 0, 1
        figure.rest[:] = 0.0  # a straight leg: rods in a row
        length, mass = figure.length[:5], figure.seg_mass[:5]
        middle = np.cumsum(length) - length / 2
        own = mass * (length**2 / 12 + figure.radius[:5] ** 2 / 4)
        assert measure_inertia(figure)[0] == pytest.approx((mass * middle**2 + own).sum())
        assert measure_inertia(figure)[4] == pytest.approx(mass[4] * length[4] ** 2 / 4 + own[4])

    def test_last_hinge_answers_as_a_critically_damped_spring(self):
        """The lightest segment alone: 1 - (1 + w t) exp(-w t) of the way."""
        rate = 40.0
        engine = start(servo=rate)
        goal = engine.orders[0].goal
        engine.packed.goal_before[:] = goal
        last, first = 4, goal[4]
        steps = int(2 / rate / STEP)
        goal[last] += 0.1
        engine.packed.goal_before[:] = goal  # a goal that jumps is not one that moves
        run(engine, steps)
        wt = rate * steps * STEP
        share = (engine.bodies[0].angle[last] - first) / 0.1
        assert share == pytest.approx(1 - (1 + wt) * np.exp(-wt), abs=0.1)

    def test_a_moving_goal_is_followed_without_lag(self):
        engine = start(servo=50.0)
        goal, speed = engine.orders[0].goal, 2.0
        for _ in range(150):
            goal[0] += speed * STEP
            engine.step(NOWHERE, NOWHERE)
        assert abs(engine.bodies[0].angle[0] - goal[0]) < 0.25 * 2 * speed / 50.0

    def test_springs_are_those_of_a_natural_frequency(self):
        figure = make_figure(servo=70.0)
        servo = build_servo(figure)
        inertia = measure_inertia(figure) + servo.armature
        assert np.allclose(servo.stiffness, inertia * 70.0**2)
        assert np.allclose(servo.damping, 2 * inertia * 70.0)
        assert (servo.armature > 0).all()

    def test_the_abdomen_goes_where_it_is_told(self):
        engine = start()
        half = np.radians(15)
        engine.orders[0].pedicel_goal[:] = np.cos(half), 0, 0, np.sin(half)
        run(engine, 500)
        assert np.allclose(engine.bodies[0].pedicel, engine.orders[0].pedicel_goal, atol=1e-3)

    def test_limits_of_joints_hold(self):
        engine = start()
        engine.orders[0].goal[1] = 3.0  # the limit is 2
        run(engine, 300)
        assert engine.bodies[0].angle[1] < 2.1


class TestAnchors:
    def hang(self, legs=range(8), **orders) -> Engine:
        """A heavy climber on its feet."""
        engine = start()
        tips = find_tips(engine)
        order = engine.orders[0]
        order.weight[0] = 1.0
        for leg in legs:
            order.held[leg], order.anchor[leg] = 1, tips[leg]
        return engine

    def test_held_feet_stay_under_the_weight(self):
        engine = self.hang()
        tips, length = find_tips(engine), 7.0
        run(engine, 1000)
        assert np.linalg.norm(find_tips(engine) - tips, axis=1).max() < 1e-3 * length

    @pytest.mark.parametrize("servo", [100.0, 400.0])
    def test_a_foot_that_is_held_stops_at_once_however_stiff_its_leg_is(self, servo):
        """An anchor takes all speed from a foot: it does not slide on for some steps."""
        engine = start(servo=servo)
        speed = 10.0
        engine.bodies[0].speed[1] = speed  # the leg's second hinge lifts all beyond it
        engine.read_in()
        tip = find_tips(engine)[0]
        goes_on = speed * STEP * np.linalg.norm(tip - engine.data.xpos[4])
        order = engine.orders[0]
        order.held[0], order.anchor[0] = 1, tip
        for _ in range(10):
            engine.step(NOWHERE, NOWHERE)
            assert np.linalg.norm(find_tips(engine)[0] - tip) < 0.1 * goes_on

    def test_anchors_carry_the_weight(self):
        engine = run(self.hang(), 2000)
        pull, weight = engine.felt[0].pull, make_figure().total_mass * GRAVITY
        assert np.abs(engine.bodies[0].velocity).max() < 0.01
        assert pull.sum() >= 0.99 * weight  # more, where they also pull sideways
        engine = self.hang(legs=[2])
        run(engine, 4000)
        assert engine.felt[0].pull[2] == pytest.approx(weight, rel=0.1)
        assert (engine.felt[0].pull[[0, 1, 3, 4]] == 0).all()

    def test_a_foot_that_is_let_go_falls(self):
        engine = run(self.hang(), 50)
        engine.orders[0].held[:] = 0
        tips = find_tips(run(engine, 100))
        assert tips[:, 1].max() < 50 - 5

    def test_a_held_object_is_dragged_and_pulls_back(self):
        """Climber and object are one system: a force on the thorax moves their common centre."""
        engine = start([CUBE], at=(0, 50, 0))
        tips = find_tips(engine)
        engine.gravity = 0.0
        engine.blocks[0].place[:] = tips[0] + [0.0, -1.0, 0.0]
        engine.read_in()
        order = engine.orders[0]
        order.held[0], order.host[0], order.anchor[0] = 1, 0, (0, 1, 0)
        order.force[:] = 0, 2000.0, 0
        steps = 250
        mass = make_figure().total_mass
        before = (mass * find_centre(engine) + 4.0 * engine.blocks[0].place) / (mass + 4.0)
        run(engine, steps)
        after = (mass * find_centre(engine) + 4.0 * engine.blocks[0].place) / (mass + 4.0)
        rise = 2000.0 / (mass + 4.0) * STEP**2 * steps * (steps + 1) / 2
        assert np.allclose(after - before, [0, rise, 0], atol=0.02 * rise)
        block = engine.blocks[0]
        top = block.place + block.turn @ [0, 1, 0]
        assert np.linalg.norm(top - find_tips(engine)[0]) < 0.01
        assert block.velocity[1] > 0.5 * 2000.0 / (mass + 4.0) * steps * STEP

    def test_load_of_a_foot_rests_on_its_host(self):
        engine = start([CUBE], at=(0, 50, 0))
        engine.gravity = 0.0
        engine.blocks[0].place[:] = 30, 0, 0
        engine.read_in()
        order = engine.orders[0]
        order.held[0], order.host[0], order.anchor[0] = 1, 0, (0.5, 1, 0)
        order.load[0] = 0, -100.0, 0
        before = engine.data.qfrc_applied.copy()
        engine.step(NOWHERE, NOWHERE)
        added = engine.data.qfrc_applied[-6:] - before[-6:]
        assert np.allclose(added, [0, -100, 0, 0, 0, -50])


class TestGround:
    def test_a_climber_that_falls_comes_to_rest_on_the_ground(self):
        ground, barrier = make_floor()
        engine = start(at=(0, 4, 0))
        engine.orders[0].weight[0] = 1.0
        run(engine, 1000, ground, barrier)
        assert np.abs(engine.bodies[0].velocity).max() < 0.5
        lowest = engine.bodies[0].place[1] - 0.5
        assert -0.03 * 5 < lowest < 2
        felt = engine.felt[0]
        assert felt.touch.sum() + felt.body_touch.sum() > 0.9 * make_figure().total_mass * GRAVITY
        assert felt.energy[0] > 0

    def test_what_falls_loses_the_energy_of_its_height(self):
        ground, barrier = make_floor()
        engine = start(at=(0, 10, 0))
        engine.orders[0].weight[0] = 1.0
        before = find_centre(engine)[1]
        run(engine, 1500, ground, barrier)
        lost = make_figure().total_mass * GRAVITY * (before - find_centre(engine)[1])
        assert 0.6 * lost < engine.felt[0].energy[0] < 1.02 * lost  # springs of joints take some

    def test_no_part_goes_through_an_edge(self):
        """Dropped across the edge of a box, it lies on it or slides off; nothing is inside."""
        box = BoxTerrain(shape="box", at=(0, -5, 0), size=(6, 10, 40))
        ground = build_terrain([box])
        engine = start(at=(2.5, 3.0, 0))
        engine.orders[0].weight[0] = 1.0
        deepest = 0.0
        for _ in range(300):
            engine.step(ground.arrays, NOWHERE)
            deepest = min(deepest, float(ground.sample(list_axes(engine))[0].min()))
        assert deepest > -0.15

    def test_wall_and_floor_are_both_felt(self):
        ground = build_terrain(
            [
                BoxTerrain(shape="box", at=(0, -5, 0), size=(60, 10, 60)),
                BoxTerrain(shape="box", at=(15, 5, 0), size=(10, 30, 60)),
            ]
        )
        engine = start(at=(8.85, 0.52, 0), legs=2, abdomen=False)
        engine.step(ground.arrays, NOWHERE)
        w, x, y, z = engine.data.mocap_quat[:2].T
        normal = np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
        assert np.allclose(normal.T, [[-1, 0, 0], [0, 1, 0]])
        assert np.allclose(engine.data.mocap_pos[0, 0], 10)
        assert np.allclose(engine.data.mocap_pos[1, 1], 0)


def list_axes(engine: Engine) -> np.ndarray:
    """Points of the axes of all segments, and the middle of the thorax."""
    figure = make_figure()
    body = 3 + np.arange(len(figure.length))
    ahead = engine.data.xmat[body].reshape(-1, 3, 3)[:, :, 0] * figure.length[:, None]
    points = [engine.data.xpos[body] + share * ahead for share in np.linspace(0, 0.9, 7)]
    return np.concatenate([*points, engine.data.xpos[1:2]])


class TestBlocks:
    @pytest.mark.parametrize(
        ("shape", "size", "moments"),
        [
            (BOX_SHAPE, (1.0, 2.0, 3.0), (13 / 12, 10 / 12, 5 / 12)),
            (BALL, (2.0, 2.0, 2.0), (0.4, 0.4, 0.4)),
            (ROLLER, (3.0, 2.0, 2.0), (0.5, 1.0, 1.0)),
        ],
    )
    def test_inertia(self, shape, size, moments):
        block = BlockShape(shape, size, 5.0, 1.0)
        assert np.allclose(block.inertia, 5.0 * np.array(moments))
        model = Engine([], [block]).model
        assert model.body_mass[1] == 5.0
        assert np.allclose(np.sort(model.body_inertia[1]), np.sort(5.0 * np.array(moments)))

    def drop(self, blocks, places, steps, ground, turn=(0, 0, 0)) -> Engine:
        engine = start(blocks, member=False)
        for state, place in zip(engine.blocks, places, strict=True):
            state.place[:], state.turn[:] = place, matrix_from_turn(turn)
        engine.read_in()
        return run(engine, steps, *ground)

    def test_a_ball_lies_in_the_corner_between_two_slopes(self):
        """Both carry it and it is inside of neither: its middle is √2 radii above the edge."""
        slope = 2**-0.5
        planes = [
            PlaneTerrain(shape="plane", friction=0.2, normal=(side * slope, slope, 0.0))
            for side in (-1, 1)
        ]
        ground = build_terrain(planes).arrays, NOWHERE
        ball = BlockShape(BALL, (2.0, 2.0, 2.0), 4.0, 1.0)
        engine = self.drop([ball], [(0.3, 2.2, 0.0)], 300, ground)
        for _ in range(50):
            run(engine, 1, *ground)
            assert np.allclose(engine.blocks[0].place[:2], [0, 2**0.5], atol=0.02)

    def test_friction_does_not_keep_a_ball_inside_of_two_surfaces_that_face_each_other(self):
        """Pressed by a tenth of its radius between a floor and an overhang, it comes out."""
        normal, middle = np.array([0.8, -0.6, 0.0]), np.array([0.0, 0.9, 0.0])
        over = middle - 0.9 * normal
        planes = [
            PlaneTerrain(shape="plane", friction=1.0),
            PlaneTerrain(shape="plane", friction=1.0, at=tuple(over), normal=tuple(normal)),
        ]
        ground = build_terrain(planes).arrays, NOWHERE
        ball = BlockShape(BALL, (2.0, 2.0, 2.0), 4.0, 1.0)
        place = self.drop([ball], [middle], 50, ground).blocks[0].place
        assert place[1] > 0.97 and (place - over) @ normal > 0.97

    @pytest.mark.parametrize("friction", [0.5, 0.2])
    def test_a_slope_holds_or_lets_slide(self, friction):
        slope = np.radians(20)
        along = np.array([np.cos(slope), -np.sin(slope), 0])
        up = np.array([np.sin(slope), np.cos(slope), 0])
        ground = make_floor(friction, slope)
        engine = self.drop([CUBE], [up * 1.001], 100, ground, (0, 0, -20))
        first, velocity = engine.blocks[0].place.copy(), engine.blocks[0].velocity @ along
        steps = 250
        run(engine, steps, *ground)
        gained = (engine.blocks[0].velocity @ along - velocity) / (steps * STEP)
        if friction > np.tan(slope):
            assert np.linalg.norm(engine.blocks[0].place - first) < 0.02
        else:
            pull = GRAVITY * (np.sin(slope) - friction * np.cos(slope))
            assert gained == pytest.approx(pull, rel=0.02)

    @pytest.mark.parametrize("shape", [BOX_SHAPE, BALL, ROLLER])
    def test_what_rests_is_hardly_in_the_ground(self, shape):
        block = BlockShape(shape, (2.0, 2.0, 2.0), 4.0, 1.0)
        engine = self.drop([block], [(0, 1.2, 0)], 500, make_floor())
        assert engine.blocks[0].place[1] == pytest.approx(1.0, abs=0.01)
        assert np.abs(engine.blocks[0].velocity).max() < 0.1

    def test_a_ball_rolls_down_with_five_sevenths(self):
        """Of what a slider without friction has; less the rolling friction, 0.01 of its radius."""
        slope = np.radians(10)
        along = np.array([np.cos(slope), -np.sin(slope), 0])
        up = np.array([np.sin(slope), np.cos(slope), 0])
        ball = BlockShape(BALL, (2.0, 2.0, 2.0), 4.0, 1.0)
        engine = self.drop([ball], [up], 50, make_floor(1.0, slope))
        velocity = engine.blocks[0].velocity @ along
        run(engine, 200, *make_floor(1.0, slope))
        gained = (engine.blocks[0].velocity @ along - velocity) / (200 * STEP)
        pull = GRAVITY * (np.sin(slope) - 2 * ROLLING * np.cos(slope))
        assert gained == pytest.approx(5 / 7 * pull, rel=0.03)

    def test_five_blocks_stand_on_each_other(self):
        places = [(0, 1.0 + 2.0 * k, 0) for k in range(5)]
        engine = self.drop([CUBE] * 5, places, 1000, make_floor())
        for state, place in zip(engine.blocks, places, strict=True):
            assert np.linalg.norm(state.place - place) < 0.1
            assert np.abs(state.velocity).max() < 0.5

    def test_a_block_topples_off_an_edge_when_its_middle_is_beyond(self):
        box = BoxTerrain(shape="box", at=(-20, -5, 0), size=(40, 10, 40))
        ground = build_terrain([box]).arrays, NOWHERE
        stays = self.drop([CUBE], [(-0.3, 1.0, 0)], 400, ground)
        falls = self.drop([CUBE], [(0.3, 1.0, 0)], 400, ground)
        assert stays.blocks[0].place[1] > 0.95
        assert falls.blocks[0].place[1] < 0

    def test_a_ball_that_rolls_on_the_flat_comes_to_rest(self):
        ball = BlockShape(BALL, (2.0, 2.0, 2.0), 4.0, 1.0)
        engine = self.drop([ball], [(0, 1.0, 0)], 50, make_floor())
        engine.blocks[0].velocity[:], engine.blocks[0].spin[:] = (5, 0, 0), (0, 0, -5)
        engine.read_in()
        run(engine, 100, *make_floor())
        slowed = (5 - engine.blocks[0].velocity[0]) / (100 * STEP)
        assert slowed == pytest.approx(5 / 7 * GRAVITY * 2 * ROLLING, rel=0.05)

    def test_surfaces_of_objects_go_where_objects_are(self):
        shapes = [CUBE, BlockShape(BALL, (2, 2, 2), 1, 1), BlockShape(ROLLER, (6, 2, 2), 1, 1)]
        engine = start(shapes, member=False)
        arrays = blocks_to_arrays(shapes, engine.blocks)
        turn = matrix_from_turn((0, 0, 90))
        for k, state in enumerate(engine.blocks):
            state.place[:], state.turn[:] = (10 * k, 5, 0), turn
        engine.write_blocks(arrays)
        points = [[10, 8, 0], [0, 7, 0], [20, 9, 0], [22, 5, 0]]
        distance, _, which = Terrain(arrays).sample(points)
        assert np.allclose(distance, [2, 1, 1, 1])  # the cylinder stands: it reaches up to 8
        assert which.tolist() == [1, 0, 2, 2]


class TestSame:
    def scene(self) -> tuple[Engine, tuple]:
        engine = start([CUBE, CUBE], at=(0, 2.5, 0))
        engine.blocks[0].place[:], engine.blocks[1].place[:] = (3.0, 1.0, 0.3), (0.2, 6.0, 0.1)
        engine.orders[0].weight[0] = 1.0
        engine.read_in()
        return engine, make_floor()

    def test_same_start_same_bits(self):
        ends = []
        for _ in range(2):
            engine, ground = self.scene()
            run(engine, 200, *ground)
            ends.append(np.concatenate([engine.data.qpos, engine.data.qvel, engine.felt[0].touch]))
        assert (ends[0] == ends[1]).all()

    def test_a_state_goes_on_to_the_last_bit_in_a_new_engine(self):
        engine, ground = self.scene()
        run(engine, 120, *ground)
        engine.read_in()
        other, _ = self.scene()
        other.take(engine.orders)
        other.set_warm(engine.warm())
        other.read_in(engine.bodies, engine.blocks)
        for one in (engine, other):
            run(one, 60, *ground)
        assert (engine.data.qpos == other.data.qpos).all()
        assert (engine.data.qvel == other.data.qvel).all()

    def test_what_flies_apart_is_named(self):
        engine = Engine([Member(make_figure())], names=["spider"])
        engine.orders[0].force[0] = np.nan
        with pytest.raises(SimulationError, match=r"'spider' flies apart; try"):
            engine.step(NOWHERE, NOWHERE)
