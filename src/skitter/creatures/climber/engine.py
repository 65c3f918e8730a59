"""Climbers in full dynamics, and movable objects: one model of the rigid-body engine, MuJoCo.

`engine.bodies`, `engine.orders`, `engine.felt` and `engine.blocks` are the states, orders and
senses of the climbers and objects: views of one set of arrays. Write orders there before a step,
and read the rest afterwards.

`read_in` and `step` are functions of states, orders and what the engine remembers (`warm`): from
the same arrays follow the same bits.

MuJoCo is imported only here, when the first engine is built.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from skitter.control.climbing.model import BodyState, Orders
from skitter.creatures.climber.engine_layout import (
    build_layout,
    build_packed,
    build_parts,
    view_blocks,
    view_bodies,
    view_felt,
    view_orders,
)
from skitter.creatures.climber.engine_model import Member, write_model
from skitter.creatures.climber.engine_steps import Wires, prepare, read_back, write_states
from skitter.creatures.climber.engine_touch import (
    NO_TOUCHES,
    Answering,
    Support,
    Touches,
    expect_momentum,
    keep_momentum,
    push_bodies,
)
from skitter.creatures.climber.plates import Planes
from skitter.creatures.climber.shapes import BlockShape, BlockState, update_arrays
from skitter.errors import SimulationError
from skitter.friction import pair_friction
from skitter.terrain.surface import TerrainArrays

STEP = 1 / 500  # s
LEAST_FRICTION = 1e-5  # that the engine can compute with
CURE = "try a lower stiffness of joints, lighter pushes, or detail.level: kinematic"


class FliesApart(SimulationError):
    """Somebody is no number any more after a step."""

    def __init__(self, message: str, number: int):
        super().__init__(message)
        self.number = number  # of a climber, or of an object after them


def load_mujoco() -> Any:
    """The engine's package, without its habit of writing warnings into files."""
    import mujoco

    mujoco.set_mju_user_warning(lambda message: None)
    return mujoco


