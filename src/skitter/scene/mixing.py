"""Checks of what creatures are to each other: hunters and prey, foragers and their nest."""

from collections.abc import Sequence
from pathlib import Path

from skitter.scene.check import Label, fail
from skitter.scene.describe import quote
from skitter.scene.spec import SceneSpec
from skitter.species.behaviour import DefendSpec
from skitter.species.climber import ClimberSpec
from skitter.species.kinds import KINDS, SpeciesSpec
from skitter.species.myriapod import MyriapodSpec

HELPLESS = DefendSpec(flee_range=0, coil_range=0)  # of prey whose species says nothing
FORAGING = tuple(kind for kind, spec in KINDS.items() if "forage" in spec.model_fields)


def mix_species(
    spec: SceneSpec, species: Sequence[SpeciesSpec], names: Sequence[str], label: Label
) -> list[SpeciesSpec]:
    """The species, those that others hunt such that they can be caught."""
    check_nest(spec, species, label)
    return [
        take_hunted(index, one, spec, species, names, label) for index, one in enumerate(species)
    ]


def take_hunted(
    index: int,
    one: SpeciesSpec,
    spec: SceneSpec,
    species: Sequence[SpeciesSpec],
    names: Sequence[str],
    label: Label,
) -> SpeciesSpec:
    """One species, as what it is to the hunters of the scene."""
    breed = Path(spec.creatures[index].species).stem
    hunters = [k for k, other in enumerate(species) if k != index and breed in list_prey(other)]
    if not hunters:
        return one
    if not isinstance(one, MyriapodSpec):
        problem = f"is {quote(breed)}, of kind {one.kind}, which {quote(names[hunters[0]])} hunts"
        raise fail(label, ("creatures", index, "species"), f"{problem}; valid prey: kind myriapod")
    return one if one.defend is not None else one.model_copy(update={"defend": HELPLESS})


def list_prey(species: SpeciesSpec) -> list[str]:
    """Names of the species that it hunts."""
    hunt = species.hunt if isinstance(species, MyriapodSpec) else None
    return hunt.prey if hunt is not None else []


def check_nest(spec: SceneSpec, species: Sequence[SpeciesSpec], label: Label) -> None:
    """A nest or trails that nobody would use are a mistake."""
    able = [one for one in species if isinstance(one, MyriapodSpec | ClimberSpec)]
    forages = any(one.forage is not None for one in able)
    if spec.nest is not None and not forages:
        kinds = " or ".join(FORAGING)
        problem = f"is of no use: nobody here forages; valid: a species of kind {kinds} with forage"
        raise fail(label, ("nest",), problem)
    if spec.trails is not None and spec.nest is None:
        raise fail(label, ("trails",), "are of no use without a nest; valid: nest: {at: [x, y, z]}")
