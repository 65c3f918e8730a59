"""Where everything is among the engine's arrays, and arrays of all climbers in one piece.

States, orders and senses of climbers are views of arrays that have all of them one after the other,
so that a kernel goes through all in one call, and nothing is copied for a step.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from skitter.control.climbing.model import BodyState, Felt, Orders
from skitter.creatures.climber.engine_model import (
    BLOCK_PLATES,
    SEGMENT_PLATES,
    TIP,
    TRUNK_PLATES,
    Member,
    build_servo,
    find_end,
    find_masks,
    tune_pedicel,
)
from skitter.creatures.climber.engine_steps import JOINT as JOINT
from skitter.creatures.climber.engine_steps import JOINTS as JOINTS
from skitter.creatures.climber.engine_steps import LEG, LEGS, NOBODY
from skitter.creatures.climber.engine_steps import V as V
from skitter.creatures.climber.plates import BLOCK, CAPSULE, LUMP, PROBES, Parts
from skitter.creatures.climber.shapes import BlockShape, BlockState


class Layout(NamedTuple):
    """What never changes."""

    member: np.ndarray  # [climber, 9] int64
    block: np.ndarray  # [4] int64: first of the objects' bodies, qpos, qvel; how many
    block_mass: np.ndarray  # [object] g
    stiffness: np.ndarray  # [joint] dyn cm
    damping: np.ndarray  # [joint] dyn cm s
    armature: np.ndarray  # [joint] g cm2, without that of dampers
    lead: np.ndarray  # [joint] s
    limit: np.ndarray  # [joint, 2] rad
    pedicel: np.ndarray  # [climber, 2] dyn cm; dyn cm s
    leg_member: np.ndarray  # [leg] int64
    foot_geom: np.ndarray  # [leg] int64
    foot_meets: np.ndarray  # [leg] int64, what a foot that is not held may touch
    geom_felt: np.ndarray  # [geom] int64: row of Packed.press that feels it, or NOBODY


class Packed(NamedTuple):
    """What changes, of all climbers and objects: see BodyState, Orders, Felt, BlockState."""

    place: np.ndarray  # [climber, 3]
    turn: np.ndarray  # [climber, 3, 3]
    velocity: np.ndarray
    spin: np.ndarray
    pedicel: np.ndarray
    pedicel_speed: np.ndarray
    angle: np.ndarray  # [joint]
    speed: np.ndarray
    force: np.ndarray
    torque: np.ndarray
    goal: np.ndarray
    pedicel_goal: np.ndarray
    held: np.ndarray  # [leg]
    anchor: np.ndarray
    host: np.ndarray
    weight: np.ndarray  # [climber]
    strength: np.ndarray
    load: np.ndarray
    pull: np.ndarray
    press: np.ndarray  # [joint + 2 climber] dyn, on segments, then on thorax and abdomen
    energy: np.ndarray  # [climber]
    block_place: np.ndarray  # [object, 3]
    block_turn: np.ndarray
    block_velocity: np.ndarray
    block_spin: np.ndarray
    goal_before: np.ndarray  # [joint] goals of the step before; not a number: none
    speed_before: np.ndarray  # [dof] of the engine, before the step


def build_packed(members: int, joints: int, legs: int, blocks: int, dofs: int) -> Packed:
    """Everybody at the origin, nothing ordered."""

    def rows(*shape: int) -> np.ndarray:
        return np.zeros(shape)

    def straight() -> np.ndarray:
        return np.tile([1.0, 0.0, 0.0, 0.0], (members, 1))

    return Packed(
        place=rows(members, 3),
        turn=np.tile(np.eye(3), (members, 1, 1)),
        velocity=rows(members, 3),
        spin=rows(members, 3),
        pedicel=straight(),
        pedicel_speed=rows(members, 3),
        angle=rows(joints),
        speed=rows(joints),
        force=rows(members, 3),
        torque=rows(members, 3),
        goal=rows(joints),
        pedicel_goal=straight(),
        held=np.zeros(legs, np.int64),
        anchor=rows(legs, 3),
        host=np.full(legs, -1, np.int64),
        weight=rows(members),
        strength=np.ones(members),
        load=rows(legs, 3),
        pull=rows(legs),
        press=rows(joints + 2 * members),
        energy=rows(members),
        block_place=rows(blocks, 3),
        block_turn=np.tile(np.eye(3), (blocks, 1, 1)),
        block_velocity=rows(blocks, 3),
        block_spin=rows(blocks, 3),
        goal_before=np.full(joints, np.nan),
        speed_before=rows(dofs),
    )


def view_bodies(packed: Packed, layout: Layout) -> list[BodyState]:
    """The states of the climbers: views."""
    p = packed
    return [
        BodyState(
            p.place[m], p.turn[m], p.velocity[m], p.spin[m], p.pedicel[m], p.pedicel_speed[m],
            p.angle[joint], p.speed[joint],
        )
        for m, joint, _ in list_slices(layout)
    ]  # fmt: skip


def view_orders(packed: Packed, layout: Layout) -> list[Orders]:
    p = packed
    return [
        Orders(
            p.force[m], p.torque[m], p.goal[joint], p.pedicel_goal[m], p.held[leg], p.anchor[leg],
            p.host[leg], p.weight[m : m + 1], p.strength[m : m + 1], p.load[leg],
        )
        for m, joint, leg in list_slices(layout)
    ]  # fmt: skip


def view_felt(packed: Packed, layout: Layout) -> list[Felt]:
    p, joints = packed, len(packed.angle)
    trunk = p.press[joints:].reshape(-1, 2)
    return [
        Felt(p.pull[leg], p.press[joint], trunk[m], p.energy[m : m + 1])
        for m, joint, leg in list_slices(layout)
    ]


def view_blocks(packed: Packed) -> list[BlockState]:
    p = packed
    return [
        BlockState(p.block_place[b], p.block_turn[b], p.block_velocity[b], p.block_spin[b])
        for b in range(len(p.block_place))
    ]


def list_slices(layout: Layout) -> list[tuple[int, slice, slice]]:
    """Each climber's number, joints and legs."""
    return [
        (m, slice(row[JOINT], row[JOINT] + row[JOINTS]), slice(row[LEG], row[LEG] + row[LEGS]))
        for m, row in enumerate(layout.member.tolist())
    ]


