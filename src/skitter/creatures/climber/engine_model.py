"""Climbers and movable objects as a model of the rigid-body engine (Cenydd 2012 section 3).

A climber is a free thorax, an abdomen on a ball joint, and legs of hinges. Springs whose rest is
moved are the servos: of each hinge k = I w^2 and c = 2 I w, with I all that it turns and w the
servo's natural frequency. Since dampers act at the end of a step and are all in the same proportion
to their springs, no step is too long for light segments at the ends of legs. A share of what a leg
weighs is added to each of its hinges ("armature"), so that neither are they thrown about.

The engine's own dampers are off. It finds the forces of anchors and contacts as if there were no
dampers, lets those act afterwards, and so a foot that is held by a leg of stiff servos would slide
on for some steps. A damper c at the end of a step h is the force -c v at its beginning, on an
inertia that is larger by h c (`find_armature`): the same motion, in which constraints are obeyed.

Feet are held by `connect` constraints, one for each and off at first. Each part that may touch the
ground has planes of its own (`plates.py`). What else may touch: an object and anything, the trunk
of a climber and trunks and legs of others. Every geom has its own friction, a plate that of the
ground; that of a contact is set when it is found (`engine.py`). Lengths are cm, masses g, times s.
The engine's own gravity is off: it is among the forces (`engine_steps.py`), as climbers that hold
on do not feel it (section 7).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from skitter.creatures.climber.engine_steps import OBJECT_BIT
from skitter.creatures.climber.shapes import BALL, BOX_SHAPE, BlockShape
from skitter.rotation import matrix_to_quaternion

OWN_ARMATURE, LEG_ARMATURE = 0.1, 0.02  # of what a hinge turns; of what the leg's first one turns
SEGMENT_PLATES, TRUNK_PLATES, BLOCK_PLATES = 1, 2, 8
HOLD_STEPS, TOUCH_STEPS = 2.0, 4.0  # steps in which anchors, and contacts, come back
LIMIT_SHORT, LIMIT_LONG = 2.0, 20.0  # likewise limits of joints that are hard, that are elastic
ROLLING, SPINNING = 0.005, 0.005  # of the size of what is round: arms of rolling friction
TRUNK_BIT, TRUNK_BITS = 2, 29  # of what may touch: the first of the trunks', and how many
TIP = 0.02  # of an object's size: radius of the balls that touch the ground for it


class Member(NamedTuple):
    """A climber as the engine sees it."""

    figure: Any  # Figure, of plan.py
    friction: float = 1.0
    pedicel: tuple[float, float] = (400.0, 1.0)  # stiffness, 1/s2; damping, of critical
    parts: np.ndarray = np.zeros((0, 6))  # [n, 6] welded to the thorax: middle, edges; cm


class Servo(NamedTuple):
    """Springs of joints."""

    stiffness: np.ndarray  # [joint] dyn cm
    damping: np.ndarray  # [joint] dyn cm s
    lead: np.ndarray  # [joint] s, by which a moving goal runs ahead to be followed
    armature: np.ndarray  # [joint] g cm2


def write_model(members: Sequence[Member], blocks: Sequence[BlockShape], step: float) -> str:
    """The model as the engine reads it. Bodies: climbers, objects, plates; all in order."""
    bodies, equalities, touches = [], [], []
    plate = 0
    for number, member in enumerate(members):
        bodies.append(write_member(member, number, len(members), step))
        equalities += write_anchors(member.figure, number, step)
        for part, count in enumerate(count_plates(member)):
            touches += [
                f'<pair geom1="w{plate + k}" geom2="m{number}p{part}"/>' for k in range(count)
            ]
            plate += count
    for number, block in enumerate(blocks):
        bodies.append(write_block(block, number))
        touches += [
            f'<pair geom1="w{plate + k}" geom2="b{number}t{k}" {write_friction(block, "1.0 1.0")}/>'
            for k in range(BLOCK_PLATES)
        ]
        plate += BLOCK_PLATES
    bodies += [
        f'<body mocap="true" pos="0 -1e6 0"><geom name="w{k}" type="plane" size="1 1 1"/></body>'
        for k in range(plate)
    ]
    return f"""<mujoco><compiler angle="radian" inertiafromgeom="auto"/>
<option timestep="{step!r}" integrator="Euler" cone="elliptic" impratio="5"
 jacobian="sparse" gravity="0 0 0" iterations="30" tolerance="1e-9">
