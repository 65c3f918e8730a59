"""The arrays of a figure that change: its state, and the work space of a step."""

import numpy as np

from skitter.compiled import LANES
from skitter.creatures.coupling import CARRIER_ROWS
from skitter.creatures.pack import Pack
from skitter.creatures.plan import BodyPlan
from skitter.creatures.step import BodyScratch
from skitter.creatures.stops import build_stops
from skitter.elastic.damping import MOTION_ROWS
from skitter.elastic.soft import SoftModel, SoftScratch, SoftState
from skitter.elastic.tets import CELL_ROWS, ROTATION_ROWS
from skitter.rigid.bodies import FRAME_ROWS, STATE_ROWS, BodyModel, BodyState
from skitter.rigid.contact import CONTACT_ROWS


def allocate_soft(
    plan: BodyPlan, packs: list[Pack], soft: SoftModel
) -> tuple[SoftState, SoftScratch]:
    """For the soft blocks, in the precision of their model."""
    nodes, rows, blocks = len(soft.local), len(soft.cell_node), len(plan.soft)
    real = soft.local.dtype.type
    most = max([pack.topology.node_count for pack in packs], default=0)
    state = SoftState(
        position=np.zeros(nodes, real),
        velocity=np.zeros(nodes, real),
        rotation=np.zeros((rows, 6, ROTATION_ROWS), real),
        block_rotation=np.zeros((blocks, 4)),
        tangled=np.zeros(blocks, np.uint8),
    )
    scratch = SoftScratch(
        force=np.zeros(nodes, real),
        impulse=np.zeros(nodes, real),
        cell_position=np.zeros((rows, CELL_ROWS), real),
        cell_force=np.zeros((rows, CELL_ROWS), real),
        deviation=np.zeros(nodes, real),
        motion=np.zeros(MOTION_ROWS, real),
        torque=np.zeros(3 * LANES, real),
        column=np.zeros((3, most), real),
        block_gradient=np.zeros((blocks, 3, 3)),
        clear=np.zeros((len(packs), LANES)),
        block_state=np.zeros(blocks, np.int64),
    )
    return state, scratch


def allocate_bodies(body: BodyModel) -> tuple[BodyState, BodyScratch]:
    """For the rigid parts, in the precision of their model."""
    packs, probes = body.probe.shape[:2]
    real = body.rows.dtype.type
    state = BodyState(
        rows=np.zeros((packs, STATE_ROWS), real),
        impulse=np.zeros((packs, probes, 3 * LANES), real),
    )
    scratch = BodyScratch(
        frame=np.zeros((packs, FRAME_ROWS), real),
        impulse=np.zeros((packs, 6 * LANES), real),
        carried=np.zeros((packs, LANES), np.bool_),
        clear=np.zeros((packs, LANES)),
        near=np.zeros(LANES, np.bool_),
        active=np.zeros(probes, np.int64),
        hit=np.zeros(LANES, real),
        contact=np.zeros((probes, CONTACT_ROWS), real),
        carrier=np.zeros(CARRIER_ROWS, real),
        wrench=np.zeros(6 * LANES, real),
        stops=build_stops(body.body_count),
    )
    return state, scratch
