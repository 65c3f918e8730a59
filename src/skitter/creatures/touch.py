"""How a figure meets others: the shapes of its rigid parts, how they answer, what stops them.

A free part is a rigid body: it takes impulses as they come. A part that legs or muscles drive does
not turn, pushes with a motor of limited strength, and what a meeting has decided for it is kept
through the steps of a sub-frame by planes that stop it: whatever its Targeter wants, its speed
along the normal of a contact is at least the one that was solved for.
"""

from typing import TYPE_CHECKING

import numpy as np

from skitter.compiled import LANES, inlined, kernel
from skitter.control.bodies import (
    read_axes,
    read_position,
    read_spin,
    read_vector,
    read_velocity,
    write_vector,
)
from skitter.control.targeter import is_near_carried
from skitter.control.walker import ADJUSTMENT
from skitter.creatures.creature import Touched
from skitter.creatures.plan import BOX, BodyPlan, RigidPart
from skitter.creatures.stops import STOPS
from skitter.meeting.shapes import (
    AXES,
    CENTRE,
    FRICTION,
    HALF,
    RADIUS,
    VELOCITY,
    Shapes,
    allocate_shapes,
    round_box,
)
from skitter.meeting.solve import HOLD, MOTOR_ROW, SLACK, WANT
from skitter.rigid.bodies import (
    ANGULAR_MOMENTUM,
    INVERSE_INERTIA,
    MODEL_INVERSE_MASS,
    apply_symmetric,
)
from skitter.rigid.bodies import VELOCITY as BODY_VELOCITY

if TYPE_CHECKING:
    from skitter.creatures.figure import Figure

PREDICTED = 0.5  # of the last change of a velocity between two meetings, as the next
# columns of what is remembered of a free body within a frame: parts for which it is fresh,
# velocity and spin after its last meeting
FRESH, MEMORY_ROW = 0, 7
FREE_RATE = 600.0  # parts of a second, for those who have free parts and are near others
LET_GO = 4.0  # of the speed limit of walking: legs of parts that are hit faster let go
TORN_REACH = 3  # bodies before and after
SPARE = 1.0  # share of its weight that the feet of a walker hold by friction


def measure_part(part: RigidPart) -> np.ndarray:
    """Edges of the box around a part [3], cm."""
    if part.shape == BOX:
        return part.size
    radius, length = part.size[:2]
    return np.array([length + 2 * radius, 2 * radius, 2 * radius])


def find_boxes(plan: BodyPlan) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest corners of the parts at rest [body, 3], cm; each reaches to the middle of
    the soft blocks that it carries, so that nothing gets between two parts."""
    size = np.reshape([measure_part(part) for part in plan.rigid], (-1, 3))
    centre = np.reshape([part.centre for part in plan.rigid], (-1, 3))
    low, high = centre - size / 2, centre + size / 2
    for block in plan.soft:
        if block.start is None or block.end is None:
            continue
        middle = block.nodes.mean(axis=0)
        axis = int(np.abs(centre[block.end] - centre[block.start]).argmax())
        for body in (block.start, block.end):
            low[body, axis] = min(low[body, axis], middle[axis])
            high[body, axis] = max(high[body, axis], middle[axis])
    return low, high


def build_shapes(one: "Figure") -> tuple[Shapes, np.ndarray]:
    """Shapes of all rigid parts, to be placed, and where their middles are [body, 3] cm from the
    centres of mass, in the parts' axes."""
    low, high = find_boxes(one.plan)
    shapes = allocate_shapes(len(low))
    for body, size in enumerate(high - low):
        shapes.row[body, HALF : HALF + 3], shapes.row[body, RADIUS] = round_box(size)
    shapes.row[:, FRICTION] = one.body.friction
    shapes.tag[:, 0] = np.arange(len(low))
    mass_centre = np.reshape([weight.centre for weight in one.weights], (-1, 3))
    return shapes, (low + high) / 2 - mass_centre


@kernel
def place_shapes(bodies, frame, middle, row):
    """Bring the shapes to where the bodies are."""
    for b in range(len(middle)):
        R, p, v = read_axes(frame, b), read_position(bodies, b), read_velocity(bodies, b)
        w = read_spin(frame, b)
        x, y, z = middle[b, 0], middle[b, 1], middle[b, 2]
        r = (
            R[0] * x + R[1] * y + R[2] * z,
            R[3] * x + R[4] * y + R[5] * z,
            R[6] * x + R[7] * y + R[8] * z,
        )
        for i in range(3):
            row[b, CENTRE + i] = p[i] + r[i]
        for i in range(9):
            row[b, AXES + i] = R[i]
        row[b, VELOCITY] = v[0] + w[1] * r[2] - w[2] * r[1]
        row[b, VELOCITY + 1] = v[1] + w[2] * r[0] - w[0] * r[2]
        row[b, VELOCITY + 2] = v[2] + w[0] * r[1] - w[1] * r[0]