<flag autoreset="disable"/></option>
<default>
<geom contype="0" conaffinity="0" {soft(TOUCH_STEPS * step)}/>
<pair condim="3" {soft(TOUCH_STEPS * step)}/>
</default>
<worldbody>{"".join(bodies)}</worldbody>
<equality>{"".join(equalities)}</equality><contact>{"".join(touches)}</contact></mujoco>"""


def soft(seconds: float, rest: str = "0.95 0.99 0.01 0.5 2") -> str:
    """How fast a constraint comes back, and how hard it is: at rest, deep, from which depth."""
    return f'solref="{seconds!r} 1" solimp="{rest}"'


def numbers(values: Any) -> str:
    return " ".join(repr(float(value)) for value in np.ravel(values))


def count_plates(member: Member) -> list[int]:
    """Planes of each part: thorax, welded parts, abdomen, segments."""
    trunk = 1 + len(member.parts) + int(bool(member.figure.has_abdomen))
    return [TRUNK_PLATES] * trunk + [SEGMENT_PLATES] * len(member.figure.length)


def find_masks(number: int, many: int) -> tuple[int, int, int]:
    """Of one of many climbers: what its trunk is to others, what its trunk meets, and its legs.

    Objects meet everything. Trunks meet trunks; legs those of others, but no legs.
    """
    own = TRUNK_BIT << (number % TRUNK_BITS)
    trunks = 0
    for k in range(min(many, TRUNK_BITS)):
        trunks |= TRUNK_BIT << k
    return own, OBJECT_BIT | trunks, OBJECT_BIT | (trunks & ~own)


def write_member(member: Member, number: int, many: int, step: float) -> str:
    figure, friction = member.figure, float(member.friction)
    full = list_moments(figure.trunk_inertia)
    trunk = [(np.zeros(3), np.asarray(figure.thorax_size))]
    trunk += [(row[:3], row[3:]) for row in np.asarray(member.parts, float).reshape(-1, 6)]
    masks = find_masks(number, many)
    lumps = [
        write_lump(f"m{number}p{k}", at, size, friction, masks)
        for k, (at, size) in enumerate(trunk)
    ]
    part = len(trunk)
    abdomen = ""
    if figure.has_abdomen:
        abdomen = write_abdomen(member, f"m{number}p{part}", masks, step)
        part += 1
    servo = build_servo(figure)
    armature = find_armature(servo, step)
    legs = "".join(
        write_leg(member, servo.stiffness, armature, leg, f"m{number}", part, masks[2], step)
        for leg in range(len(figure.hip))
    )
    return (
        f'<body name="m{number}"><freejoint/><inertial pos="{numbers(figure.trunk_centre)}" '
        f'mass="{float(figure.trunk_mass)!r}" fullinertia="{numbers(full)}"/>'
        f"{''.join(lumps)}{abdomen}{legs}</body>"
    )


def write_lump(
    name: str, at: np.ndarray, size: np.ndarray, friction: float, masks: tuple[int, int, int]
) -> str:
    """An ellipsoid of the trunk, given its edges."""
    return (
        f'<geom name="{name}" type="ellipsoid" pos="{numbers(at)}" size="{numbers(size / 2)}" '
        f'friction="{friction!r} 0 0" contype="{masks[0]}" conaffinity="{masks[1]}"/>'
    )


def write_abdomen(member: Member, name: str, masks: tuple[int, int, int], step: float) -> str:
    figure = member.figure
    middle, size = np.asarray(figure.abdomen_middle), np.asarray(figure.abdomen_size)
    full, mass = list_moments(figure.abdomen_inertia), float(figure.abdomen_mass)
    stiffness, damping = tune_pedicel(member)
    return (
        f'<body pos="{numbers(figure.pedicel)}"><joint type="ball" stiffness="{stiffness!r}" '
        f'armature="{step * damping!r}"/><inertial pos="{numbers(middle)}" mass="{mass!r}" '
        f'fullinertia="{numbers(full)}"/>'
        f"{write_lump(name, middle, size, float(member.friction), masks)}</body>"
    )


def list_moments(inertia: np.ndarray) -> list[float]:
    """Of a symmetric matrix [3, 3], in the engine's order."""
    return [inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]


def tune_pedicel(member: Member) -> tuple[float, float]:
    """Stiffness and damping of the abdomen's joint, from those of its inertia about it."""
    figure, (stiffness, damping) = member.figure, member.pedicel
    inertia = float(np.max(np.diag(figure.abdomen_inertia)))
    inertia += float(figure.abdomen_mass * np.sum(np.square(figure.abdomen_middle)))
    return inertia * stiffness, 2 * damping * inertia * float(np.sqrt(stiffness))


def write_leg(
    member: Member,
    stiffness: np.ndarray,
    armature: np.ndarray,
    leg: int,
    name: str,
    part: int,
    meets: int,
    step: float,
) -> str:
    """A chain of capsules; the last one ends where its tip is."""
    figure = member.figure
    first, last = int(figure.leg_first[leg]), int(figure.leg_first[leg + 1])
    text = ""
    place = f'pos="{numbers(figure.hip[leg])}" '
    place += f'quat="{numbers(matrix_to_quaternion(figure.hip_turn[leg]))}"'
    for j in range(first, last):
        length, radius = float(figure.length[j]), float(figure.radius[j])
        mass, end = float(figure.seg_mass[j]), find_end(figure, j, last)
        across = mass * (3 * radius**2 + length**2) / 12
        limit = step * (LIMIT_SHORT + (LIMIT_LONG - LIMIT_SHORT) * float(figure.elasticity[j]))
        text += (
            f'<body name="{name}s{j}" {place}><joint axis="{numbers(figure.axis[j])}" '
            f'limited="true" range="{numbers(figure.limit[j, :2])}" solreflimit="{limit!r} 1" '
            f'stiffness="{float(stiffness[j])!r}" armature="{float(armature[j])!r}"/>'
            f'<inertial pos="{length / 2!r} 0 0" '
            f'mass="{mass!r}" diaginertia="{mass * radius**2 / 2!r} {across!r} {across!r}"/>'
            f'<geom name="{name}p{part + j}" type="capsule" size="{radius!r}" '
            f'fromto="0 0 0 {end!r} 0 0" friction="{float(member.friction)!r} 0 0" '
            f'conaffinity="{meets}"/>'
        )
        place = f'pos="{length!r} 0 0"'
    return text + "</body>" * (last - first)


