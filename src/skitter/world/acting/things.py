"""Placing, moving and removing food and obstacles."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from skitter.errors import UserError
from skitter.events import MoveThing, PlaceFood, PlaceObstacle, RemoveThing
from skitter.scene.describe import describe, quote
from skitter.scene.spec import FoodSpec
from skitter.spec import Spec, Vector3
from skitter.things import SIMPLE, Obstacle, Simple, Things, lay_on_ground
from skitter.world.acting.check import check_event

if TYPE_CHECKING:
    from skitter.world.world import World

KINDS = ("food", "obstacle")


class Spot(Spec):
    """A place in the world."""

    at: Vector3  # cm


def lay_food(world: "World", event: PlaceFood) -> None:
    label, things = "place food", world.things
    fields = {"at": event.at, "radius": event.radius, "strength": event.strength}
    food = check_event(FoodSpec, fields, label)
    slot = find_free(things, "food", label)
    place = lay_on_ground(np.array(food.at), food.radius, world.terrain)
    things.set_food(slot, [*place, food.radius, food.strength])


def put_up_obstacle(world: "World", event: PlaceObstacle) -> None:
    label = "place obstacle"
    obstacle = check_obstacle(event.obstacle, label)
    slot = find_free(world.things, "obstacle", label)
    world.things.set_obstacle(slot, obstacle)


def check_obstacle(given: Any, label: str) -> Obstacle:
    """A box, sphere or cylinder, as a spec or as in a scene file."""
    if isinstance(given, Simple):
        return given
    shape = given.get("shape") if isinstance(given, Mapping) else None
    if not isinstance(shape, str) or shape not in SIMPLE:
        found = given if shape is None else shape
        valid = f"one of {', '.join(SIMPLE)}"
        raise UserError(f"{label}: shape must be {valid}; found {describe(found)}")
    return check_event(SIMPLE[shape], given, label)


def move_thing(world: "World", event: MoveThing) -> None:
    label, things = f"move {check_kind(event.kind, 'move')}", world.things
    slot = find_taken(things, event.kind, event.index, label)
    at = check_event(Spot, {"at": event.at}, label).at
    if event.kind == "food":
        radius, strength = things.food[slot, 3:]
        place = lay_on_ground(np.array(at), radius, world.terrain)
        things.set_food(slot, [*place, radius, strength])
    else:
        things.move_obstacle(slot, at)


def remove_thing(world: "World", event: RemoveThing) -> None:
    label, things = f"remove {check_kind(event.kind, 'remove')}", world.things
    slot = find_taken(things, event.kind, event.index, label)
    if event.kind == "food":
        things.remove_food(slot)
    else:
        things.set_obstacle(slot, None)


def check_kind(kind: Any, verb: str) -> str:
    if not isinstance(kind, str) or kind not in KINDS:
        found = quote(kind) if isinstance(kind, str) else describe(kind)
        raise UserError(f"{verb} thing: kind must be one of {', '.join(KINDS)}; found {found}")
    return kind


def list_taken(things: Things, kind: str) -> list[int]:
    """The slots in which something is."""
    if kind == "food":
        return [int(slot) for slot in np.flatnonzero(things.left)]
    return [slot for slot, one in enumerate(things.slots) if one is not None]


def find_free(things: Things, kind: str, label: str) -> int:
    """The first slot that is empty, or whose food is eaten."""
    check_spare(things, label)
    slots = len(things.left) if kind == "food" else len(things.slots)
    free = sorted({*range(slots)} - {*list_taken(things, kind)})
    if not free:
        raise UserError(f"{label}: there is room for {slots}, all taken; valid: remove one first")
    return free[0]


def find_taken(things: Things, kind: str, index: Any, label: str) -> int:
    check_spare(things, label)
    taken = list_taken(things, kind)
    if isinstance(index, bool) or not isinstance(index, int) or index not in taken:
        valid = f"valid: {', '.join(map(str, taken))}" if taken else "there is none"
        raise UserError(f"{label}: no {kind} has the index {describe(index)}; {valid}")
    return index


def check_spare(things: Things, label: str) -> None:
    """Without spare slots things are recorded once, as the scene has them."""
    if not things.spare:
        valid = "valid: a world made with room for more, as World(…, spare=8)"
        raise UserError(f"{label}: this world's things stay as they are; {valid}")
