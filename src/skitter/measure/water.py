"""Measures of water, and of life on land and in it (Fang 2015 section 6.3)."""

from typing import TYPE_CHECKING

import numpy as np

from skitter.control.walker import IN_WATER, WATER_TO_GROUND
from skitter.measure.table import measured, measured_once

if TYPE_CHECKING:
    from skitter.record import Recording


def lives_in_both(recording: "Recording", name: str) -> bool:
    """Whether a creature walks and swims."""
    return f"{name}.body_mode" in recording and f"{name}.swim_mode" in recording


def list_modes(recording: "Recording", name: str) -> np.ndarray:
    """The modes of its body, each once for as long as it lasts."""
    mode = np.asarray(recording[f"{name}.body_mode"][:])
    return mode[np.insert(mode[1:] != mode[:-1], 0, True)]


@measured("1", "from one mode of the body to another", where=lives_in_both)
def body_mode_changes(recording: "Recording", name: str) -> float:
    return float(len(list_modes(recording, name)) - 1)


@measured("1", "times that it came to swim", where=lives_in_both)
def water_entries(recording: "Recording", name: str) -> float:
    """How often it came to swim."""
    return float((list_modes(recording, name)[1:] == IN_WATER).sum())


@measured("1", "times that it came out of the water", where=lives_in_both)
def water_exits(recording: "Recording", name: str) -> float:
    """How often it was on its way out of the water and then on land."""
    modes = list_modes(recording, name)
    return float(((modes[:-1] == WATER_TO_GROUND) & (modes[1:] != IN_WATER)).sum())


@measured("1", "share of the time that it swam", where=lives_in_both)
def water_share(recording: "Recording", name: str) -> float:
    return float((np.asarray(recording[f"{name}.body_mode"][:]) == IN_WATER).mean())


@measured_once("water.volume_error", "1", "largest change of the volume of water, relative")
def volume_error(recording: "Recording") -> float:
    """Largest change of the water's volume, relative; nan where there is none or it may leave."""
    spec = recording.attributes["scene"].get("water")
    if "water_volume" not in recording or spec is None or spec["edges"] != "walls":
        return np.nan
    volume = np.asarray(recording["water_volume"][:])
    return float(np.abs(volume / volume[0] - 1).max())
