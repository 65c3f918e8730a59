"""What a person does to a running world: `World.apply` carries one event out between two frames.

Vectors are plain tuples in the world's axes: x forward, y up, z to the right.
"""

from dataclasses import dataclass

from skitter.scene.spec import BoxTerrain, CreaturePlacement, CylinderTerrain, SphereTerrain

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class PlaceFood:
    """Lay a piece of food on the surface nearest to `at`."""

    at: Vector  # cm
    radius: float = 0.4  # cm
    strength: float = 1.0  # smelt as strength / distance², distance in cm


@dataclass(frozen=True)
class PlaceObstacle:
    """Put up something to walk around, where it says."""

    obstacle: BoxTerrain | SphereTerrain | CylinderTerrain  # or a dict of the same form


@dataclass(frozen=True)
class MoveThing:
    """Put a thing elsewhere: food on the surface nearest to `at`, an obstacle's middle there."""

    kind: str  # "food" or "obstacle"
    index: int  # of its slot
    at: Vector  # cm


@dataclass(frozen=True)
class RemoveThing:
    """Take a thing away; its slot is free again."""

    kind: str  # "food" or "obstacle"
    index: int  # of its slot


@dataclass(frozen=True)
class Steer:
    """Lead a walker or swimmer from now on, whatever its brain or the scene's commands say."""

    creature: str
    speed: float  # cm/s; no faster than its legs can follow
    turn: float  # rad/s, positive to the left


@dataclass(frozen=True)
class Release:
    """Let go of a steered creature: the scene's commands lead it again, or else its brain."""

    creature: str


@dataclass(frozen=True)
class Poke:
    """Push a creature where it is nearest to `at`; a walker loses its footing there.

    No push makes a part faster than its joints can bear (see skitter.creatures.push).
    """

    creature: str
    at: Vector  # cm
    velocity: Vector  # cm/s, added at that place; less around it


@dataclass(frozen=True)
class AddCreature:
    """One more creature. With `start: free` and a height, it is dropped from there."""

    placement: CreaturePlacement  # or a dict of the same form; a name that is taken is numbered


@dataclass(frozen=True)
class RemoveCreature:
    """Take a creature away; one must stay."""

    creature: str


@dataclass(frozen=True)
class SetParameter:
    """Change a number of one creature's species, as of the next step."""

    creature: str
    path: str  # such as "walk.speed" or "leg.adjust_deg"
    value: float  # in the unit of the species file


@dataclass(frozen=True)
class SetGravity:
    """Let everything fall faster or slower, or upwards."""

    value: float  # cm/s², down


@dataclass(frozen=True)
class SetRain:
    """Let it rain on the water, more or less, or not at all."""

    drops: float  # per second


Event = (
    PlaceFood
    | PlaceObstacle
    | MoveThing
    | RemoveThing
    | Steer
    | Release
    | Poke
    | AddCreature
    | RemoveCreature
    | SetParameter
    | SetGravity
    | SetRain
)