def build_layout(members: Sequence[Member], blocks: Sequence[BlockShape], geoms: int) -> Layout:
    """Follows the order of `engine_model.write_model`."""
    rows, servos, pedicels = [], [], []
    leg_member: list[int] = []
    foot_geom: list[int] = []
    foot_meets: list[int] = []
    felt = np.full(geoms, NOBODY, np.int64)
    joints = sum(len(member.figure.length) for member in members)
    body, q, v, jnt, joint, leg, geom = 1, 0, 0, 0, 0, 0, 0
    for number, (figure, _, _, parts) in enumerate(members):
        has, hinges, legs = int(bool(figure.has_abdomen)), len(figure.length), len(figure.hip)
        rows.append([body, q, v, jnt, has, joint, hinges, leg, legs])
        servos.append(build_servo(figure))
        pedicels.append(tune_pedicel(members[number]) if has else (0.0, 0.0))
        trunk = 1 + len(parts)
        felt[geom : geom + trunk] = joints + 2 * number
        felt[geom + trunk : geom + trunk + has] = joints + 2 * number + 1
        geom += trunk + has
        felt[geom : geom + hinges] = joint + np.arange(hinges)
        foot_geom += list(geom + np.asarray(figure.leg_first[1:]) - 1)
        leg_member += [number] * legs
        foot_meets += [find_masks(number, len(members))[2]] * legs
        body, geom = body + 1 + has + hinges, geom + hinges
        q, v, jnt = q + 7 + 4 * has + hinges, v + 6 + 3 * has + hinges, jnt + 1 + has + hinges
        joint, leg = joint + hinges, leg + legs
    return Layout(
        member=np.array(rows, np.int64).reshape(-1, 9),
        block=np.array([body, q, v, len(blocks)], np.int64),
        block_mass=np.array([block.mass for block in blocks], float),
        stiffness=np.concatenate([np.zeros(0), *(one.stiffness for one in servos)]),
        damping=np.concatenate([np.zeros(0), *(one.damping for one in servos)]),
        armature=np.concatenate([np.zeros(0), *(one.armature for one in servos)]),
        lead=np.concatenate([np.zeros(0), *(one.lead for one in servos)]),
        limit=np.concatenate([np.zeros((0, 2)), *(one.figure.limit[:, :2] for one in members)]),
        pedicel=np.array(pedicels, float).reshape(-1, 2),
        leg_member=np.array(leg_member, np.int64),
        foot_geom=np.array(foot_geom, np.int64),
        foot_meets=np.array(foot_meets, np.int64),
        geom_felt=felt,
    )


