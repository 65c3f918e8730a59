"""How climbers and movable objects meet others: their shapes, how they answer, what they take.

A trunk is made of ellipsoids, legs of capsules, in the order of the engine's parts: thorax, what
is welded to it, abdomen, segments of legs. An object is a box, a ball or a cylinder.

In the engine an impulse is a force through a part of a frame, and a body answers as the engine's
step has it (`engine_touch.py`). Without rigid bodies a climber is one mass that does not turn; what
was solved for it is kept by planes that stop it (`control/climbing/stops.py`).
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.control.climbing.limbs import place_leg
from skitter.control.climbing.stops import STOPS
from skitter.control.climbing.surface import ask
from skitter.control.climbing.vectors import (
    TINY,
    add,
    along,
    column,
    cross,
    minus,
    norm,
    outward,
    take,
    take1,
    times,
    unit,
)
from skitter.creatures.climber.engine_layout import list_lumps
from skitter.creatures.climber.engine_model import find_end
from skitter.creatures.climber.engine_touch import Support
from skitter.creatures.climber.levels import COARSE
from skitter.creatures.climber.plan import Figure
from skitter.creatures.climber.shapes import BALL, ROLLER, BlockShape, BlockState
from skitter.creatures.creature import Touched
from skitter.meeting.shapes import (
    AXES,
    CENTRE,
    CORE,
    CYLINDER_CORE,
    ELLIPSOID_CORE,
    FRICTION,
    HALF,
    HOLDS,
    LIMB,
    PART,
    RADIUS,
    VELOCITY,
    Shapes,
    allocate_shapes,
    round_ellipsoid,
)

if TYPE_CHECKING:
    from skitter.creatures.climber.blocks import Block
    from skitter.creatures.climber.climber import Climber

SUPPORT_GAP = 0.02  # of the size of something: as near as this the ground carries it
MOST_LEVER, MOST_SHIFT = 3.0, 0.5  # of a push at the foot; of a leg's length
LOW = 0.7  # of its elevation: a driven climber that is pressed lower stands on the ground
CATCH_UP = 0.5  # of what an object was behind what had been solved for it
HELD = 1e-9  # of the mobility that the ground takes away: what is left of it
PRESSES = 0.1  # cosine between a push and the ground's normal, from which the ground resists


class Trunk(NamedTuple):
    """Where the parts of a trunk are."""

    middle: np.ndarray  # [lump, 3] cm, in the thorax's axes; of the abdomen from the pedicel
    end: np.ndarray  # [joint] cm, where the axis of a segment's capsule ends


# -- climbers ----------------------------------------------------------------------------------


def build_shapes(one: "Climber") -> tuple[Shapes, Trunk]:
    """Shapes of all parts, to be placed."""
    from skitter.creatures.climber.rig import describe

    figure, member = one.figure, describe(one)
    lumps = list_lumps(member)
    shapes = allocate_shapes(len(lumps) + len(figure.length))
    for k, (_, size) in enumerate(lumps):
        shapes.row[k, HALF : HALF + 3], shapes.row[k, RADIUS] = round_ellipsoid(size)
        shapes.tag[k, CORE] = ELLIPSOID_CORE
    end = np.zeros(len(figure.length))
    for last in figure.leg_first[1:]:
        for j in range(int(last)):
            end[j] = end[j] or find_end(figure, j, int(last))
    legs = slice(len(lumps), None)
    shapes.row[legs, HALF], shapes.row[legs, RADIUS] = end / 2, figure.radius
    shapes.row[:, FRICTION] = member.friction
    shapes.tag[:, PART] = np.arange(len(shapes.tag))
    shapes.tag[legs, LIMB] = HOLDS
    return shapes, Trunk(np.array([at for at, _ in lumps], float), end)


def find_reach(figure: Figure, trunk: Trunk) -> float:
    """How far any part of a climber can be from the middle of its thorax, cm."""
    legs = np.linalg.norm(figure.hip, axis=1) + figure.leg_length + figure.radius.max()
    tail = np.linalg.norm(figure.pedicel) + 2 * np.linalg.norm(figure.abdomen_size)
    size = np.linalg.norm(trunk.middle, axis=1).max() + np.linalg.norm(figure.thorax_size)
    return float(max(legs.max(), tail, size))


@inlined
def put_shape(row, k, middle, x, y, velocity):
    """Place a shape, given its middle and two of its axes."""
    z = cross(x, y)
    for i in range(3):
        row[k, CENTRE + i], row[k, VELOCITY + i] = middle[i], velocity[i]
        row[k, AXES + 3 * i], row[k, AXES + 3 * i + 1], row[k, AXES + 3 * i + 2] = x[i], y[i], z[i]


@kernel
def place_abdomen(figure, body, middle, row, k):
    """The abdomen turns about the pedicel, by a quaternion of the thorax's axes."""
    w, x, y, z = body.pedicel[0], body.pedicel[1], body.pedicel[2], body.pedicel[3]
    a = (1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y))
    b = (2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x))
    a, b = outward(body.turn, a), outward(body.turn, b)
    c = cross(a, b)
    joint = outward(body.turn, take1(figure.pedicel))
    arm = add(add(times(a, middle[0]), times(b, middle[1])), times(c, middle[2]))
    spin = take1(body.spin)
    own = body.pedicel_speed
    turns = add(spin, add(add(times(a, own[0]), times(b, own[1])), times(c, own[2])))
    velocity = add(take1(body.velocity), add(cross(spin, joint), cross(turns, arm)))
    put_shape(row, k, add(add(take1(body.place), joint), arm), a, b, velocity)


