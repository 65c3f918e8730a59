"""Steering, poking, adding and removing creatures."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from skitter.creatures.creature import Creature
from skitter.errors import SimulationError, UserError
from skitter.events import AddCreature, Poke, Release, RemoveCreature, Steer
from skitter.scene.limits import check_limits
from skitter.scene.load import Scene, make_name, take_name
from skitter.scene.overrides import Origin
from skitter.scene.spec import CreaturePlacement, Speed, SpeedEachWay
from skitter.scene.species import load_species
from skitter.spec import Number, Spec, Vector3
from skitter.start import check_start
from skitter.start.blame import explain_failure
from skitter.world.acting.check import check_event, check_scene, find_creature, find_led

if TYPE_CHECKING:
    from skitter.world.world import World

ADDED_KEY = 2**32 - 1  # of the seeds of creatures added later, apart from those of the scene
NAME_LENGTH = 50  # leaves room for a number
PushSpeed = Annotated[Number, Field(ge=-200, le=200)]  # cm/s


class Steering(Spec):
    """What a steering hand may ask for."""

    speed: Speed  # cm/s
    turn: Annotated[Number, Field(ge=-100, le=100)]  # rad/s


class BothWays(Steering):
    """The same for one that can also go backward."""

    speed: SpeedEachWay  # cm/s


class Push(Spec):
    """Where and how hard one may push."""

    at: Vector3  # cm
    velocity: Annotated[tuple[PushSpeed, PushSpeed, PushSpeed], Field(strict=False)]


def steer(world: "World", event: Steer) -> None:
    one = find_led(world, event.creature, "steer")
    asked = {"speed": event.speed, "turn": event.turn}
    wanted = check_event(BothWays if one.species.can_back else Steering, asked, "steer")
    one.command(wanted.speed, wanted.turn)


def release(world: "World", event: Release) -> None:
    find_led(world, event.creature, "release").release()


def poke(world: "World", event: Poke) -> None:
    one = find_creature(world, event.creature, "poke")
    wanted = check_event(Push, {"at": event.at, "velocity": event.velocity}, "poke")
    one.push(np.array(wanted.at), np.array(wanted.velocity))


def remove_creature(world: "World", event: RemoveCreature) -> None:
    one = find_creature(world, event.creature, "remove creature")
    if len(world.creatures) == 1:
        raise UserError(f"remove creature: '{one.name}' is the last one, and one must stay")
    scene, stay = world.scene, [k for k, other in enumerate(world.creatures) if other is not one]
    placements = [scene.spec.creatures[k] for k in stay]
    world.scene = replace(
        scene,
        spec=scene.spec.model_copy(update={"creatures": placements}),
        species=[scene.species[k] for k in stay],
        creature_names=[scene.creature_names[k] for k in stay],
    )
    world.creatures = [world.creatures[k] for k in stay]


def add_creature(world: "World", event: AddCreature) -> None:
    label = "add creature"
    placement = check_event(CreaturePlacement, event.placement, label)
    if placement.count > 1 or placement.area is not None:
        raise UserError(f"{label}: adds one at its place; valid: count: 1, and no area")
    wanted = placement.name or make_name(Path(placement.species).stem)
    name = take_name(wanted[:NAME_LENGTH], set(world.scene.creature_names))
    placement = placement.model_copy(update={"name": name})
    alone = load_alone(world, placement, label)
    scene = add_to_scene(world, alone, label)
    seeds = np.random.SeedSequence(world.seed, spawn_key=(ADDED_KEY, world.added))
    one = world.build_creature(alone, 0, np.random.default_rng(seeds))
    try_frame(world, alone, one)
    world.creatures.append(one)
    world.scene, world.added = scene, world.added + 1


def load_alone(world: "World", placement: CreaturePlacement, label: str) -> Scene:
    """The world's scene with the new creature alone, checked as a scene is before it begins."""
    spec = world.scene.spec.model_copy(update={"creatures": [placement]})
    try:
        species = load_species(spec, Origin(label, Path()))
        alone = Scene(world.scene.name, spec, species, [str(placement.name)])
        check_start(alone, world.terrain)
    except UserError as error:
        raise UserError(str(error).replace("creatures[0].", "")) from None
    return alone


def add_to_scene(world: "World", alone: Scene, label: str) -> Scene:
    """The world's scene with the new creature as its last; too many are refused."""
    scene, added = world.scene, alone.spec.creatures
    dumps = [one.model_dump(mode="json", by_alias=True) for one in [*scene.spec.creatures, *added]]
    spec = check_scene(world, label, {"creatures": dumps})
    species = [*scene.species, *alone.species]
    check_limits(spec, species, lambda _: label)
    names = [*scene.creature_names, *alone.creature_names]
    return replace(scene, spec=spec, species=species, creature_names=names)


def try_frame(world: "World", alone: Scene, one: Creature) -> None:
    """Refuse a creature that flies apart in its first frame, which would stop the world."""
    before = one.state()
    try:
        one.advance_frame(world.look_around())
    except SimulationError as error:
        line = explain_failure(alone, [one], str(error)).replace("creatures[0].", "")
        raise UserError(f"add creature: {line}") from error
    one.restore(before)
