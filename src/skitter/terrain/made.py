"""Terrain that is made of simpler terrain.

A new type of terrain is a spec in `scene/spec.py`, with a `shape` of its own, and a row here: how
it is made of shapes that there are, which may be built-in meshes (`terrain/shapes.py`) as well as
boxes and cylinders. Feet feel it and pictures show it then without a word more.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from skitter.scene.spec import AnyTerrain, LogsTerrain
from skitter.terrain.logs import expand_logs


class Made(NamedTuple):
    """A type of terrain and what makes it."""

    spec: Any  # its class
    expand: Callable[[Any], list[Any]]  # to simpler specs


MADE = {"logs": Made(LogsTerrain, expand_logs)}  # by shape


def expand(spec: AnyTerrain) -> list[AnyTerrain]:
    """An item of a scene's terrain as simple ones; a simple one is all that it is made of."""
    if spec.shape not in MADE:
        return [spec]
    return [simple for part in MADE[spec.shape].expand(spec) for simple in expand(part)]


def expand_pieces(terrain: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same for all items, as a recording has them."""
    pieces = []
    for piece in terrain:
        if piece["shape"] in MADE:
            spec = MADE[piece["shape"]].spec.model_validate(piece)
            pieces += [one.model_dump() for one in expand(spec)]
        else:
            pieces.append(piece)
    return pieces
