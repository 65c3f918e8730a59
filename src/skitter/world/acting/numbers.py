"""Changing numbers of a running world: gravity, and those of a creature's species."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from skitter.creatures.creature import Creature
from skitter.errors import UserError
from skitter.events import SetGravity, SetParameter
from skitter.scene.describe import describe, quote, suggest
from skitter.species.kinds import SpeciesSpec
from skitter.world.acting.check import check_event, check_scene, find_changeable

if TYPE_CHECKING:
    from skitter.world.world import World


def change_gravity(world: "World", event: SetGravity) -> None:
    spec = check_scene(world, "set gravity", {"gravity": event.value})
    set_gravity(world, spec.gravity)


def set_gravity(world: "World", gravity: float) -> None:
    """Let everything fall by another gravity, cm/s²."""
    if gravity == world.physics.gravity:
        return
    world.physics = replace(world.physics, gravity=gravity)
    world.scene = replace(
        world.scene, spec=world.scene.spec.model_copy(update={"gravity": gravity})
    )
    for one in world.creatures:
        one.set_gravity(gravity)


def change_number(world: "World", event: SetParameter) -> None:
    label = "set parameter"
    one = find_changeable(world, event.creature, label)
    if event.path not in one.numbers:
        found = quote(event.path) if isinstance(event.path, str) else describe(event.path)
        near = suggest(str(event.path), one.numbers)
        valid = f"valid: {', '.join(one.numbers)}"
        raise UserError(f"{label}: {found} cannot be set; {near}{valid}")
    one.set_species(change_species(one.species, {event.path: event.value}, label))
    note_species(world, one)


def change_species(species: SpeciesSpec, values: Mapping[str, float], label: str) -> SpeciesSpec:
    """The species with some numbers changed, checked as if its file had them."""
    tree = species.model_dump(mode="json", by_alias=True)
    for path, value in values.items():
        group, _, key = path.partition(".")
        tree[group][key] = value
    return check_event(type(species), tree, label)


def note_species(world: "World", one: Creature) -> None:
    """Let the scene have the numbers that a creature of it has by now."""
    species = [*world.scene.species]
    species[world.creatures.index(one)] = one.species
    world.scene = replace(world.scene, species=species)
