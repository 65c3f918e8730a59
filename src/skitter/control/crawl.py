"""How the body-wall muscles of a worm are driven: by a wave, or by what the body feels.

Both drives ask for a bend at 24 stations from head to tail, x in -1..1 and positive towards dorsal.
A muscle only contracts, so dorsal muscles take max(x, 0) and ventral ones max(-x, 0), and both
follow what they are asked for with a lag of first order (Boyle et al. 2012):

    tau dA/dt = max(±x, 0) - A .

The difference of the two sides is then x with that lag, whatever its sign. The wave is here, the
reflex in `reflex.py`.
"""

from typing import Protocol

import numpy as np

from skitter.control.reflex import Reflex
from skitter.control.stations import PLACE, STATIONS, State, blend
from skitter.species.crawl import AnyCrawl, ReflexDrive, WaveDrive

SETTLE_TIME = 0.2  # s in which orders are taken up
FASTEST = 4.0  # largest speed that is obeyed, times that of the spec
MOST_BEND = 60.0  # times length: ten circles, far beyond what a worm can
RESTING = 1e-3  # speed below which it rests


class Source(Protocol):
    """Where the asked-for bend comes from. All that changes of it is in `state`."""

    state: State

    @property
    def phase(self) -> float: ...

    def ask(
        self, bend: np.ndarray, active: np.ndarray, seconds: float, speed: float, turn: float
    ) -> np.ndarray:
        """The bend [24] asked for, of full activation; from the bend [24] as it is, times the
        length, and from the activation [24] that led to it, dorsal less ventral."""


class Wave:
    """A wave that runs down the body, whatever the body does.

    x = amplitude envelope(s) sin 2 pi (phase - waves s) + bias + steer turn,

    with d phase/dt = frequency speed. The phase is summed up, so that it never jumps.
    """

    def __init__(self, spec: WaveDrive) -> None:
        self.spec = spec
        head, tail = spec.envelope
        self.height = spec.amplitude * (head + (tail - head) * PLACE)
        self.state: State = {"phase": np.zeros(())}

    @property
    def phase(self) -> float:
        return float(self.state["phase"])

    def ask(
        self, bend: np.ndarray, active: np.ndarray, seconds: float, speed: float, turn: float
    ) -> np.ndarray:
        spec = self.spec
        self.state["phase"] = self.state["phase"] + spec.frequency * speed * seconds
        angle = 2 * np.pi * (self.phase - spec.waves * PLACE)
        return self.height * np.sin(angle) + spec.bias + spec.steer * turn


def build_source(spec: AnyCrawl) -> Source:
    if isinstance(spec, ReflexDrive):
        return Reflex(spec)
    return Wave(spec)


def tidy(value: float, most: float) -> float:
    """A number within ±most; 0 for none."""
    return float(np.clip(np.nan_to_num(value, nan=0.0), -most, most))


class Crawl:
    """Drives the muscles of one worm: orders, a source of bends, and the lag of muscles."""

    def __init__(self, spec: AnyCrawl, length: float) -> None:
        """`length` of the body in cm."""
        self.spec = spec
        self.length = length
        self.source = build_source(spec)
        self.activation = np.zeros((STATIONS, 2))
        self.orders = np.zeros(3)  # speed, turn and level as taken up so far

    @property
    def phase(self) -> float:
        """Cycles since the start, less those that it went backward."""
        return self.source.phase

    def advance(
        self, curvature: np.ndarray, seconds: float, speed: float, turn: float
    ) -> np.ndarray:
        """Activation [24, 2], dorsal and ventral, after some seconds more.

        `curvature` [24] in 1/cm, positive where the body bends towards dorsal; `speed` 1 as in the
        spec, -1 backward, 0 rest; `turn` -1..1, positive to dorsal.
        """
        self.take_orders(seconds, tidy(speed, FASTEST), tidy(turn, 1.0))
        speed_now, turn_now, level = (float(order) for order in self.orders)
        bend = np.nan_to_num(np.asarray(curvature, float) * self.length, nan=0.0)
        bend = np.clip(bend, -MOST_BEND, MOST_BEND)
        active = self.activation[:, 0] - self.activation[:, 1]
        asked = level * self.source.ask(bend, active, seconds, speed_now, turn_now)
        goal = np.clip(np.stack([asked, -asked], axis=1), 0.0, 1.0)
        self.activation = self.activation + blend(seconds, self.spec.lag) * (goal - self.activation)
        return self.activation.copy()

    def take_orders(self, seconds: float, speed: float, turn: float) -> None:
        """Speed and turn come gradually, and all activity over the ramp."""
        goal = 0.0 if abs(speed) < RESTING else 1.0
        most = seconds / self.spec.ramp
        self.orders[:2] += blend(seconds, SETTLE_TIME) * (np.array([speed, turn]) - self.orders[:2])
        self.orders[2] += np.clip(goal - self.orders[2], -most, most)

    def state(self) -> State:
        """All that changes, as copies."""
        own = {"activation": self.activation.copy(), "orders": self.orders.copy()}
        return own | {name: value.copy() for name, value in self.source.state.items()}

    def restore(self, state: State) -> None:
        """Go on from what `state` gave."""
        self.activation = np.array(state["activation"], float)
        self.orders = np.array(state["orders"], float)
        for name in self.source.state:
            self.source.state[name] = np.array(state[name], float)
