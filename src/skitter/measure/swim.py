"""Measures of a swimmer, from the second half of the time in which its muscles are fully driven.

They are taken stroke by stroke: a stroke is one turn of the muscles' wave. Its displacement gives
speed and course, so a path that curves is measured along itself. Across that displacement every
rigid part sways with an amplitude and a phase, those of the wave that runs down the body. What a
recording is too short for is nan.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from skitter.measure.table import SWIMMING, measured

if TYPE_CHECKING:
    from skitter.record import Recording

DRIVEN = 0.999  # of the level: the ramp is over
SAMPLES = 48  # moments looked at in a stroke
WEIGHT = 981.0  # cm/s², that of the cost of transport, whatever the scene's gravity


@dataclass(frozen=True)
class Strokes:
    """Whole strokes of a swimmer."""

    start: np.ndarray  # [stroke] s
    seconds: np.ndarray  # [stroke]
    bodies: np.ndarray  # [stroke, SAMPLES + 1, body, 2] cm, x and z of the rigid parts
    work: np.ndarray  # [stroke] erg, done on the water
    length: float  # cm, head to tail at rest

    @property
    def moves(self) -> np.ndarray:
        """Displacement of the middle during each [stroke, 2], cm."""
        middles = self.bodies.mean(axis=2)
        return np.asarray(middles[:, -1] - middles[:, 0])

    @property
    def speed(self) -> float:
        """cm/s."""
        speeds = np.linalg.norm(self.moves, axis=1) / self.seconds
        return float(speeds.mean()) if len(speeds) else np.nan

    @property
    def frequency(self) -> float:
        """Hz."""
        return float(1 / self.seconds.mean()) if len(self.seconds) else np.nan


@dataclass(frozen=True)
class Wave:
    """The sway of the rigid parts, head to tail [body]."""

    amplitude: np.ndarray  # cm, half of the width of the path
    phase: np.ndarray  # cycles behind the head
    place: np.ndarray  # cm behind the head, along the course


def read_strokes(recording: "Recording", name: str) -> Strokes:
    """The whole strokes of the second half of the time in which it is fully driven."""
    time = np.asarray(recording.time, float)
    hertz = np.asarray(recording[f"{name}.swim_frequency"][:], float)
    driven = np.asarray(recording[f"{name}.swim_level"][:]) >= DRIVEN
    begin = time[driven].min() if driven.any() else time[-1]
    begin = (begin + time[-1]) / 2
    turns = np.concatenate([[0.0], np.cumsum(np.diff(time) * (hertz[1:] + hertz[:-1]) / 2)])
    first, last = np.interp(begin, time, turns), turns[-1]
    count = max(0, int(last - first + 1e-6))
    moments = last - count + np.arange(count)[:, None] + np.linspace(0, 1, SAMPLES + 1)
    at = np.interp(moments, turns, time)
    places = np.asarray(recording[f"{name}.body_position"][:], float)[:, :, [0, 2]]
    return Strokes(
        start=at[:, 0],
        seconds=at[:, -1] - at[:, 0],
        bodies=sample(time, places, at),
        work=np.diff(np.interp(at[:, [0, -1]], time, recording[f"{name}.water_work"][:]))[:, 0],
        length=float(recording.static(f"{name}.body_length")),
    )


def sample(time: np.ndarray, values: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Values [frame, ...] at some moments [...], by straight lines."""
    k = np.clip(np.searchsorted(time, at, side="right") - 1, 0, len(time) - 2)
    share = (at - time[k]) / (time[k + 1] - time[k])
    share = share.reshape(*at.shape, *[1] * (values.ndim - 1))
    return np.asarray((1 - share) * values[k] + share * values[k + 1])


def find_wave(strokes: Strokes) -> Wave | None:
    """The sway across the course, averaged over strokes; none where it goes nowhere."""
    moves = strokes.moves
    if len(moves) == 0 or not (np.linalg.norm(moves, axis=1) > 0).all():
        return None
    ahead = moves / np.linalg.norm(moves, axis=1, keepdims=True)
    aside = np.stack([-ahead[:, 1], ahead[:, 0]], axis=1)
    # in a frame that goes ahead evenly
    even = moves[:, None] * np.linspace(0, 1, SAMPLES + 1)[:, None]
    bodies = strokes.bodies - even[:, :, None]
    sway = np.einsum("stbk,sk->stb", bodies, aside)
    along = np.einsum("stbk,sk->stb", bodies, ahead).mean(axis=1)
    # a path that curves makes a body drift aside: not a sway
    drift = sway[:, -1:] - sway[:, :1]
    sway = sway - drift * np.linspace(0, 1, SAMPLES + 1)[:, None]
    turn = np.exp(-2j * np.pi * np.arange(SAMPLES) / SAMPLES)
    main = np.einsum("stb,t->sb", sway[:, :SAMPLES], turn)
    lag = np.angle((main[:, :-1] * np.conj(main[:, 1:])).sum(axis=0)) / (2 * np.pi)
    return Wave(
        amplitude=np.ptp(sway, axis=1).mean(axis=0) / 2,
        phase=np.concatenate([[0.0], np.cumsum(lag)]),
        place=(along[:, :1] - along).mean(axis=0),
    )


@measured("cm/s", "displacement of a stroke over its time, mean", kinds=SWIMMING)
def swim_speed(recording: "Recording", name: str) -> float:
    return read_strokes(recording, name).speed