@kernel
def place_shapes(figure, trunk, body, most, row, room):
    """Bring the shapes of a climber to where its parts are; legs swing by `most` cm/s."""
    lumps = len(trunk.middle)
    place, velocity, spin = take1(body.place), take1(body.velocity), take1(body.spin)
    x, y = column(body.turn, 0), column(body.turn, 1)
    # thorax and what is welded to it, then the abdomen
    for k in range(lumps):
        if figure.has_abdomen and k == lumps - 1:
            place_abdomen(figure, body, trunk.middle[k], row, k)
        else:
            arm = outward(body.turn, take(trunk.middle, k))
            put_shape(row, k, add(place, arm), x, y, add(velocity, cross(spin, arm)))
    # legs, from the hip to the foot
    for leg in range(len(figure.hip)):
        first = figure.leg_first[leg]
        n = place_leg(figure, leg, body.angle, room.at, room.axis, room.ahead)
        arm = outward(body.turn, take(room.at, 0))
        at, moves, turns = add(place, arm), add(velocity, cross(spin, arm)), spin
        for k in range(n):
            j = first + k
            hinge = outward(body.turn, take(room.axis, k))
            ahead = outward(body.turn, take(room.ahead, k))
            turns = along(turns, hinge, body.speed[j])
            arm = times(ahead, 0.5 * trunk.end[j])
            side = (0.0, 0.0, 1.0) if abs(ahead[2]) < 0.9 else (1.0, 0.0, 0.0)
            across = unit(cross(side, ahead), side)
            middle, speed = add(at, arm), add(moves, cross(turns, arm))
            # as a part of the body, and its own swing
            carried = add(velocity, cross(spin, minus(middle, place)))
            swing = minus(speed, carried)
            speed = along(carried, swing, min(1.0, most / max(norm(swing), TINY)))
            put_shape(row, lumps + j, middle, ahead, across, speed)
            step = times(ahead, figure.length[j])
            at, moves = add(at, step), add(moves, cross(turns, step))


def is_low(one: "Climber", touched: Touched) -> bool:
    """Whether one without rigid bodies is pressed down to the ground."""
    up, traits = one.body.turn[:, 1], one.traits
    if one.surfaces is None or float((touched.normal @ up).min()) > -PRESSES:
        return False
    return bool(ask(one.surfaces, *one.body.place)[0] < LOW * traits.elevation)


