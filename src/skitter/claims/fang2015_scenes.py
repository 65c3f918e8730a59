"""Scenes in which the claims about walking are measured: one creature, called `it`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from skitter.runner import run
from skitter.scene.load import load_scene
from skitter.species.myriapod import MyriapodSpec

if TYPE_CHECKING:
    from skitter.record import Recording

NAME = "it"
BODY = f"{NAME}.body_position"
Terrain = list[dict[str, Any]]
GROUND = {"friction": 0.85}  # the tips of legs do not slide (section 4.2)
PLANE: Terrain = [{"shape": "plane"} | GROUND]
# Slopes of up to some 40 degrees.
HILLS: Terrain = [
    {
        "shape": "heightfield",
        **GROUND,
        "random": {"count": 400, "height": [1.5, 4.5], "width": [5, 9], "area": [360, 360]},
    }
]
LOGS: Terrain = [
    *PLANE,
    {"shape": "logs", "count": 120, "radius": [0.4, 0.9], "length": [4, 9], "area": [160, 120]}
    | GROUND,
]
BALL: Terrain = [{"shape": "sphere", "at": [0, 0, 0], "radius": 20} | GROUND]
MESH_SIZE = 60.0  # cm
MESHES = ("ball", "pebble", "skull", "torus")  # built-in ones
OUTSIDE = Path(__file__).parents[4] / "shared/data/meshes"  # more, where a checkout has them


def build_mesh(file: str) -> Terrain:
    return [{"shape": "mesh", "file": file, "at": [0, 0, 0], "size": MESH_SIZE} | GROUND]


def build_scene(
    species: str, terrain: Terrain, *, seconds: float, **creature: Any
) -> dict[str, Any]:
    """A creature on a terrain; keywords are further keys of its placement."""
    is_high = terrain[0]["shape"] in ("mesh", "sphere", "heightfield")
    placed = {"species": species, "name": NAME, "at": [0, 50 if is_high else 1, 0]} | creature
    return {
        "title": f"{species}, to measure how it moves",
        "seconds": seconds,
        "terrain": terrain,
        "creatures": [placed],
    }


def load_species(species: str) -> MyriapodSpec:
    """A built-in species."""
    found = load_scene(build_scene(species, PLANE, seconds=1)).species[0]
    assert isinstance(found, MyriapodSpec)
    return found


def go_straight(species: str) -> list[dict[str, float]]:
    """Commands that lead it straight ahead at the speed of its species."""
    return [{"speed": load_species(species).walk.speed}]


def walk_straight(
    species: str, seconds: float, *, leg: dict[str, Any] | None = None
) -> "Recording":
    """A recording of a walk straight ahead on a plane, with changes to the legs of the species."""
    creature = {"commands": go_straight(species), "with": {"leg": leg or {}}}
    return run(build_scene(species, PLANE, seconds=seconds, **creature))