@inlined
def is_driven(walker, free, b):
    """Whether legs, the ground or muscles decide how a body moves."""
    if len(walker.supported) == 0 or walker.submerged[b]:
        return False
    tone = walker.mode[0] != ADJUSTMENT and free[b] and is_near_carried(walker, b)
    return walker.supported[b] > 0 or tone


@kernel
def mark_driven(walker, free, driven):
    for b in range(len(driven)):
        driven[b] = is_driven(walker, free, b)


@kernel
def answer_bodies(model, bodies, frame, driven, part, point, velocity, response):
    """Velocities of points on the bodies, and how they answer to impulses at each other.

    At one and the same body: v_i = v + w x r_i, and an impulse p at r_j changes v by p/m and w by
    K (r_j x p). Others do not answer within a sub-frame.
    """
    many = len(part)
    for i in range(many):
        b = part[i]
        p, v, w = read_position(bodies, b), read_velocity(bodies, b), read_spin(frame, b)
        rx, ry, rz = point[i, 0] - p[0], point[i, 1] - p[1], point[i, 2] - p[2]
        turns = 0.0 if driven[b] else 1.0
        velocity[i, 0] = v[0] + w[1] * rz - w[2] * ry
        velocity[i, 1] = v[1] + w[2] * rx - w[0] * rz
        velocity[i, 2] = v[2] + w[0] * ry - w[1] * rx
        inverse = float(model.rows[b // LANES, MODEL_INVERSE_MASS + b % LANES])
        k0 = read_vector(frame, INVERSE_INERTIA, b)
        k1 = read_vector(frame, INVERSE_INERTIA + 3 * LANES, b)
        K = (k0[0], k0[1], k0[2], k1[0], k1[1], k1[2])
        for j in range(many):
            for a in range(3):
                for c in range(3):
                    response[3 * i + a, 3 * j + c] = 0.0
            if part[j] != b:
                continue
            sx, sy, sz = point[j, 0] - p[0], point[j, 1] - p[1], point[j, 2] - p[2]
            for c in range(3):
                # an impulse of 1 along axis c at point j
                px, py, pz = 1.0 * (c == 0), 1.0 * (c == 1), 1.0 * (c == 2)
                tx, ty, tz = sy * pz - sz * py, sz * px - sx * pz, sx * py - sy * px
                wx, wy, wz = apply_symmetric(K, turns * tx, turns * ty, turns * tz)
                response[3 * i, 3 * j + c] = inverse * px + wy * rz - wz * ry
                response[3 * i + 1, 3 * j + c] = inverse * py + wz * rx - wx * rz
                response[3 * i + 2, 3 * j + c] = inverse * pz + wx * ry - wy * rx


@kernel
def take_impulses(model, bodies, frame, driven, part, point, impulse, normal, after, stops):
    """Free bodies take impulses; driven ones are stopped at what was solved for them."""
    for b in range(len(stops.many)):
        stops.many[b] = 0
    for i in range(len(part)):
        b = part[i]
        p, v = read_position(bodies, b), read_velocity(bodies, b)
        rx, ry, rz = point[i, 0] - p[0], point[i, 1] - p[1], point[i, 2] - p[2]
        if driven[b]:
            if stops.many[b] < STOPS:
                # the speed of the point, less what the body's spin does to it
                n, w = stops.plane[b, stops.many[b]], read_spin(frame, b)
                n[0], n[1], n[2] = normal[i, 0], normal[i, 1], normal[i, 2]
                n[3] = (
                    n[0] * (after[i, 0] - (w[1] * rz - w[2] * ry))
                    + n[1] * (after[i, 1] - (w[2] * rx - w[0] * rz))
                    + n[2] * (after[i, 2] - (w[0] * ry - w[1] * rx))
                )
                stops.many[b] += 1
            continue
        inverse = float(model.rows[b // LANES, MODEL_INVERSE_MASS + b % LANES])
        px, py, pz = impulse[i, 0], impulse[i, 1], impulse[i, 2]
        v = (v[0] + inverse * px, v[1] + inverse * py, v[2] + inverse * pz)
        write_vector(bodies.rows, BODY_VELOCITY, b, v[0], v[1], v[2])
        if inverse == 0.0:
            continue
        m = read_vector(bodies.rows, ANGULAR_MOMENTUM, b)
        m = (m[0] + ry * pz - rz * py, m[1] + rz * px - rx * pz, m[2] + rx * py - ry * px)
        write_vector(bodies.rows, ANGULAR_MOMENTUM, b, m[0], m[1], m[2])
        k0 = read_vector(frame, INVERSE_INERTIA, b)
        k1 = read_vector(frame, INVERSE_INERTIA + 3 * LANES, b)
        w = apply_symmetric((k0[0], k0[1], k0[2], k1[0], k1[1], k1[2]), m[0], m[1], m[2])
        write_vector(frame, 0, b, w[0], w[1], w[2])


@kernel
def remember_motion(bodies, frame, driven, part, memory):
    """Note how free bodies move with the impulses that they have just got."""
    memory[:, FRESH] = 0.0
    for b in part:
        if driven[b]:
            continue
        v, w = read_velocity(bodies, b), read_spin(frame, b)
        memory[b, FRESH] = 2.0
        for i in range(3):
            memory[b, 1 + i], memory[b, 4 + i] = v[i], w[i]


@kernel
def predict_points(bodies, frame, memory, part, point, velocity):
    """Add to the velocities of points what soft blocks will do to them until the next meeting: half
    of what they did since the last one. All of it would make energy."""
    for i in range(len(part)):
        b = part[i]
        if memory[b, FRESH] != 1.0:
            continue
        p, v, w = read_position(bodies, b), read_velocity(bodies, b), read_spin(frame, b)
        rx, ry, rz = point[i, 0] - p[0], point[i, 1] - p[1], point[i, 2] - p[2]
        wx, wy, wz = w[0] - memory[b, 4], w[1] - memory[b, 5], w[2] - memory[b, 6]
        velocity[i, 0] += PREDICTED * (v[0] - memory[b, 1] + wy * rz - wz * ry)
        velocity[i, 1] += PREDICTED * (v[1] - memory[b, 2] + wz * rx - wx * rz)
        velocity[i, 2] += PREDICTED * (v[2] - memory[b, 3] + wx * ry - wy * rx)


def find_torn(one: "Figure", touched: Touched) -> np.ndarray:
    """Bodies whose legs are torn off the ground [body]: those that a blow would make much faster
    than legs can go, and their neighbours."""
    torn = np.zeros(len(one.driven), bool)
    if one.driven[touched.part].any():
        most = LET_GO * one.walker.walk.speed_limit
        fast = np.linalg.norm(touched.velocity, axis=1) > most
        for body in touched.part[fast & (one.driven[touched.part] > 0)]:
            torn[max(body - TORN_REACH, 0) : body + TORN_REACH + 1] = True
    return torn


def list_motors(one: "Figure", part: np.ndarray, seconds: float) -> np.ndarray:
    """Motors of the driven bodies among some [body, MOTOR_ROW]: the feet of all carried bodies hold
    together, by friction, what presses against the touched ones."""
    walker, walk = one.walker_state, one.walker.walk
    carried = walker.supported > 0
    weight = float(one.body_mass[carried].sum()) * abs(one.physics.gravity)
    rows = np.zeros((len(part), MOTOR_ROW))
    rows[:, WANT : WANT + 3] = walker.drive[part, :3]
    rows[:, HOLD] = SPARE * one.body.friction * weight * seconds / max(len(part), 1)
    rows[:, SLACK] = walk.speed_limit
    return rows


def answer(one: "Figure", touched: Touched) -> None:
    """How a figure answers where it is touched."""
    frame = one.body_scratch.frame
    answer_bodies(
        one.body, one.body_state, frame, one.driven,
        touched.part, touched.point, touched.velocity, touched.response,
    )  # fmt: skip
    predict_points(
        one.body_state, frame, one.met_motion, touched.part, touched.point, touched.velocity
    )


def take(one: "Figure", touched: Touched) -> None:
    """What a figure does with the impulses of a meeting."""
    torn = find_torn(one, touched)
    if torn.any():
        one.lose_footing(torn)
        mark_driven(one.walker_state, one.walker.goal.free, one.driven)
    frame = one.body_scratch.frame
    take_impulses(
        one.body, one.body_state, frame, one.driven, touched.part, touched.point, touched.impulse,
        touched.normal, touched.velocity, one.body_scratch.stops,
    )  # fmt: skip
    remember_motion(one.body_state, frame, one.driven, touched.part, one.met_motion)
