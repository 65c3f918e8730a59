"""Checking what an event says, by the same rules and in the same words as a scene file."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from skitter.creatures.creature import Creature
from skitter.errors import UserError
from skitter.scene.check import check
from skitter.scene.describe import describe, quote, suggest
from skitter.scene.plain import make_plain
from skitter.scene.spec import SceneSpec
from skitter.spec import Spec

if TYPE_CHECKING:
    from skitter.world.world import World

Model = TypeVar("Model", bound=Spec)


def check_event(model: type[Model], tree: Any, label: str) -> Model:
    """A spec, or plain values that must become one; `label` begins the line of a mistake."""
    if isinstance(tree, model):
        return tree
    return check(model, make_plain(tree, label), lambda _: label)


def check_scene(world: "World", label: str, changes: Mapping[str, Any]) -> SceneSpec:
    """The scene of a world with some fields changed."""
    tree = world.scene.spec.model_dump(mode="json", by_alias=True)
    return check_event(SceneSpec, tree | dict(changes), label)


def find_creature(world: "World", name: str, label: str) -> Creature:
    for one in world.creatures:
        if one.name == name:
            return one
    names = [one.name for one in world.creatures]
    near = suggest(str(name), names)
    found = quote(name) if isinstance(name, str) else describe(name)
    raise UserError(f"{label}: there is no creature {found}; {near}valid: {', '.join(names)}")


def find_led(world: "World", name: str, label: str) -> Creature:
    """A creature that can be led by hand."""
    able = [one for one in world.creatures if one.can_be_led]
    return choose(world, name, label, able, ("neither walks nor swims", "does"))


def find_changeable(world: "World", name: str, label: str) -> Creature:
    """A creature that has numbers which can be set."""
    able = [one for one in world.creatures if one.numbers]
    return choose(world, name, label, able, ("has no numbers that can be set", "has any"))


def choose(
    world: "World", name: str, label: str, able: list[Creature], lack: tuple[str, str]
) -> Creature:
    """A creature among those able; `lack` says what others lack, and what none does or has."""
    one = find_creature(world, name, label)
    if one in able:
        return one
    names = ", ".join(other.name for other in able)
    valid = f"valid: {names}" if able else f"no creature here {lack[1]}"
    raise UserError(f"{label}: '{name}' {lack[0]}; {valid}")
