"""The claim of McKenna 1990 about the step reflex: it keeps a hexapod up that turns and hurries."""

from functools import partial

import numpy as np

from skitter.claims.mckenna1990_scenes import ON_IT, load_gait, walk_whole
from skitter.claims.registry import Finding, claim
from skitter.measure.articulated import Walk
from skitter.measure.articulated_balance import (
    fallen_share,
    falls,
    find_support,
    trunk_touch_share,
)
from skitter.measure.articulated_steps import step_reflexes
from skitter.measure.plot import Curve, write_curves

RUNS, SECONDS = 12, 2.5
EVERY = (0.3, 0.7)  # s between commands
SPEEDS, TURNS = (0.2, 1.0), (-1.0, 1.0)  # of the gait's pace, and of its turn
WITH_STEP = f"{ON_IT}.gait.reflexes.step.on=true"


@claim(
    id="mckenna1990/reflexes-help",
    paper="McKenna 1990 section 4.1",
    statement="A hexapod whose speed and turning change at random keeps its balance more often with"
    " the step reflex",
    scene=f"roach_tripod, {RUNS} series of random commands, {SECONDS:g} s each, with the step"
    " reflex and without",
    sense="at least",
    expected=2.0,
    unit="standard errors",
    why="share of the time in which the centre of mass is above the feet on the ground: by how much"
    " more with the reflex, mean of the series, over the standard error of that mean; beyond 2 it"
    " is unlikely to be chance",
)
def measure_reflexes() -> Finding:
    runs = [(walk_led(seed, False), walk_led(seed, True)) for seed in range(RUNS)]
    shares = np.array([[share_balanced(one) for one in both] for both in runs])
    parts: dict[str, float] = {}
    for column, name in enumerate(("without", "with step reflex")):
        walks = [both[column] for both in runs]
        parts |= {
            f"{name}.balanced": float(shares[:, column].mean()),
            f"{name}.falls": sum(falls(one) for one in walks),
            f"{name}.fallen": float(np.mean([fallen_share(one) for one in walks])),
            f"{name}.trunk on the ground": float(
                np.mean([trunk_touch_share(one) for one in walks])
            ),
            f"{name}.reflexes": sum(step_reflexes(one) for one in walks),
        }
    gain = shares[:, 1] - shares[:, 0]
    parts |= {"gain.balanced": float(gain.mean()), "gain.better": float((gain > 0).sum())}
    parts |= {"gain.worse": float((gain < 0).sum())}
    curves = [
        Curve(name, np.arange(RUNS), shares[:, column], dots=True)
        for column, name in enumerate(("without", "with"))
    ]
    draw = partial(write_curves, curves=curves, labels=("series", "share of time in balance"))
    return Finding(find_certainty(gain), parts, draw)


def find_certainty(gain: np.ndarray) -> float:
    """The mean over its standard error; 0 where nothing differs."""
    error = gain.std(ddof=1) / np.sqrt(len(gain))
    return float(gain.mean() / error) if error > 0 else 0.0


def share_balanced(one: Walk) -> float:
    """Of the time, with the centre of mass above the feet on the ground."""
    return float((np.nan_to_num(find_support(one), nan=-1.0) > 0).mean())


def walk_led(seed: int, reflex: bool) -> Walk:
    """A walk led by random commands, the same with and without the reflex."""
    changes = [f"creatures.0.commands={describe(draw_commands(seed))}"]
    return walk_whole("roach_tripod", SECONDS, *changes, *([WITH_STEP] if reflex else []))


def draw_commands(seed: int) -> list[dict[str, float]]:
    """Jumps of speed and turning at random times; the first at once."""
    gait, rng = load_gait(), np.random.default_rng(seed)
    commands, time = [], 0.0
    while time < SECONDS:
        speed = gait.pace * rng.uniform(*SPEEDS)
        turn = np.degrees(gait.turn) * rng.uniform(*TURNS)
        commands.append({"time": time, "speed": float(speed), "turn_deg": float(turn)})
        time += float(rng.uniform(*EVERY))
    return commands


def describe(commands: list[dict[str, float]]) -> str:
    """As `--set` takes it."""
    rows = (", ".join(f"{key}: {value:.4f}" for key, value in one.items()) for one in commands)
    return f"[{', '.join(f'{{{row}}}' for row in rows)}]"
