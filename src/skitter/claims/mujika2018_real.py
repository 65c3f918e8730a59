"""The worm beside a real one, both driven by its muscles; what the mode's has is told beside it.

The real one is the crawling worm of measure/real.py, recorded for 32 s: quartiles over its cycles
of frequency and waves per body, and the amplitude of its curvature. Its table of curvature has no
unit: it is taken to be rad from segment to segment, of 100 segments. These numbers stand here, so
that nothing is needed to measure them. With the environment variable SKITTER_WORM_DATA, the folder
that holds `curve_data.csv`, `TimeElapsed.csv` and `master_eigen_worms_N2.csv`, those of the files
are told as well; the eigenworms are in that folder only.
"""

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from skitter.claims.mujika2018_scenes import MUSCLE_SECONDS as SECONDS
from skitter.claims.mujika2018_scenes import crawl_by_mode, crawl_by_muscles
from skitter.claims.registry import Finding, claim
from skitter.errors import SimulationError
from skitter.measure import worm
from skitter.measure.eigenworms import find_share, load_eigenworms
from skitter.measure.real import LEAST_SHARE, NEAR, RealWorm, load_real_worm
from skitter.measure.worm import Track

FOLDER = "SKITTER_WORM_DATA"
SOURCE = "one worm that crawls on agar for 32 s, wenlab.org"
SCENE = f"worm_muscles, {SECONDS:g} s"
FREQUENCY = (0.26, 0.48)  # Hz, quartiles over the cycles of the real worm
WAVES = (1.31, 1.97)  # per body, quartiles
AMPLITUDE = 9.78  # curvature times length


def find_folder() -> Path | None:
    """The folder with the real worm, where there is one."""
    given = os.environ.get(FOLDER)
    return Path(given) if given else None


@cache
def load_real(folder: Path) -> RealWorm:
    return load_real_worm(folder / "curve_data.csv", folder / "TimeElapsed.csv")


def compare(compute: Callable[[Track], float], of_real: Callable[[RealWorm], float]) -> Finding:
    """A number of the worm with muscles, and beside it the mode's and, if at hand, the real one."""
    parts = {"muscles": compute(crawl_by_muscles()), "mode": compute(crawl_by_mode())}
    folder = find_folder()
    if folder is not None:
        parts["real"] = of_real(load_real(folder))
    return Finding(parts["muscles"], parts)


@claim(
    id="mujika2018/real-frequency",
    paper=f"past Mujika 2018; {SOURCE}",
    statement="The worm crawls by its muscles as fast as a real one: its frequency",
    scene=SCENE,
    sense="equals",
    expected=sum(FREQUENCY) / 2,
    tolerance=(FREQUENCY[1] - FREQUENCY[0]) / 2,
    unit="Hz",
    why="between the quartiles of the real worm over its cycles",
)
def measure_frequency() -> Finding:
    return compare(worm.crawl_frequency, lambda real: float(real.wave.frequencies[1]))


@claim(
    id="mujika2018/real-waves",
    paper=f"past Mujika 2018; {SOURCE}",
    statement="The worm that crawls by its muscles has as many waves on its body as a real one",
    scene=SCENE,
    sense="equals",
    expected=sum(WAVES) / 2,
    tolerance=(WAVES[1] - WAVES[0]) / 2,
    unit="waves per body",
    why="between the quartiles of the real worm over its cycles",
)
def measure_waves() -> Finding:
    return compare(worm.waves_per_body, lambda real: float(real.wave.lengths[1]))


@claim(
    id="mujika2018/real-curvature",
    paper=f"past Mujika 2018; {SOURCE}",
    statement="The worm that crawls by its muscles bends as much as a real one",
    scene=SCENE,
    sense="equals",
    expected=AMPLITUDE,
    tolerance=NEAR * AMPLITUDE,
    unit="curvature times length",
    why="within 30 % of the real worm's amplitude, whose table is taken to be in rad from segment"
    " to segment: its directions then sway by 53 degrees, as those of worms on agar do",
)
def measure_curvature() -> Finding:
    return compare(worm.curvature_amplitude, lambda real: real.wave.amplitude)


@claim(
    id="mujika2018/real-eigenworms",
    paper="past Mujika 2018; Stephens 2008",
    statement="Four eigenworms of the strain N2 hold nearly all shapes of the worm that crawls by"
    " its muscles",
    scene=SCENE,
    sense="at least",
    expected=LEAST_SHARE,
    unit="share of the variance",
    why="real worms have 0.9 to 0.95; measured only where the eigenworms are at hand, in the folder"
    f" that {FOLDER} names",
)
def measure_eigenworms() -> Finding:
    folder = find_folder()
    if folder is None:
        raise SimulationError(
            f"not measured: {FOLDER} is not set; valid: the folder of master_eigen_worms_N2.csv"
        )
    modes = load_eigenworms(folder / "master_eigen_worms_N2.csv")
    return compare(
        lambda track: worm.eigenworm_share(track, np.asarray(modes)),
        lambda real: find_share(real.shapes, modes),
    )