def build_parts(members: Sequence[Member], blocks: Sequence[BlockShape]) -> Parts:
    """All that plates are laid for, in the order of `engine_model.write_model`."""
    index: list[list[int]] = []
    size: list[list[float]] = []
    body, plate, leg, geom = 1, 0, 0, 0
    for member in members:
        lumps = list_lumps(member)
        has = int(bool(member.figure.has_abdomen))
        for k, (at, edges) in enumerate(lumps):
            of = body + (1 if has and k == len(lumps) - 1 else 0)
            index.append([LUMP, of, plate, TRUNK_PLATES, 0, 0, -1])
            half = np.asarray(edges) / 2
            size.append([*at, *half, half.max(), 0.0])
            plate += TRUNK_PLATES
        more_index, more_size = list_segments(member, body + 1 + has, plate, leg)
        index, size = index + more_index, size + more_size
        body, plate = body + 1 + has + len(more_index), plate + SEGMENT_PLATES * len(more_index)
        leg, geom = leg + len(member.figure.hip), geom + len(lumps) + len(more_index)
    for block in blocks:
        geom += 1
        edges = np.asarray(block.size)
        index.append([BLOCK, body, plate, BLOCK_PLATES, block.shape, geom, -1])
        size.append([0, 0, 0, *edges / 2, block.reach, TIP * edges.min()])
        body, plate, geom = body + 1, plate + BLOCK_PLATES, geom + BLOCK_PLATES
    seen = np.tile([0.0, 0.0, 0.0, -1.0], (len(index), 1))
    return Parts(
        np.array(index, np.int64).reshape(-1, 7),
        np.array(size, float).reshape(-1, 8),
        seen,
        np.zeros((PROBES, 8)),
        np.zeros(PROBES, np.int64),
    )


def list_lumps(member: Member) -> list[tuple[np.ndarray, np.ndarray]]:
    """Middles and edges of the trunk's ellipsoids: thorax, welded parts, abdomen."""
    figure = member.figure
    lumps = [(np.zeros(3), np.asarray(figure.thorax_size))]
    lumps += [(row[:3], row[3:]) for row in np.asarray(member.parts, float).reshape(-1, 6)]
    if figure.has_abdomen:
        lumps.append((np.asarray(figure.abdomen_middle), np.asarray(figure.abdomen_size)))
    return lumps


def list_segments(
    member: Member, body: int, plate: int, leg: int
) -> tuple[list[list[int]], list[list[float]]]:
    """Rows of Parts for the segments of one climber's legs."""
    figure, index, size = member.figure, [], []
    for k, last in enumerate(figure.leg_first[1:]):
        for j in range(int(figure.leg_first[k]), int(last)):
            foot = leg + k if j == last - 1 else -1
            at = plate + SEGMENT_PLATES * j
            index.append([CAPSULE, body + j, at, SEGMENT_PLATES, 0, 0, foot])
            half, radius = find_end(figure, j, int(last)) / 2, float(figure.radius[j])
            size.append([half, 0.0, 0.0, half, radius, 0.0, half + radius, 0.0])
    return index, size
