"""A worm in the plane: links in a row, bent by muscles, that a medium drags on.

A second body beside the one of tetrahedra, to design drives on and to check them with. Units cm, g,
s, rad. Links are rigid and cannot stretch; between two of them sits a joint of stiffness B/h. Drag
per length is linear in the speed, `along` and `across` the body (resistive forces, Gray and Hancock
1955); there is no inertia. A step is implicit in what bends the body and takes the shape as it was,
so that it is stable for any step and as exact as its step is short.

Unknowns are the middle of the body and the heading of every link, from head to tail. The middle is
chosen because drag alike in all directions must leave it where it is, which a step then does
exactly. The plane has
the direction that the worm heads for first and the dorsal side second, so that a bend towards
dorsal, which turns headings up from tail to head, is positive.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

STATIONS = 24
LENGTH = 0.1  # cm
STIFFNESS = 2.2e-4  # dyn cm², 110 kPa and a radius of 40 µm
FULL_BEND = 13.0  # bend times length of one side fully active, nothing dragging
# Drag of a 1 mm worm, g/(cm s) along and across (Niebur and Erdos 1991; Boyle et al. 2012)
WATER = (0.033, 0.052)
AGAR = (32.0, 1280.0)


def mix_media(share: float) -> tuple[float, float]:
    """Drag between water (0) and agar (1), evenly by its logarithm."""
    along, across = (a ** (1 - share) * b**share for a, b in zip(WATER, AGAR, strict=True))
    return along, across


class Drive(NamedTuple):
    """Orders of a run: speed and turn at any time."""

    speed: Callable[[float], float] = lambda _: 1.0
    turn: Callable[[float], float] = lambda _: 0.0


@dataclass
class PlanarWorm:
    """The body. `bend_full` is the bend times length that full activation of a side leads to."""

    drag: tuple[float, float] = AGAR
    links: int = 48
    length: float = LENGTH
    stiffness: float = STIFFNESS
    bend_full: float = FULL_BEND
    damping: float = 0.01  # s, of bending, in shares of the stiffness

    def __post_init__(self) -> None:
        n = self.links
        self.h = self.length / n
        self.middle = np.zeros(2)  # cm, of the body
        self.heading = np.zeros(n)
        joint = np.eye(n - 1, n) - np.eye(n - 1, n, 1)  # heading before less heading behind
        self.spring = self.stiffness / self.h * joint.T @ joint
        self.pull = self.stiffness * self.bend_full / self.length * joint.T
        lever = -self.h * (np.tri(n, n, -1) + 0.5 * np.eye(n))
        self.lever = lever - lever.mean(axis=0)  # middles of links as seen from that of the body
        self.joint_place = np.arange(1, n) / n
        self.station_place = (np.arange(STATIONS) + 0.5) / STATIONS

    def resist(self) -> np.ndarray:
        """What drag does to a change of the unknowns, (2 + links) squared."""
        along, across = self.drag
        cos, sin = np.cos(self.heading), np.sin(self.heading)
        apart = self.heading[:, None] - self.heading
        moves = np.hstack([cos[:, None], sin[:, None], self.lever * np.sin(apart)])
        sways = np.hstack([-sin[:, None], cos[:, None], self.lever * np.cos(apart)])
        matrix = self.h * (along * moves.T @ moves + across * sways.T @ sways)
        turning = np.arange(2, 2 + self.links)
        matrix[turning, turning] += across * self.h**3 / 12
        return matrix

    def step(self, activation: np.ndarray, seconds: float) -> None:
        """Activation [24, 2] of dorsal and ventral muscles."""
        active = np.interp(
            self.joint_place, self.station_place, activation[:, 0] - activation[:, 1]
        )
        force = np.zeros(2 + self.links)
        force[2:] = self.pull @ active - self.spring @ self.heading
        matrix = self.resist()
        matrix[2:, 2:] += (seconds + self.damping) * self.spring
        change = seconds * np.linalg.solve(matrix, force)
        self.middle += change[:2]
        self.heading += change[2:]

    def read_joints(self) -> np.ndarray:
        """Bend at the joints, 1/cm."""
        return -np.diff(self.heading) / self.h

    def read_curvature(self) -> np.ndarray:
        """Bend at the 24 stations, 1/cm: the mean over the share of the length of each."""
        total = np.concatenate([[self.heading[0]], self.heading[:-1] + 0.5 * np.diff(self.heading)])
        total = np.append(total, self.heading[-1])
        edges = np.interp(
            np.arange(STATIONS + 1) / STATIONS, np.arange(self.links + 1) / self.links, total
        )
        return -np.diff(edges) * STATIONS / self.length


STRAIGHT_ON = Drive()


class Track(NamedTuple):
    """What a run left behind: times [n] s, bends [n, 24] times length, middles [n, 2] cm,
    headings [n] rad, activation [n, 24, 2]."""

    time: np.ndarray
    bend: np.ndarray
    middle: np.ndarray
    heading: np.ndarray
    activation: np.ndarray


def run_worm(
    crawl, worm: PlanarWorm, seconds: float, *, dt=0.02, parts=1, orders=STRAIGHT_ON
) -> Track:
    """Drive a worm: the drive is asked every dt, the body takes `parts` steps in it."""
    rows = []
    for n in range(round(seconds / dt)):
        time = n * dt
        active = crawl.advance(worm.read_curvature(), dt, orders.speed(time), orders.turn(time))
        for _ in range(parts):
            worm.step(active, dt / parts)
        heading = float(worm.heading.mean())
        bend = worm.read_curvature() * worm.length
        rows.append((time + dt, bend, worm.middle.copy(), heading, active.copy()))
    return Track(*(np.array(column) for column in zip(*rows, strict=True)))


class Gait(NamedTuple):
    """How it went: Hz, waves on the body (positive from head to tail), bend times length (height of
    the swing about its mean, mid body), way forward a cycle in body lengths."""

    frequency: float
    waves: float
    bend: float
    way: float


def read_gait(track: Track, *, skip: float, length: float = LENGTH) -> Gait:
    """Of the time after `skip` seconds: from the strongest frequency of the bends."""
    kept = track.time > skip
    time, bend = track.time[kept], track.bend[kept]
    swing = bend - bend.mean(axis=0)
    frequency = find_frequency(time, swing)
    tone = np.exp(-2j * np.pi * frequency * time) * np.hanning(len(time))
    phase = np.unwrap(np.angle(tone @ swing[:, 3:21]))
    waves = -np.polyfit(np.arange(3, 21) / STATIONS, phase, 1)[0] / (2 * np.pi)
    way = track.middle[kept][-1] - track.middle[kept][0]
    ahead = np.array([np.cos(track.heading[kept].mean()), np.sin(track.heading[kept].mean())])
    cycles = frequency * (time[-1] - time[0])
    height = np.sqrt(2) * swing[:, 6:18].std()
    return Gait(frequency, waves, height, float(way @ ahead) / length / cycles)


def find_frequency(time: np.ndarray, swing: np.ndarray) -> float:
    """Frequency of most power over all stations, Hz, finer than the length of the run allows."""
    step = time[1] - time[0]
    power = np.abs(np.fft.rfft(swing * np.hanning(len(time))[:, None], 16 * len(time), axis=0)) ** 2
    scale = np.fft.rfftfreq(16 * len(time), step)
    return float(scale[np.argmax(power.sum(axis=1))])
