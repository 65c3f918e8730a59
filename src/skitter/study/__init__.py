"""Studies: many simulations, and what follows from them; each part is loaded when asked for."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import xarray


def open_sweep(folder: str | Path) -> "xarray.Dataset":
    """The results of a sweep, finished or not, as an xarray Dataset."""
    from skitter.study.sweep.store import open_sweep

    return open_sweep(folder)
