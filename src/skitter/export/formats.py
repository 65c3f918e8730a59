"""The formats that a recording can be exported to: one row each.

A new format is a module with a function that takes an `Order` and returns a `Summary`, and a row
here. The command line, its help and its errors follow. This module is light, so that help is quick.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skitter.export.order import Order
    from skitter.export.summary import Summary


@dataclass(frozen=True)
class Format:
    """A kind of file."""

    suffixes: tuple[str, ...]
    home: str  # the module and function that write it
    unused: tuple[str, ...]  # options that would do nothing
    takes_surfaces: bool = True  # whether it is given creatures, built and chosen, in its order

    def load(self) -> "Callable[[Order], Summary]":
        """What writes it; nothing of it is imported before."""
        module, _, function = self.home.partition(":")
        write: Callable[[Order], Summary] = getattr(import_module(module), function)
        return write


FORMATS = (
    Format((".glb",), "skitter.export.glb:export_glb", unused=("soft",)),
    Format((".usdc", ".usda", ".usd", ".usdz"), "skitter.export.usd.write:export_usd", unused=()),
    Format((".mel",), "skitter.export.mel:export_mel", unused=("soft", "scenery")),
    Format(
        (".pov",),
        "skitter.export.pov.write:export_script",
        unused=("soft", "scenery", "lod", "in_place", "loop", "creature"),
        takes_surfaces=False,
    ),
    Format(
        (".wcon",),
        "skitter.export.wcon:export_wcon",
        unused=("soft", "scenery", "lod", "in_place", "loop", "fps", "scale"),
        takes_surfaces=False,
    ),
)
SUFFIXES = tuple(suffix for one in FORMATS for suffix in one.suffixes)


def find_format(path: Path) -> Format:
    """The one that a file's ending names, which must be one of `SUFFIXES`."""
    return next(one for one in FORMATS if path.suffix.lower() in one.suffixes)


def list_endings() -> str:
    """All endings in words, for help."""
    return f"{', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
