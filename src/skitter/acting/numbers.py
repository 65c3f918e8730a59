"""Changing numbers of a running world: gravity, and those of a walker's species.

A number changes the model and leaves the state as it is, so only numbers are changed that leave all
arrays as large as they are.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from skitter.acting.check import check_event, check_scene, find_walker
from skitter.compiled import LANES
from skitter.control.build import build_walker_model
from skitter.control.switcher import settle_legs
from skitter.creatures.myriapod import Myriapod
from skitter.errors import UserError
from skitter.events import SetGravity, SetParameter
from skitter.scene.describe import describe, quote, suggest
from skitter.species.myriapod import LegSpec, MyriapodSpec, WalkSpec

if TYPE_CHECKING:
    from skitter.world import World

PATHS = tuple(  # of the numbers that may be changed; the thickness of legs is only looked at
    f"{group}.{key}"
    for group, spec in (("walk", WalkSpec), ("leg", LegSpec))
    for key, field in spec.model_fields.items()
    if field.annotation is float and key != "thickness"
)


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
        one.physics = world.physics
        down = one.soft.gravity.reshape(-1, 3, LANES)  # of all nodes; carried ones do not fall
        free = one.soft.inverse_mass.reshape(-1, 3, LANES)[:, 1] > 0
        down[:, 1] = np.where(free, -gravity, 0.0)


def change_number(world: "World", event: SetParameter) -> None:
    label = "set parameter"
    one = find_walker(world, event.creature, label)
    if event.path not in PATHS:
        found = quote(event.path) if isinstance(event.path, str) else describe(event.path)
        near = suggest(str(event.path), PATHS)
        raise UserError(f"{label}: {found} cannot be set; {near}valid: {', '.join(PATHS)}")
    set_species(world, one, change_species(one.species, {event.path: event.value}, label))


def read_numbers(species: MyriapodSpec) -> np.ndarray:
    """The numbers that can be changed, in the order of PATHS."""
    groups = {"walk": species.walk, "leg": species.leg}
    return np.array([getattr(groups[group], key) for group, key in split_paths()], float)


def split_paths() -> list[tuple[str, str]]:
    return [(group, key) for group, _, key in (path.partition(".") for path in PATHS)]


def change_species(species: MyriapodSpec, values: Mapping[str, float], label: str) -> MyriapodSpec:
    """The species with some numbers changed, checked as if its file had them."""
    tree = species.model_dump(mode="json", by_alias=True)
    for path, value in values.items():
        group, _, key = path.partition(".")
        tree[group][key] = value
    return check_event(MyriapodSpec, tree, label)


def set_species(world: "World", one: Myriapod, species: MyriapodSpec) -> None:
    """Give a walker another species with the same body."""
    index = world.creatures.index(one)
    all_species = [*world.scene.species]
    all_species[index] = species
    world.scene = replace(world.scene, species=all_species)
    offsets = np.array(
        [p.centre - w.centre for p, w in zip(one.plan.rigid, one.weights, strict=True)]
    )
    held = one.walker.goal.free == 0
    one.species = species
    one.walker = build_walker_model(species, offsets, one.walker.goal.inertia, held)
    settle_legs(one.walker, one.walker_state, one.body_state, one.body_scratch.frame)


def restore_numbers(world: "World", one: Myriapod, numbers: np.ndarray) -> None:
    """Give a walker the numbers that it had."""
    if not np.array_equal(numbers, read_numbers(one.species)):
        values = dict(zip(PATHS, numbers.tolist(), strict=True))
        set_species(world, one, change_species(one.species, values, "state"))
