"""Claims of Fang 2015 about swimming, and what biologists measured beside our numbers.

All swims are in endless still water, which leaves out the waves that a swimmer makes and its
neighbours would meet.
"""

from functools import cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from skitter.claims.registry import Finding, claim, find_worst
from skitter.control.sight import choose_stroke
from skitter.measure import swim
from skitter.measure.plot import Curve, write_bars, write_curves
from skitter.measure.table import OfCreature
from skitter.runner import run
from skitter.scene.load import load_scene
from skitter.species.swimmer import SwimmerSpec

if TYPE_CHECKING:
    from skitter.record import Recording

EEL, NAME = "eel", "it"
APART = 20.0  # cm between those that swim side by side
SECONDS = 16.0  # until the slowest of these keeps its speed
STEP = 0.001  # s
FREQUENCIES = (0.5, 0.75, 1.0, 1.5, 2.0)  # Hz, of the race of figure 5.10
PHASES = (0.1, 0.2, 0.3, 0.4, 0.5)  # π, of the race of figure 5.11
PHASE, FREQUENCY = 54.0, 1.5  # degrees and Hz of what is not varied
SPEEDS = (0.25, 0.5, 0.75, 1.0)  # of the range of the best strokes


def build_race(swims: list[dict[str, Any]], *, seconds: float = SECONDS) -> dict[str, Any]:
    """Eels side by side that do not meet: it_0, it_1, ..., each with a `swim:` of its own."""
    creatures = [
        {
            "species": EEL,
            "name": f"{NAME}_{number}",
            "at": [0, -0.3, APART * number],
            "with": {"swim": one},
        }
        for number, one in enumerate(swims)
    ]
    return {
        "title": "eels side by side, to measure how they swim",
        "seconds": seconds,
        "time_step": STEP,
        "terrain": [],
        "water": {"waves": False},
        "creatures": creatures,
    }


def race(swims: list[dict[str, Any]], *, seconds: float = SECONDS) -> "Recording":
    """A recording of eels side by side, so many seconds long."""
    return run(build_race(swims, seconds=seconds))


def list_names(recording: "Recording") -> list[str]:
    return [creature["name"] for creature in recording.creatures]


def read_speeds(recording: "Recording", labels: list[str]) -> dict[str, float]:
    """How fast each swims, cm/s, by its label."""
    names = list_names(recording)
    return {
        f"{label}, cm/s": swim.swim_speed(recording, name)
        for label, name in zip(labels, names, strict=True)
    }


@cache
def race_frequencies() -> "Recording":
    """Figure 5.10: five frequencies at one phase shift."""
    return race([{"frequency": f, "phase_deg": PHASE} for f in FREQUENCIES])


@cache
def load_eel() -> SwimmerSpec:
    """The eel of the library."""
    species = load_scene(build_race([{}])).species[0]
    assert isinstance(species, SwimmerSpec)
    return species


@cache
def race_best() -> "Recording":
    """The least costly strokes at several speeds."""
    spec = load_eel().swim
    top = spec.optimum.speed[1] if spec.optimum else spec.speed
    strokes = [choose_stroke(spec, share * top) for share in SPEEDS]
    swims = [{"frequency": f, "phase_deg": float(np.degrees(ps))} for f, ps in strokes]
    return race(swims, seconds=30.0)


@claim(
    id="fang2015/amplitude-grows-tailward",
    paper="Fang 2015 section 5.4.1, figure 5.8; Gray 1933",
    statement="Though all muscles are driven alike, the body's undulation grows from head to tail",
    scene="an eel in still water at five frequencies, 16 s",
    sense="at most",
    expected=1.0,
    why="worst share of its limit: at every frequency the tail sways wider than the head, and the"
    " hind third of the body wider than the front third",
    quick=True,
)
def measure_growth() -> Finding:
    recording = race_frequencies()
    parts, curves = {}, []
    for name, hertz in zip(list_names(recording), FREQUENCIES, strict=True):
        amplitude = swim.read_amplitudes(recording, name)
        third = len(amplitude) // 3
        parts[f"{hertz:g} Hz.tail over head"] = float(amplitude[-1] / amplitude[0])
        parts[f"{hertz:g} Hz.hind over front"] = float(
            amplitude[-third:].mean() / amplitude[:third].mean()
        )
        curves.append(Curve(f"{hertz:g} Hz", np.arange(len(amplitude)), amplitude))
    found = find_worst(parts, at_least={"tail over head": 1.0, "hind over front": 1.0})
    plot = partial(
        write_curves, curves=curves, labels=("part, from the head", "amplitude / length")
    )
    return Finding(found.value, found.parts, plot)


@claim(
    id="fang2015/wave-outruns-swimmer",
    paper="Fang 2015 section 5.4.1; Lighthill 1970",
    statement="The wave along the body runs faster than the eel swims",
    scene="an eel in still water at five frequencies, 16 s",
    sense="at least",
    expected=1.0,
    why="the smallest of the wave's speeds over swimming speeds",
    quick=True,
)
def measure_wave_ratio() -> Finding:
    recording = race_frequencies()
    parts = {
        f"{hertz:g} Hz": swim.wave_ratio(recording, name)
        for name, hertz in zip(list_names(recording), FREQUENCIES, strict=True)
    }
    return Finding(min(parts.values()), parts)


