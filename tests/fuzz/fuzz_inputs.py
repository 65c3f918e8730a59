"""All kinds of input: how each is made, and how often."""

import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from fuzz_files import (
    export_heights,
    export_meshes,
    make_heights,
    make_map,
    make_mesh,
    make_rig,
    make_table,
    make_tetrahedra,
    make_track,
    write_rigs,
)
from fuzz_recordings import make_recording, write_bases
from fuzz_texts import (
    make_camera,
    make_results,
    make_scene,
    make_set,
    make_species,
    make_study,
    read_library,
)

sys.path.append(str(Path(__file__).parents[1] / "unit"))  # recordings and rigs of other tests
Attempt = Callable[[], object]


@dataclass(frozen=True)
class Kind:
    """One kind of input; `make` writes one into a folder and returns what is to be tried."""

    name: str
    weight: int  # of a hundred
    bases: str  # what it starts from
    make: Callable[[random.Random, Any, Path], Attempt]


KINDS = (
    Kind("recording", 24, "recordings", make_recording),
    Kind("mesh", 14, "meshes", make_mesh),
    Kind("heights", 10, "heights", make_heights),
    Kind("wcon", 10, "library", make_track),
    Kind("rig", 8, "rigs", make_rig),
    Kind("rig map", 3, "library", make_map),
    Kind("tetrahedra", 3, "library", make_tetrahedra),
    Kind("table", 2, "library", make_table),
    Kind("scene", 8, "library", make_scene),
    Kind("species", 7, "library", make_species),
    Kind("--set", 5, "library", make_set),
    Kind("study", 3, "library", make_study),
    Kind("camera", 1, "library", make_camera),
    Kind("sweep folder", 2, "library", make_results),
)


class Bases:
    """Sound inputs that others are made of; files among them are in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, name: str) -> Any:
        return getattr(self, name)

    @cached_property
    def recordings(self) -> list[Path]:
        return self._once("recordings", write_bases)

    @cached_property
    def rigs(self) -> list[Path]:
        return self._once("rigs", write_rigs)

    @cached_property
    def meshes(self) -> Any:
        return export_meshes()

    @cached_property
    def heights(self) -> Any:
        return export_heights()

    @cached_property
    def library(self) -> Any:
        return read_library()

    def _once(self, name: str, write: Callable[[Path], list[Path]]) -> list[Path]:
        folder = self.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        return write(folder)


def choose_kind(seed: int, number: int) -> tuple[Kind, random.Random]:
    """The kind of an input, and the generator that makes it; the same for the same numbers."""
    rng = random.Random(f"{seed} {number}")
    return rng.choices(KINDS, [kind.weight for kind in KINDS])[0], rng