class Engine:
    """All climbers in full dynamics and all objects of a scene."""

    def __init__(
        self,
        members: Sequence[Member],
        blocks: Sequence[BlockShape] = (),
        *,
        gravity: float = 981.0,
        step: float = STEP,
        names: Sequence[str] = (),
    ):
        mujoco = load_mujoco()
        self.mujoco = mujoco
        self.gravity, self.seconds, self.names = gravity, step, list(names)
        self.model = mujoco.MjModel.from_xml_string(write_model(members, blocks, step))
        self.data = mujoco.MjData(self.model)
        self.advance, self.pose = build_advance(mujoco), mujoco.mj_kinematics
        self.layout = build_layout(members, blocks, self.model.ngeom)
        joints = sum(len(member.figure.length) for member in members)
        legs = sum(len(member.figure.hip) for member in members)
        self.packed = build_packed(len(members), joints, legs, len(blocks), self.model.nv)
        self.parts = build_parts(members, blocks)
        self.wires, self.planes = wire(self.model, self.data)
        self.soft = list_soft(self.model, step)
        self.touches, self.answering = NO_TOUCHES, list[Answering]()
        self.rest = np.zeros(joints)  # rad, of the springs of all hinges, in the step before
        self.bodies = view_bodies(self.packed, self.layout)
        self.orders = view_orders(self.packed, self.layout)
        self.felt = view_felt(self.packed, self.layout)
        self.blocks = view_blocks(self.packed)
        if joints:
            self.packed.angle[:] = np.concatenate([member.figure.rest for member in members])
            self.packed.goal[:] = self.packed.angle
        self.read_in()

    def read_in(
        self, bodies: Sequence[BodyState] | None = None, blocks: Sequence[BlockState] | None = None
    ) -> None:
        """Take over states: those given, or what was written into its own."""
        for own, given in ((self.bodies, bodies), (self.blocks, blocks)):
            for one, other in zip(own, own if given is None else given, strict=True):
                if one is not other:
                    copy_rows(one, other)
        write_states(self.layout, self.packed, self.wires)
        self.answering.clear()
        self.parts.seen[:, 3] = -1.0
        self.pose(self.model, self.data)

    def take(self, orders: Sequence[Orders]) -> None:
        """Take over orders that were not written into its own."""
        for own, given in zip(self.orders, orders, strict=True):
            if own is not given:
                copy_rows(own, given)

    def step(self, ground: TerrainArrays, barrier: TerrainArrays) -> None:
        """One step: orders are carried out, states and senses follow."""
        data, packed, layout, wires = self.data, self.packed, self.layout, self.wires
        self.answering.clear()
        if len(self.touches.body):
            push_bodies(self.touches, wires.xipos, data.xfrc_applied)
        prepare(
            layout, packed, self.parts, self.planes, wires, ground, barrier, self.gravity,
            self.seconds,
        )  # fmt: skip
        self.advance(self.model, data)
        wanted = expect_momentum(self)
        self.pose(self.model, data)
        if wanted is not None:
            keep_momentum(self, wanted)
        contact = data.contact
        wrong = read_back(
            layout, packed, wires, contact.geom, contact.efc_address, data.efc_force, self.seconds
        )
        if wrong >= 0:
            raise FliesApart(f"{self.name(wrong)} flies apart; {CURE}", wrong)

    def set_step(self, step: float) -> None:
        """Take steps of so many seconds from now on; constraints come back in as many as before."""
        if step == self.seconds:
            return
        self.seconds = self.model.opt.timestep = step
        for array, steps, base, usual in self.soft:
            array[:, 0] = usual if step == base else step * steps

    def answer(
        self,
        number: int,
        bodies: np.ndarray,
        points: np.ndarray,
        normals: np.ndarray,
        support: Support,
        seconds: float,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Velocities of points of a climber after so many seconds, and its response."""
        if not self.answering:
            self.answering.append(Answering(self, seconds))
        return self.answering[0].answer(number, bodies, points, normals, support, self.gravity)

    def take_touches(self, bodies: np.ndarray, points: np.ndarray, forces: np.ndarray) -> None:
        """Forces from outside, until they are let go."""
        own = self.touches
        self.touches = Touches(
            np.concatenate([own.body, bodies]),
            np.concatenate([own.point, points]),
            np.concatenate([own.force, forces]),
        )

    def let_go(self) -> None:
        """Forget forces from outside."""
        if len(self.touches.body):
            self.data.xfrc_applied[self.touches.body] = 0.0
            self.touches = NO_TOUCHES

    def name(self, number: int) -> str:
        """Of a climber, or an object after them, for messages."""
        if number < len(self.names):
            return f"creature '{self.names[number]}'"
        members = len(self.bodies)
        return f"climber {number}" if number < members else f"object {number - members}"

    def write_blocks(self, arrays: TerrainArrays) -> None:
        """Bring the surfaces of objects, of `blocks_to_arrays`, to where these are."""
        p = self.packed
        update_arrays(
            arrays.kind, arrays.centre, arrays.axes, arrays.row, p.block_place, p.block_turn
        )

    def warm(self) -> np.ndarray:
        """What it remembers besides the states: enough to go on to the last bit."""
        return np.concatenate([self.data.qacc_warmstart, self.packed.goal_before])

    def set_warm(self, memory: np.ndarray) -> None:
        """Go back to a memory of the same climbers and objects."""
        dofs = len(self.wires.qvel)
        self.data.qacc_warmstart[:] = memory[:dofs]
        self.packed.goal_before[:] = memory[dofs:]


def list_soft(model: Any, step: float) -> list[tuple[np.ndarray, np.ndarray, float, np.ndarray]]:
    """Arrays of constraints that come back within some steps: how many, of how many seconds, and
    what they are then."""
    arrays = [model.geom_solref, model.pair_solref, model.eq_solref, model.jnt_solref]
    return [(array, array[:, 0] / step, step, array[:, 0].copy()) for array in arrays]


def build_advance(mujoco: Any) -> Callable[[Any, Any], None]:
    """The engine's step, `mj_step`, in its pieces: the friction of contacts is set when they are
    found and before constraints are made of them, as the engine would take the larger number."""
    find_contacts = (
        mujoco.mj_fwdKinematics, mujoco.mj_makeM, mujoco.mj_factorM, mujoco.mj_collision,
    )  # fmt: skip
    solve = (
        mujoco.mj_makeConstraint, mujoco.mj_island, mujoco.mj_projectConstraint,
        mujoco.mj_transmission, mujoco.mj_fwdVelocity, mujoco.mj_step2,
    )  # fmt: skip

    def advance(model: Any, data: Any) -> None:
        for stage in find_contacts:
            stage(model, data)
        set_friction(model.geom_friction, data.contact)
        for stage in solve:
            stage(model, data)

    return advance


def set_friction(numbers: np.ndarray, contact: Any) -> None:
    """The friction of all contacts, from the numbers of the geoms [geom, 3]."""
    own = numbers[contact.geom, 0]
    found = pair_friction.py_func(own[:, 0], own[:, 1])
    contact.friction[:, :2] = np.maximum(found, LEAST_FRICTION)[:, None]


def copy_rows(own: Any, given: Any) -> None:
    for to, values in zip(own, given, strict=True):
        to[...] = values


def wire(model: Any, data: Any) -> tuple[Wires, Planes]:
    """The engine's arrays that kernels read and write."""
    homes = {
        "model": ("qpos_spring", "jnt_stiffness", "jnt_axis", "dof_armature", "eq_obj2id",
                  "eq_data", "body_mass", "geom_conaffinity", "geom_pos"),
        "data": ("qpos", "qvel", "qfrc_applied", "qfrc_constraint", "eq_active", "xpos", "xmat",
                 "xipos", "mocap_pos", "mocap_quat"),
    }  # fmt: skip
    found = {name: getattr(model, name) for name in homes["model"]}
    found |= {name: getattr(data, name) for name in homes["data"]}
    found["body_parent"] = model.body_parentid
    found["plate_friction"] = model.geom_friction[model.ngeom - model.nmocap :]
    return (
        Wires(**{name: found[name] for name in Wires._fields}),
        Planes(**{name: found[name] for name in Planes._fields}),
    )