def find_end(figure: Any, joint: int, last: int) -> float:
    """Where the axis of a segment's capsule ends, cm."""
    length, radius = float(figure.length[joint]), float(figure.radius[joint])
    return max(length - radius, 0.05 * length) if joint == last - 1 else length


def write_anchors(figure: Any, number: int, step: float) -> list[str]:
    """Of each foot, at its tip."""
    hard = soft(HOLD_STEPS * step, "0.999 0.999 0.01 0.5 2")
    tips = [int(last) - 1 for last in figure.leg_first[1:]]
    return [
        f'<connect body1="m{number}s{j}" anchor="{float(figure.length[j])!r} 0 0" '
        f'active="false" {hard}/>'
        for j in tips
    ]


def build_servo(figure: Any) -> Servo:
    """Springs of all hinges; the lead makes up for what the damper holds a moving goal back."""
    turned = measure_inertia(figure)
    first, last = np.asarray(figure.leg_first[:-1]), np.asarray(figure.leg_first[1:])
    most = np.repeat(np.maximum.reduceat(turned, first), last - first)
    armature = OWN_ARMATURE * turned + LEG_ARMATURE * most
    inertia, rate = turned + armature, np.asarray(figure.servo)
    return Servo(inertia * rate**2, 2 * inertia * rate, 2 / rate, armature)


def find_armature(servo: Servo, step: float) -> np.ndarray:
    """Of all hinges [joint], g cm2, with that of their dampers."""
    return np.asarray(servo.armature + step * servo.damping)


def measure_inertia(figure: Any) -> np.ndarray:
    """What each hinge turns [joint], g cm2: all that is beyond it, with the leg at rest."""
    turned = np.zeros(len(figure.length))
    for first, last in zip(figure.leg_first[:-1], figure.leg_first[1:], strict=True):
        axes, place = np.eye(3), np.zeros(3)
        hinges = []
        for j in range(first, last):
            axes = axes @ turn_matrix(figure.axis[j], figure.rest[j])
            hinges.append((j, place, axes @ figure.axis[j]))
            ahead, length, mass = axes[:, 0], figure.length[j], figure.seg_mass[j]
            middle, across = place + ahead * length / 2, mass * length**2 / 12
            slim = mass * figure.radius[j] ** 2 / 4
            for k, at, hinge in hinges:
                arm, share = middle - at, float(ahead @ hinge) ** 2
                turned[k] += mass * (arm @ arm - (arm @ hinge) ** 2)
                turned[k] += (across + slim) * (1 - share) + 2 * slim * share
            place = place + ahead * length
    return turned


def turn_matrix(axis: np.ndarray, angle: float) -> np.ndarray:
    """A turn about a unit axis (Rodrigues)."""
    x, y, z = axis
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew)


def write_block(block: BlockShape, number: int) -> str:
    """A free object, and the balls that touch the ground for it, which are put where it is near."""
    size = np.asarray(block.size)
    half = size / 2
    if block.shape == BOX_SHAPE:
        kind, extent, turn = "box", numbers(half), ""
    elif block.shape == BALL:
        kind, extent, turn = "sphere", numbers(half[:1]), ""
    else:  # the engine's cylinders lie along z, ours along x
        kind, extent = "cylinder", numbers([half[1], half[0]])
        turn = 'quat="0.7071067811865476 0 0.7071067811865476 0"'
    tip = TIP * float(size.min())
    tips = "".join(
        f'<geom name="b{number}t{k}" type="sphere" size="{tip!r}" pos="1 2 3" '
        f'friction="{float(block.friction)!r} 0 0"/>'
        for k in range(BLOCK_PLATES)
    )
    return (
        f'<body name="b{number}"><freejoint/><inertial pos="0 0 0" mass="{block.mass!r}" '
        f'diaginertia="{numbers(block.inertia)}"/><geom type="{kind}" size="{extent}" {turn} '
        f'{write_friction(block, repr(float(block.friction)))} priority="1" contype="1" '
        f'conaffinity="1"/>{tips}</body>'
    )


def write_friction(block: BlockShape, sliding: str) -> str:
    """Of a geom, or of a pair, which has two numbers for sliding and for rolling."""
    if block.shape == BOX_SHAPE:
        return 'condim="3"' if " " in sliding else f'condim="3" friction="{sliding} 0 0"'
    size = max(block.size)
    roll = repr(ROLLING * size)
    rolling = f"{roll} {roll}" if " " in sliding else roll
    return f'condim="6" friction="{sliding} {SPINNING * size!r} {rolling}"'