@measured("Hz", "of the muscles' wave", kinds=SWIMMING)
def stroke_frequency(recording: "Recording", name: str) -> float:
    return read_strokes(recording, name).frequency


@measured("1", "way of a stroke, of the body's length", kinds=SWIMMING)
def stride_length(recording: "Recording", name: str) -> float:
    strokes = read_strokes(recording, name)
    return strokes.speed / strokes.frequency / strokes.length


def find_wavelength(wave: Wave | None) -> float:
    """Of the wave along the course, cm, by a line through the phases weighted by amplitude."""
    if wave is None:
        return np.nan
    slope = np.polyfit(wave.place, wave.phase, 1, w=wave.amplitude)[0]
    return float(1 / slope) if slope != 0 else np.inf


@measured("1", "along the course, of the body's length", kinds=SWIMMING)
def body_wavelength(recording: "Recording", name: str) -> float:
    strokes = read_strokes(recording, name)
    return find_wavelength(find_wave(strokes)) / strokes.length


@measured("cycle", "of the sway, from one rigid part to the next", kinds=SWIMMING)
def body_lag(recording: "Recording", name: str) -> float:
    wave = find_wave(read_strokes(recording, name))
    return float(wave.phase[-1] / (len(wave.phase) - 1)) if wave else np.nan


def find_slip(strokes: Strokes) -> float:
    """Swimming speed over the speed of the wave."""
    return strokes.speed / (strokes.frequency * find_wavelength(find_wave(strokes)))


@measured("1", "swimming speed over speed of the body's wave", kinds=SWIMMING)
def slip(recording: "Recording", name: str) -> float:
    return find_slip(read_strokes(recording, name))


@measured("1", "speed of the body's wave over swimming speed", kinds=SWIMMING)
def wave_ratio(recording: "Recording", name: str) -> float:
    return 1 / slip(recording, name)


def read_amplitudes(recording: "Recording", name: str) -> np.ndarray:
    """Amplitudes head to tail [body], of the body's length."""
    strokes = read_strokes(recording, name)
    wave = find_wave(strokes)
    return np.full(2, np.nan) if wave is None else wave.amplitude / strokes.length


@measured("1", "half of the width of the head's sway, of the body's length", kinds=SWIMMING)
def amplitude_head(recording: "Recording", name: str) -> float:
    return float(read_amplitudes(recording, name)[0])


@measured("1", "half of the width of the tail's sway, of the body's length", kinds=SWIMMING)
def amplitude_tail(recording: "Recording", name: str) -> float:
    return float(read_amplitudes(recording, name)[-1])


@measured("1", "amplitude of the tail over that of the head", kinds=SWIMMING)
def amplitude_growth(recording: "Recording", name: str) -> float:
    amplitude = read_amplitudes(recording, name)
    return float(amplitude[-1] / amplitude[0])


@measured("1", "frequency times width of the tail's sway over speed", kinds=SWIMMING)
def strouhal(recording: "Recording", name: str) -> float:
    strokes = read_strokes(recording, name)
    wave = find_wave(strokes)
    return strokes.frequency * 2 * float(wave.amplitude[-1]) / strokes.speed if wave else np.nan


@measured("erg/s", "work done on the water over time", kinds=SWIMMING)
def energy_rate(recording: "Recording", name: str) -> float:
    strokes = read_strokes(recording, name)
    spent = strokes.seconds.sum()
    return float(strokes.work.sum() / spent) if spent > 0 else np.nan


@measured("1", "work done on the water over distance and weight", kinds=SWIMMING)
def cost_of_transport(recording: "Recording", name: str) -> float:
    weight = WEIGHT * find_mass(recording, name)
    return energy_rate(recording, name) / (swim_speed(recording, name) * weight)


def find_mass(recording: "Recording", name: str) -> float:
    """Of a swimmer, g, from its species."""
    from skitter.scene.load import Scene
    from skitter.species.swimmer import SwimmerSpec

    names = [creature["name"] for creature in recording.creatures]
    species = Scene.from_dict(recording.scene).species[names.index(name)]
    assert isinstance(species, SwimmerSpec)
    sizes = np.asarray(recording.static(f"{name}.body_size"), float)
    segments = [species.head, *[species.segment] * species.segments, species.tail]
    rigid = float(np.prod(sizes, axis=1) @ [part.density for part in segments])
    blocks = np.asarray(recording.static(f"{name}.soft_block"))
    nodes = np.asarray(recording[f"{name}.node_position"][0], float)
    soft = sum(np.ptp(nodes[blocks == k], axis=0).prod() for k in np.unique(blocks))
    return rigid + species.material.density * float(soft)


@measured("deg/s", "of its course, positive to the left", kinds=SWIMMING)
def yaw_rate(recording: "Recording", name: str) -> float:
    return float(np.degrees(find_yaw(read_strokes(recording, name))))


def find_yaw(strokes: Strokes) -> float:
    """rad/s, positive to the left, from the courses of successive strokes."""
    x, z = strokes.moves.T
    if len(x) < 2:
        return np.nan
    turned = np.arctan2(z[:-1] * x[1:] - x[:-1] * z[1:], x[:-1] * x[1:] + z[:-1] * z[1:])
    return float(turned.sum() / (strokes.start[-1] - strokes.start[0]))


@measured("cm", "speed over yaw rate", kinds=SWIMMING)
def turning_radius(recording: "Recording", name: str) -> float:
    strokes = read_strokes(recording, name)
    yaw = abs(find_yaw(strokes))
    return strokes.speed / yaw if yaw > 0 else np.inf