def find_ground(one: "Climber", touched: Touched) -> Support:
    """Where the ground carries the trunk of a climber that is pressed against it."""
    lumps, found = len(one.trunk.middle), []
    for k in range(lumps if one.surfaces is not None else 0):
        row = one.shapes.row[k]
        distance, *normal, _, _ = ask(one.surfaces, *row[CENTRE : CENTRE + 3])
        normal = np.array(normal)
        half = row[HALF : HALF + 3] + row[RADIUS]
        reach = float(np.linalg.norm(half * (normal @ row[AXES : AXES + 9].reshape(3, 3))))
        pressed = (touched.normal @ normal < -PRESSES).any()
        if pressed and distance - reach < SUPPORT_GAP * half.min():
            found.append((k, row[CENTRE : CENTRE + 3] - distance * normal, normal))
    return Support(
        np.array([k for k, _, _ in found], np.int64),
        np.array([at for _, at, _ in found]).reshape(-1, 3),
        np.array([normal for _, _, normal in found]).reshape(-1, 3),
    )


@kernel
def answer_driven(row, body, mass, push, is_low, part, point, velocity, response):
    """A climber without rigid bodies: one mass that does not turn; legs go with it.

    `push` [3] cm/s is what it will do to its own speed; where it is low it moves only sideways,
    and stands like the ground below it.
    """
    spin, up = take1(body.spin), column(body.turn, 1)
    stiff = 1.0 if is_low else 0.0
    for i in range(len(part)):
        k = part[i]
        arm = minus(take(point, i), (row[k, CENTRE], row[k, CENTRE + 1], row[k, CENTRE + 2]))
        swing = cross(spin, arm)
        for a in range(3):
            velocity[i, a] = row[k, VELOCITY + a] + swing[a] + push[a]
        rise = velocity[i, 0] * up[0] + velocity[i, 1] * up[1] + velocity[i, 2] * up[2]
        for a in range(3):
            velocity[i, a] -= stiff * rise * up[a]
        for j in range(len(part)):
            for a in range(3):
                for c in range(3):
                    free = 1.0 if a == c else 0.0
                    response[3 * i + a, 3 * j + c] = (free - stiff * up[a] * up[c]) / mass


def take_driven(one: "Climber", touched: Touched, seconds: float) -> None:
    """Its thorax is kicked, and its speed along the normals is at least what was solved for."""
    body, stops = one.body, one.stops
    many = len(touched.part)  # motors follow, and there are none
    change = touched.velocity - one.answered[:many]
    wanted = body.velocity + one.coming
    body.velocity[:] += change[0]
    stops.many[0] = min(len(touched.part), STOPS)
    pressed = np.argsort(-np.linalg.norm(touched.impulse, axis=1), kind="stable")[:STOPS]
    for k, i in enumerate(pressed):
        stops.plane[k, :3] = touched.normal[i]
        stops.plane[k, 3] = touched.normal[i] @ (wanted + change[i])
    shift_legs(one, touched, seconds)


def shift_legs(one: "Climber", touched: Touched, seconds: float) -> None:
    """Legs that others push go aside, as fast as was solved for where they are touched, and faster
    at the foot."""
    figure, stops, lumps = one.figure, one.stops, len(one.trunk.middle)
    if one.level[0] == COARSE:
        stops.shift[:] = 0.0  # its feet keep what they were shifted by
    for i in np.flatnonzero((touched.part >= lumps) & touched.impulse.any(axis=1)):
        joint = int(touched.part[i]) - lumps
        leg = int(np.searchsorted(figure.leg_first, joint, side="right")) - 1
        first = int(figure.leg_first[leg])
        before = float(figure.length[first:joint].sum())
        lever = figure.leg_length[leg] / (before + 0.5 * float(figure.length[joint]))
        row, normal = one.shapes.row[touched.part[i]], touched.normal[i]
        lack = float(normal @ (touched.velocity[i] - row[VELOCITY : VELOCITY + 3]))
        if lack > 0:
            stops.pushed[leg] = 1
            stops.shift[leg] += min(lever, MOST_LEVER) * seconds * lack * normal
            size = float(np.linalg.norm(stops.shift[leg]))
            stops.shift[leg] *= min(1.0, MOST_SHIFT * figure.leg_length[leg] / max(size, TINY))


