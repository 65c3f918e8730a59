"""Gymnasium environments on MuJoCo alone, of bodies like ours, to compare with.

Each is built here: a row of trunks with pairs of legs, or a chain in a fluid, with a servo on every
joint. Observations are all coordinates and speeds, actions goals of servos, the reward is the speed
ahead. They sense and decide nothing, have no soft parts, and no mind: what one of ours costs beyond
this is what it simulates besides.
"""

from typing import Any, NamedTuple

import gymnasium
import mujoco
import numpy as np
from gymnasium import spaces

STEP = 1 / 500  # s, that such models are usually given
SWAY = 0.5  # rad, of a servo for an action of 1


class Peer(NamedTuple):
    """What a model is made of."""

    trunks: int
    legs: int  # pairs to a trunk
    hinges: int  # to a leg
    swims: bool
    rate: float  # actions a second, as of the environment that it is compared with


PEERS = {
    "Centipede": Peer(19, 1, 2, False, 50),
    "Swimmer": Peer(12, 0, 0, True, 50),
    "Worm": Peer(24, 0, 0, True, 25),
    "Roach": Peer(1, 3, 5, False, 100),
    "Tarantula": Peer(1, 4, 5, False, 50),
}


def write_leg(name: str, number: int, peer: Peer, side: int) -> str:
    """A leg outwards and down, its first hinge about the vertical."""
    spread = 0.0 if peer.legs == 1 else 0.8 * (number / (peer.legs - 1) - 0.5)
    place, axis, opened = f"{spread:g} 0 {side * 0.3:g}", "0 1 0", ""
    for k in range(peer.hinges):
        share = k / max(peer.hinges - 1, 1)
        end = f"0 {0.12 - 0.5 * share:g} {side * (0.3 - 0.2 * share):g}"
        touches = 'contype="1"' if k == peer.hinges - 1 else ""
        opened += (
            f'<body pos="{place}"><joint name="{name}_{k}" axis="{axis}"/>'
            f'<geom type="capsule" size="0.03" fromto="0 0 0 {end}" {touches}/>'
        )
        place, axis = end, "1 0 0"
    return opened + peer.hinges * "</body>"


def write_trunk(trunk: int, peer: Peer, behind: str) -> str:
    """A trunk of unit length with its legs, and what follows it."""
    sides = [(k, side) for k in range(peer.legs) for side in (-1, 1)]
    legs = "".join(write_leg(f"leg_{trunk}_{k}_{side}", k, peer, side) for k, side in sides)
    joints = "".join(
        f'<joint name="{name}_{trunk}" axis="{axis}"/>'
        for name, axis in (("yaw", "0 1 0"), ("pitch", "0 0 1"))
    )
    place, held = ("-1 0 0", joints) if trunk else ("0 0.6 0", "<freejoint/>")
    shape = '<geom type="ellipsoid" size="0.5 0.2 0.3" fluidshape="ellipsoid" contype="1"/>'
    return f'<body pos="{place}">{held}{shape}{legs}{behind}</body>'


def write_model(peer: Peer) -> str:
    """MJCF, y up."""
    body = ""
    for trunk in reversed(range(peer.trunks)):
        body = write_trunk(trunk, peer, body)
    floor = '<geom type="plane" size="50 50 1" zaxis="0 1 0" conaffinity="1"/>'
    # in a fluid MuJoCo's implicit steps take ten times as long as explicit ones, which hold there
    fluid, density, gravity = 'integrator="Euler" density="1000" viscosity="0.001"', 1000, 0.0
    if not peer.swims:
        fluid, density, gravity = 'integrator="implicitfast"', 20, -9.81
    return (
        f'<mujoco><option timestep="{STEP}" gravity="0 {gravity} 0" {fluid}/>'
        '<default><joint damping="0.5" armature="0.01"/>'
        f'<geom density="{density}" contype="0" conaffinity="0"/></default>'
        f"<worldbody>{'' if peer.swims else floor}{body}</worldbody></mujoco>"
    )


class PeerEnv(gymnasium.Env):
    """A model of MuJoCo alone."""

    def __init__(self, family: str) -> None:
        peer = PEERS[family]
        spec = mujoco.MjSpec.from_string(write_model(peer))
        for joint in spec.joints:
            if joint.type == mujoco.mjtJoint.mjJNT_HINGE:
                servo = spec.add_actuator(trntype=mujoco.mjtTrn.mjTRN_JOINT, target=joint.name)
                servo.set_to_position(kp=50.0, kv=1.0)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.steps = round(1 / (peer.rate * STEP))
        self.action_space = spaces.Box(-1, 1, (self.model.nu,), np.float32)
        size = self.model.nq - 2 + self.model.nv
        self.observation_space = spaces.Box(-1e3, 1e3, (size,), np.float32)

    def observe(self) -> np.ndarray:
        return np.concatenate([self.data.qpos[2:], self.data.qvel]).astype(np.float32)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        mujoco.mj_resetData(self.model, self.data)
        mujoco.mj_forward(self.model, self.data)
        return self.observe(), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict]:
        before = float(self.data.qpos[0])
        self.data.ctrl[:] = SWAY * action
        mujoco.mj_step(self.model, self.data, self.steps)
        speed = (float(self.data.qpos[0]) - before) / (self.steps * STEP)
        return self.observe(), speed, False, False, {}
