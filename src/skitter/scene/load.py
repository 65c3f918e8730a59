"""Loading a scene: a built-in name, a file or a dict, checked into a `Scene`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from skitter.errors import UserError
from skitter.scene.catalogue import SCENE_LIBRARY, find_file, list_scenes, list_species
from skitter.scene.check import Label, check, fail
from skitter.scene.expand import expand_creatures, take_name
from skitter.scene.limits import (
    check_focus,
    check_followed,
    check_limits,
    check_targets,
    count_frames,
    count_steps,
)
from skitter.scene.mixing import mix_species
from skitter.scene.overrides import Origin, Override, apply_override, parse_override
from skitter.scene.plain import make_plain
from skitter.scene.read_yaml import read_yaml
from skitter.scene.spec import SceneSpec
from skitter.scene.species import check_species, load_species
from skitter.scene.terrain_files import find_terrain_files
from skitter.species.kinds import SpeciesSpec

__all__ = ["Override", "Scene", "list_scenes", "list_species", "load_scene", "take_name"]


@dataclass(frozen=True)
class Scene:
    """A checked scene with the species of its creatures: all that a world is built from."""

    name: str
    spec: SceneSpec
    species: list[SpeciesSpec]  # one per creature
    creature_names: list[str]  # one per creature, all different

    @property
    def frame_count(self) -> int:
        """Frames after the first, which is the start itself."""
        return count_frames(self.spec)

    @property
    def steps_per_frame(self) -> int:
        return count_steps(self.spec)

    @property
    def step(self) -> float:
        """The time step taken, s: a whole part of a frame, near the one asked for."""
        return 1 / (self.spec.frame_rate * self.steps_per_frame)

    def to_dict(self) -> dict[str, Any]:
        """The scene as plain values, as in its file, with the name and the species added."""
        return {
            "name": self.name,
            **self.spec.model_dump(mode="json", by_alias=True),
            "creature_names": list(self.creature_names),
            "species": [figure.model_dump(mode="json", by_alias=True) for figure in self.species],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], label: str = "scene") -> "Scene":
        """The scene that `to_dict` gave; nothing else is read."""
        tree = dict(make_plain(values, label))
        name, names = str(tree.pop("name", "scene")), tree.pop("creature_names", [])
        figures = tree.pop("species", [])
        if not isinstance(names, list) or not isinstance(figures, list):
            raise UserError(f"{label}: has creature_names or species that are no list")
        spec = check(SceneSpec, tree, lambda _: label)
        species = [
            check_species(figure, lambda _: label, ("species", index))
            for index, figure in enumerate(figures)
        ]
        if not len(names) == len(species) == len(spec.creatures):
            raise UserError(
                f"{label}: has {len(spec.creatures)} creatures and {len(species)} species"
            )
        return cls(name, spec, species, [str(one) for one in names])


def load_scene(
    source: str | Path | Mapping[str, Any], *, overrides: Sequence[str | Override] = ()
) -> Scene:
    """Load a built-in name, a file or a dict; `overrides` are as in `--set path=value`."""
    overrides = [overrides] if isinstance(overrides, str) else overrides
    changes = [item if isinstance(item, Override) else parse_override(item) for item in overrides]
    name, tree, origin = read_source(source)
    spec = check(SceneSpec, tree, origin.label_of)
    if changes:
        full = spec.model_dump(mode="json", by_alias=True)
        origin = replace(origin, changes=[apply_override(tree, full, item) for item in changes])
        spec = check(SceneSpec, tree, origin.label_of)
    spec = find_terrain_files(spec, origin)
    species = load_species(spec, origin)
    names = name_creatures(spec, origin.label_of)
    spec, species, names = expand_creatures(spec, species, names, origin.label_of)
    species = mix_species(spec, species, names, origin.label_of)
    check_limits(spec, species, origin.label_of)
    check_followed(spec, names, origin.label_of)
    check_focus(spec, names, origin.label_of)
    check_targets(spec, species, names, origin.label_of)
    return Scene(name, spec, species, names)


def read_source(source: str | Path | Mapping[str, Any]) -> tuple[str, Any, Origin]:
    """The scene's name, its unchecked tree, and what to call the place it came from."""
    if isinstance(source, Mapping):
        return "scene", make_plain(source, "scene"), Origin("scene", Path())
    path = find_file(SCENE_LIBRARY, str(source), Path(), "scene")
    return make_name(path.stem), read_yaml(path), Origin(str(path), path.parent)


def name_creatures(spec: SceneSpec, label: Label) -> list[str]:
    """The given names, which must differ; the others after their species, numbered."""
    taken: set[str] = set()
    for index, placement in enumerate(spec.creatures):
        if placement.name in taken:
            location = ("creatures", index, "name")
            raise fail(label, location, f"is '{placement.name}' a second time; names must differ")
        taken |= {placement.name} if placement.name else set()
    return [
        placement.name or take_name(make_name(Path(placement.species).stem), taken)
        for placement in spec.creatures
    ]


def make_name(stem: str) -> str:
    """A file's stem as a name of the recording: small letters, digits and _."""
    name = re.sub(r"[^a-z0-9_]", "_", stem.lower())[:50]
    return name if re.match(r"[a-z]", name) else f"x{name}"
