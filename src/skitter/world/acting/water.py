"""Changing the water of a running world."""

from dataclasses import replace
from typing import TYPE_CHECKING

from skitter.errors import UserError
from skitter.events import SetRain
from skitter.world.acting.check import check_scene

if TYPE_CHECKING:
    from skitter.world.world import World


def change_rain(world: "World", event: SetRain) -> None:
    label, water = "set rain", world.scene.spec.water
    if water is None or not water.waves:
        raise UserError(f"{label}: there is no water with waves here; valid: a scene with water")
    tree = water.model_dump(mode="json") | {"rain": event.drops}
    spec = check_scene(world, label, {"water": tree}).water
    assert spec is not None
    set_rain(world, spec.rain)


def set_rain(world: "World", drops: float) -> None:
    """Let so many drops fall per second from now on."""
    water, scene = world.water, world.scene
    if water is None or scene.spec.water is None:
        return
    water.rain = drops
    if drops != scene.spec.water.rain:
        spec = scene.spec.water.model_copy(update={"rain": drops})
        world.scene = replace(scene, spec=scene.spec.model_copy(update={"water": spec}))