# -- objects -----------------------------------------------------------------------------------


def build_block_shape(shape: BlockShape) -> Shapes:
    """The shape of an object, to be placed."""
    shapes = allocate_shapes(1)
    half, row = np.array(shape.size) / 2, shapes.row[0]
    if shape.shape == BALL:
        row[RADIUS] = half[0]
    elif shape.shape == ROLLER:
        row[HALF], row[HALF + 1] = half[0], half[1]
        shapes.tag[0, CORE] = CYLINDER_CORE
    else:
        row[HALF : HALF + 3] = half
    row[FRICTION] = shape.friction
    return shapes


def place_block(state: BlockState, row: np.ndarray) -> None:
    row[CENTRE : CENTRE + 3], row[AXES : AXES + 9] = state.place, state.turn.reshape(9)
    row[VELOCITY : VELOCITY + 3] = state.velocity


def skew(arm: np.ndarray) -> np.ndarray:
    """Matrices that take cross products with some arms [n, 3]: skew(r) w = r x w."""
    x, y, z = arm.T
    zero = np.zeros(len(arm))
    return np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=1).reshape(-1, 3, 3)


def find_support(one: "Block") -> tuple[np.ndarray, np.ndarray]:
    """Points [n, 3] at which ground or obstacles carry an object now, and the normals there."""
    size = float(min(one.shape.size))
    ball = one.shape.shape == BALL
    points = one.block.place[None] if ball else one.place(one.corners)
    near, normals = [np.zeros((0, 3))], [np.zeros((0, 3))]
    for surface in (one.terrain, None if one.things is None else one.things.barrier):
        if surface is None or not len(surface.arrays.kind):
            continue
        distance, normal, _ = surface.sample(points)
        touches = distance - (size / 2 if ball else 0.0) < SUPPORT_GAP * size
        near.append(points[touches] - distance[touches, None] * normal[touches])
        normals.append(normal[touches])
    return np.concatenate(near), np.concatenate(normals)


def hold_up(inverse: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """What is left of a mobility [6, 6] where nothing moves along some rows [n, 6]."""
    if not len(rows):
        return inverse
    moved = inverse @ rows.T
    own = rows @ moved
    own[np.diag_indices_from(own)] += HELD * np.trace(own) / len(own)
    return np.asarray(inverse - moved @ np.linalg.solve(own, moved.T))


def answer_block(one: "Block", touched: Touched, seconds: float) -> None:
    """A rigid body, which does not go into the ground where it is pressed against that.

    Its weight, what carries it and half of what it was behind what was solved for it before stand
    for what the engine will do until the next meeting.
    """
    block, shape, many = one.block, one.shape, len(touched.part)
    inverse = np.zeros((6, 6))
    inverse[:3, :3] = np.eye(3) / shape.mass
    inverse[3:, 3:] = block.turn @ np.diag(1 / shape.inertia) @ block.turn.T
    at, normal = find_support(one)
    rows = np.concatenate([normal, np.cross(at - block.place, normal)], axis=1)
    # weight, against all that carries it
    fall = np.zeros(6)
    fall[1] = -shape.mass * one.physics.gravity * seconds
    motion = np.concatenate([block.velocity, block.spin])
    lag = motion - one.expected if one.was_touched[0] else np.zeros(6)
    one.expected[:] = motion + hold_up(inverse, rows) @ fall
    # pushes, against what they press it into
    pressed = (normal @ touched.normal.T < -PRESSES).any(axis=1)
    one.mobility = hold_up(inverse, rows[pressed])
    arms = -skew(touched.point - block.place)
    one.lever = np.concatenate([np.tile(np.eye(3), (many, 1, 1)), arms], axis=2).reshape(-1, 6)
    touched.velocity[:] = (one.lever @ (one.expected + CATCH_UP * lag)).reshape(-1, 3)
    touched.response[:] = one.lever @ one.mobility @ one.lever.T