@claim(
    id="fang2015/turns-to-weak-side",
    paper="Fang 2015 section 5.4.1, figure 5.9",
    statement="With one side driven less, an eel turns to that side",
    scene="three eels in still water, one straight on, one with the left and one with the right"
    " side weaker, 16 s",
    sense="at least",
    expected=5.0,
    unit="deg/s",
    why="the slower of both turns, as their courses turn beyond that of the one that swims straight"
    " on; 5 degrees/s make a full circle in little more than a minute",
    quick=True,
)
def measure_turning() -> Finding:
    stroke = {"frequency": FREQUENCY, "phase_deg": PHASE}
    recording = race([stroke | {"turn": turn} for turn in (0.0, 1.0, -1.0)])
    straight, left, right = (swim.yaw_rate(recording, name) for name in list_names(recording))
    parts = {
        "straight.deg/s to the left": straight,
        "left.deg/s to the left": left,
        "right.deg/s to the left": right,
        "left.radius, cm": swim.turning_radius(recording, f"{NAME}_1"),
        "right.radius, cm": swim.turning_radius(recording, f"{NAME}_2"),
    }
    curves = []
    for label, name in zip(("straight", "left", "right"), list_names(recording), strict=True):
        path = np.asarray(recording[f"{name}.body_position"][:], float).mean(axis=1)
        curves.append(Curve(label, path[:, 2] - path[0, 2], path[:, 0]))
    plot = partial(write_curves, curves=curves, labels=("z, cm", "x, cm"))
    return Finding(min(left - straight, straight - right), parts, plot)


@claim(
    id="fang2015/faster-with-frequency",
    paper="Fang 2015 section 5.4.2, figure 5.10",
    statement="Of five eels with the same phase shift, the higher the frequency the faster",
    scene="five eels side by side in still water with a phase shift of 0.3 π and 0.5, 0.75, 1, 1.5"
    " and 2 Hz, 16 s",
    sense="at least",
    expected=1.0,
    why="the smallest ratio of the speeds of one and the next slower stroke",
    quick=True,
)
def measure_frequency_race() -> Finding:
    parts = read_speeds(race_frequencies(), [f"{hertz:g} Hz" for hertz in FREQUENCIES])
    ratio = min(fast / slow for slow, fast in pairwise(parts.values()))
    return Finding(ratio, parts, partial(write_bars, values=parts, label="cm/s"))


@claim(
    id="fang2015/optimal-phase-exists",
    paper="Fang 2015 section 5.4.2, figure 5.11",
    statement="Of five eels with the same frequency, one with a middling phase shift is fastest",
    scene="five eels side by side in still water at 1.5 Hz with phase shifts of 0.1 to 0.5 π, 16 s",
    sense="at least",
    expected=1.0,
    why="the fastest of the middle three over the faster of the outer two",
    quick=True,
)
def measure_phase_race() -> Finding:
    recording = race([{"frequency": FREQUENCY, "phase_deg": 180 * ps} for ps in PHASES])
    parts = read_speeds(recording, [f"{ps:g} pi" for ps in PHASES])
    first, *middle, last = parts.values()
    plot = partial(write_bars, values=parts, label="cm/s")
    return Finding(max(middle) / max(first, last), parts, plot)


def tell_best(compute: OfCreature) -> Finding:
    """The mean of a measure over the least costly strokes."""
    recording = race_best()
    parts = {
        f"{swim.swim_speed(recording, name):.3g} cm/s": compute(recording, name)
        for name in list_names(recording)
    }
    return Finding(float(np.mean(list(parts.values()))), parts)


def tell_spread(compute: OfCreature) -> Finding:
    """The standard deviation of a measure over them, relative to its mean."""
    values = tell_best(compute).parts
    numbers = np.array(list(values.values()))
    return Finding(float(numbers.std() / numbers.mean()), values)


TOLD = "told beside the animal's: the model has its own size, shape and muscles"
OF_ANIMALS = (  # id, paper, statement, expected, how it is told, of what
    (
        "strouhal",
        "Borazjani and Sotiropoulos 2009, J. Exp. Biol. 212:576",
        "Anguilliform swimmers have a Strouhal number of about 0.45",
        0.45,
        tell_best,
        swim.strouhal,
    ),
    (
        "slip",
        "Tytell and Lauder 2004, J. Exp. Biol. 207:1825",
        "An eel swims at about 0.73 of the speed of its body's wave",
        0.73,
        tell_best,
        swim.slip,
    ),
    (
        "tail-amplitude",
        "Gillis 1998",
        "The tail of an eel sways by about 0.08 of its length to either side",
        0.08,
        tell_best,
        swim.amplitude_tail,
    ),
    (
        "stride-constant",
        "Gillis 1998",
        "The way that an eel makes in a stroke does not depend on its speed",
        0.0,
        tell_spread,
        swim.stride_length,
    ),
    (
        "lag-constant",
        "Boyd and McClellan 2002, J. Exp. Biol. 205:3707; Grillner 1974",
        "The lag from one segment to the next does not depend on the frequency",
        0.0,
        tell_spread,
        swim.body_lag,
    ),
)
for name, paper, statement, expected, tell, compute in OF_ANIMALS:
    claim(
        id=f"biology/{name}",
        paper=paper,
        statement=statement,
        scene="four eels in still water with their least costly strokes, at a quarter to all of the"
        " greatest speed, 30 s",
        sense="about",
        expected=expected,
        why=TOLD if tell is tell_best else f"standard deviation over mean; {TOLD}",
    )(partial(tell, compute))
