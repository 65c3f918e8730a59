"""The water of a recording as a surface: its moving top, the sheet beyond, the sides of a pool."""

from skitter.look.water.detail import (
    refine_sheet,
    thin_around,
    thin_sheet,
)
from skitter.look.water.mesh import (
    build_sides,
    build_top,
)
from skitter.look.water.recorded import (
    WIDER,
    Water,
    open_water,
    view_water,
)
from skitter.look.water.sheet import (
    FADE_LINES,
    Sheet,
    build_sheet,
    build_still,
    carry_on,
    close_sheet,
    compute_slopes,
    extend_sheet,
    find_height,
)
from skitter.look.water.shore import (
    FILM,
    Bed,
    calm_shore,
    open_bed,
    reach_shore,
)

__all__ = [
    "FADE_LINES",
    "FILM",
    "WIDER",
    "Bed",
    "Sheet",
    "Water",
    "build_sheet",
    "build_sides",
    "build_still",
    "build_top",
    "calm_shore",
    "carry_on",
    "close_sheet",
    "compute_slopes",
    "extend_sheet",
    "find_height",
    "open_bed",
    "open_water",
    "reach_shore",
    "refine_sheet",
    "thin_around",
    "thin_sheet",
    "view_water",
]
