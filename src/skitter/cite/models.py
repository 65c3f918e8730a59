"""Which models a scene uses: a question for each name of models.yaml."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from skitter.scene.load import Scene
from skitter.scene.read_yaml import read_yaml
from skitter.scene.spec import MeshTerrain
from skitter.species.articulated import ArticulatedSpec
from skitter.species.kinds import SpeciesSpec
from skitter.species.myriapod import MyriapodSpec
from skitter.species.spec import BoxPart, CapsulePart, FigureSpec
from skitter.species.worm import WormSpec

TABLE = Path(__file__).with_name("models.yaml")
CARVED = ("ball", "pebble", "skull", "torus")  # built-in meshes that surface nets make


@cache
def read_models() -> dict[str, dict[str, str]]:
    """For each model, by name: the keys of its papers, and what each is cited for."""
    return {str(model): dict(papers) for model, papers in read_yaml(TABLE).items()}


def list_models(scene: Scene) -> list[str]:
    """The models that a scene uses, in the order of the table."""
    return [model for model in read_models() if USES[model](scene)]


def of_kind(*kinds: str) -> Callable[[Scene], bool]:
    return lambda scene: any(one.kind in kinds for one in scene.species)


def where(is_so: Callable[[SpeciesSpec], bool]) -> Callable[[Scene], bool]:
    return lambda scene: any(is_so(one) for one in scene.species)


def is_soft(species: SpeciesSpec) -> bool:
    """Whether it has a soft block: between two parts, or on its own."""
    if not isinstance(species, FigureSpec):
        return species.has_figure
    parts = species.parts
    return (
        len(parts) > 1
        or not has_rigid(species)
        or any(part.repeat > 1 for part in parts if isinstance(part, BoxPart | CapsulePart))
    )


def has_rigid(species: SpeciesSpec) -> bool:
    if not isinstance(species, FigureSpec):
        return species.has_figure
    return any(isinstance(part, BoxPart | CapsulePart) for part in species.parts)


def has_muscles(species: SpeciesSpec) -> bool:
    driven = isinstance(species, FigureSpec) and species.muscles is not None
    return driven or species.kind == "swimmer" or is_amphibious(species)


def is_amphibious(species: SpeciesSpec) -> bool:
    return isinstance(species, MyriapodSpec) and species.swim is not None


def is_driven(*drives: str) -> Callable[[Scene], bool]:
    return where(lambda one: isinstance(one, WormSpec) and one.crawl.drive in drives)


def has_waves(scene: Scene) -> bool:
    return scene.spec.water is not None and scene.spec.water.waves


def has_open_water(scene: Scene) -> bool:
    return has_waves(scene) and scene.spec.water is not None and scene.spec.water.edges == "open"


def has_rain(scene: Scene) -> bool:
    return scene.spec.water is not None and scene.spec.water.rain > 0


def has_mesh(scene: Scene) -> bool:
    return bool(list_meshes(scene))


def has_carved_mesh(scene: Scene) -> bool:
    return any(mesh.file in CARVED for mesh in list_meshes(scene))


def list_meshes(scene: Scene) -> list[MeshTerrain]:
    shapes = (*scene.spec.terrain, *scene.spec.obstacles)
    return [shape for shape in shapes if isinstance(shape, MeshTerrain)]


def swims(scene: Scene) -> bool:
    amphibious = scene.spec.water is not None and where(is_amphibious)(scene)
    return amphibious or of_kind("swimmer")(scene)


def is_in_water(scene: Scene) -> bool:
    return scene.spec.water is not None and where(is_amphibious)(scene)


USES: dict[str, Callable[[Scene], bool]] = {
    "myriapod": of_kind("myriapod"),
    "figure": where(lambda one: has_rigid(one) and is_soft(one)),
    "soft": where(is_soft),
    "rigid": where(has_rigid),
    "muscles": where(has_muscles),
    "swimming": swims,
    "hunting": where(lambda one: isinstance(one, MyriapodSpec) and one.hunt is not None),
    "coiling": where(lambda one: isinstance(one, MyriapodSpec) and one.defend is not None),
    "trails": lambda scene: scene.spec.trails is not None,
    "amphibious": is_in_water,
    "water": has_waves,
    "open_water": has_open_water,
    "rain": has_rain,
    "worm": of_kind("worm"),
    "mode_drive": is_driven("mode"),
    "worm_muscles": is_driven("wave", "reflex"),
    "reflex_drive": is_driven("reflex"),
    "articulated": of_kind("articulated"),
    "stepping": where(lambda one: isinstance(one, ArticulatedSpec) and one.gait is not None),
    "runge_kutta": where(
        lambda one: isinstance(one, ArticulatedSpec) and one.solver.method == "runge_kutta"
    ),
    "climber": of_kind("climber"),
    "object": of_kind("object"),
    "engine": of_kind("climber", "object"),
    "chance": of_kind("myriapod", "climber"),
    "mesh": has_mesh,
    "carved_mesh": has_carved_mesh,
}
