"""MuJoCo alone on a body like a tarantula's, to compare with: a thorax on eight legs of five hinges
with servos, which treads the spot on a plane among twenty free boxes in ten piles.

It senses, decides and searches nothing, has no abdomen and no uneven ground: what a climber costs
beyond this is its mind, its footholds and its surfaces. Lengths are of a body ten times ours.
"""

from typing import Any

import mujoco
import numpy as np

STEP = 1 / 500  # s, as climbers take
LEGS, PILES, HIGH = 8, 10, 2
AROUND = 2.5  # from the middle to the piles
HEIGHT = 0.55  # of the thorax, at first
# of each segment: the way along its leg and up to the next joint, and the joint's axis
SEGMENTS = (
    (0.25, 0.1, (0, 0, 1)),
    (0.3, 0.15, (0, 1, 0)),
    (0.35, -0.1, (0, 1, 0)),
    (0.25, -0.35, (0, 1, 0)),
    (0.1, -0.28, (0, 1, 0)),
)
SWAY = (0.3, 0.25, 0.0, 0.2, 0.0)  # rad, of each joint
STIFFNESS, DAMPING = 200.0, 5.0  # of servos


def add_leg(spec: Any, thorax: Any, number: int) -> None:
    """Legs point outwards, four on a side."""
    side = 1 if number < LEGS // 2 else -1
    angle = side * np.pi * (number % (LEGS // 2) + 0.5) / (LEGS // 2)
    place = np.array([0.3 * np.cos(angle), 0.3 * np.sin(angle), 0.0])
    turn, parent = np.array([np.cos(angle / 2), 0, 0, np.sin(angle / 2)]), thorax
    for k, (along, up, axis) in enumerate(SEGMENTS):
        end = np.array([along, 0.0, up])
        body = parent.add_body(pos=place, quat=turn if k == 0 else [1, 0, 0, 0])
        joint = body.add_joint(name=f"leg{number}_{k}", axis=axis, damping=0.05, armature=1e-3)
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_CAPSULE, size=[0.03, 0, 0], fromto=[0, 0, 0, *end],
            density=100, contype=0, conaffinity=0,
        )  # fmt: skip
        servo = spec.add_actuator(trntype=mujoco.mjtTrn.mjTRN_JOINT, target=joint.name)
        servo.set_to_position(kp=STIFFNESS, kv=DAMPING)
        parent, place = body, end
    parent.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.04, 0, 0], pos=place, density=100)


def add_boxes(spec: Any) -> None:
    """Piles at random angles around it."""
    for angle in np.random.default_rng(0).uniform(0, 2 * np.pi, PILES):
        for k in range(HIGH):
            at = [AROUND * np.cos(angle), AROUND * np.sin(angle), 0.15 + 0.4 * k]
            box = spec.worldbody.add_body(pos=at)
            box.add_freejoint()
            size = [0.12, 0.1, 0.08]
            box.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=size, density=300)


def build_model() -> Any:
    spec = mujoco.MjSpec()
    spec.option.timestep, spec.option.impratio = STEP, 10
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[20, 20, 1])
    thorax = spec.worldbody.add_body(name="thorax", pos=[0, 0, HEIGHT])
    thorax.add_freejoint()
    size = [0.35, 0.28, 0.15]
    thorax.add_geom(type=mujoco.mjtGeom.mjGEOM_ELLIPSOID, size=size, density=200)
    for number in range(LEGS):
        add_leg(spec, thorax, number)
    add_boxes(spec)
    return spec.compile()


class Peer:
    """The model as it treads, every second leg half a cycle after the others, once a second."""

    def __init__(self) -> None:
        self.model = build_model()
        self.data = mujoco.MjData(self.model)
        self.phase = np.repeat(np.pi * (np.arange(LEGS) % 2), len(SEGMENTS))
        self.sway = np.tile(SWAY, LEGS)

    def advance(self, seconds: float) -> None:
        """As many steps as that takes, each with its goals of joints."""
        for _ in range(round(seconds / STEP)):
            self.data.ctrl[:] = self.sway * np.sin(2 * np.pi * self.data.time + self.phase)
            mujoco.mj_step(self.model, self.data)

    @property
    def height(self) -> float:
        return float(self.data.body("thorax").xpos[2])

    @property
    def is_well(self) -> bool:
        """Whether it stands, and nothing was amiss on the way."""
        return self.height > HEIGHT / 2 and not any(one.number for one in self.data.warning)
