"""What a scene file may say: the ground, the creatures on it, time, and how it is filmed."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PlainValidator, field_validator, model_validator

from skitter.scene.trails import NestSpec, TrailsSpec
from skitter.spec import (
    Colour,
    Finite,
    Fraction,
    Friction,
    Length,
    Name,
    Number,
    Ordered,
    Positive,
    Size3,
    Source,
    Spec,
    Title,
    Vector3,
)

Speed = Annotated[Number, Field(ge=0, le=1e4)]  # cm/s

SpeedEachWay = Annotated[Number, Field(ge=-1e4, le=1e4)]  # cm/s or degrees/s
Velocity3 = Annotated[tuple[SpeedEachWay, SpeedEachWay, SpeedEachWay], Field(strict=False)]

Area = Annotated[tuple[Length, Length], Field(strict=False)]  # cm
Lengths = Annotated[tuple[Length, Length], Field(strict=False)]  # cm, from and to


def read_widths(value: Any) -> Any:
    """One width as two."""
    return (value, value) if isinstance(value, int | float | str) else value


def read_focus(value: Any) -> Any:
    """A place as three numbers, or the name of a creature."""
    if isinstance(value, str) and value:
        return value
    if isinstance(value, list | tuple) and len(value) == 3:
        numbers = [x for x in value if isinstance(x, int | float) and not isinstance(x, bool)]
        if len(numbers) == 3 and all(abs(x) <= 1e6 for x in numbers):
            return tuple(float(x) for x in numbers)
    raise ValueError("must be a place as [x, y, z] in cm, or the name of a creature")


Span = Annotated[tuple[Length, Length], Field(strict=False), Ordered]  # cm, from and to
Height = Annotated[Number, Field(ge=-1e4, le=1e4)]  # cm
Heights = Annotated[tuple[Height, Height], Field(strict=False), Ordered]  # cm, low and high
Widths = Annotated[tuple[Length, Length], BeforeValidator(read_widths), Field(strict=False)]  # cm
Scale = Annotated[Number, Field(ge=1e-6, le=1e6)]
Seed = Annotated[int, Field(ge=0, le=2**63 - 1)]
File = Annotated[str, Field(min_length=1, max_length=400)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
WATER_CELLS = (8, 1000)  # fewest and most along an edge of the water
MOST_CREATURES = 256
MESH_NAMES = ("ball", "knot", "pebble", "skull", "torus")  # built-in meshes


class Surface(Spec):
    """What all terrain shapes have in common."""

    friction: Friction = 0.8  # times that of what touches it
    restitution: Fraction = 0.0
    colour: Colour | None = None


class PlaneTerrain(Surface):
    """An endless plane; everything behind it is solid."""

    shape: Literal["plane"]
    at: Vector3 = (0.0, 0.0, 0.0)
    normal: Vector3 = (0.0, 1.0, 0.0)  # the side that is free; any length but zero

    @field_validator("normal")
    @classmethod
    def check_normal(cls, normal: Vector3) -> Vector3:
        if max(abs(x) for x in normal) < 1e-6:
            raise ValueError("must point somewhere, as [0, 1, 0] points up")
        return normal


class BoxTerrain(Surface):
    """A box around `at`."""

    shape: Literal["box"]
    at: Vector3
    size: Size3
    turn_deg: Vector3 = (0.0, 0.0, 0.0)  # about x, then y, then z


class SphereTerrain(Surface):
    """A ball around `at`."""

    shape: Literal["sphere"]
    at: Vector3
    radius: Length


class CylinderTerrain(Surface):
    """Stands along y before it is turned."""

    shape: Literal["cylinder"]
    at: Vector3
    radius: Length
    length: Length
    turn_deg: Vector3 = (0.0, 0.0, 0.0)


class LogsTerrain(Surface):
    """Random cylinders that lie on the ground, all about `at`."""

    shape: Literal["logs"]
    at: Vector3 = (0.0, 0.0, 0.0)
    count: Annotated[int, Field(ge=1, le=2000)] = 40
    radius: Span = (0.5, 1.0)
    length: Span = (4.0, 10.0)
    area: Area = (40.0, 40.0)  # their middles lie in, along x and z
    seed: Seed = 0


class Hill(Spec):
    """A Gaussian hill, or a hollow where its height is negative."""

    at: Annotated[tuple[Finite, Finite], Field(strict=False)]  # x, z from the field's `at`
    height: Height
    width: Widths  # standard deviation along x and z, or one for both
    turn_deg: Finite = 0.0  # about y


class RandomHills(Spec):
    """Hills of random place, height, width and turn."""

    count: Annotated[int, Field(ge=1, le=2000)]
    height: Heights
    width: Span
    area: Area  # their tops lie in, along x and z
    seed: Seed = 0


class HeightfieldTerrain(Surface):
    """Ground of a height for every x and z: the sum of hills and of a file.

    Beyond its edges the height there goes on, level.
    """

    shape: Literal["heightfield"]
    at: Vector3 = (0.0, 0.0, 0.0)  # of its middle, at height zero
    hills: list[Hill] = Field(max_length=2000, default_factory=list)
    random: RandomHills | None = None
    file: File | None = None  # a picture, whose brightness is the height, or a table of numbers
    sha256: Sha256 | None = None  # of the file; filled in when a scene is loaded
    size: Area | None = None  # along x and z; needed for a file, else all hills have room
    height: Heights | None = None  # of the lowest and the highest number, of black and white

    @model_validator(mode="after")
    def check_source(self) -> "HeightfieldTerrain":
        if not self.hills and self.random is None and self.file is None:
            raise ValueError("has no heights; valid: one or more of hills, random and file")
        if self.file is not None and self.size is None:
            raise ValueError("has a file but no size; valid: size: [x, z] in cm")
        return self


class MeshTerrain(Surface):
    """A mesh of triangles around `at`."""

    shape: Literal["mesh"]
    file: File  # OBJ, STL or PLY, or the name of a built-in one
    sha256: Sha256 | None = None  # of the file; filled in when a scene is loaded
    at: Vector3  # of the middle of its box before it is turned
    turn_deg: Vector3 = (0.0, 0.0, 0.0)
    scale: Scale = 1.0  # cm for a unit of the file
    size: Length | None = None  # longest edge of its box, instead of a scale
    solid: bool | None = None  # false: a sheet of two sides; null: solid if it is closed
    thickness: Length | None = None  # of a sheet, cm; null: by its size

    @model_validator(mode="after")
    def check_thickness(self) -> "MeshTerrain":
        if self.solid and self.thickness is not None:
            raise ValueError("has a thickness but is solid; valid: solid: false, or no thickness")
        return self


AnyTerrain = Annotated[
    PlaneTerrain
    | BoxTerrain
    | SphereTerrain
    | CylinderTerrain
    | LogsTerrain
    | HeightfieldTerrain
    | MeshTerrain,
    Field(discriminator="shape"),
]


class Command(Spec):
    """What the head of a puppet does from a moment on."""

    time: Annotated[Number, Field(ge=0, le=1e6)] = 0.0  # s
    speed: SpeedEachWay = 0.0  # cm/s; no faster than its legs can follow; worms also backward
    turn_deg: SpeedEachWay = 0.0  # degrees/s, positive to the left
    side: SpeedEachWay = 0.0  # cm/s to the right, whatever the heading; climbers only


class CreaturePlacement(Spec):
    """One creature of the scene, or so many of a kind, which loading makes single ones."""

    species: Annotated[str, Field(min_length=1, max_length=400)]  # a built-in name or a file
    name: Name | None = None  # the species' name, numbered where it is taken
    at: Vector3 = (0.0, 0.0, 0.0)  # of the first part's centre
    turn_deg: Vector3 = (0.0, 0.0, 0.0)  # about x, then y, then z
    velocity: Velocity3 = (0.0, 0.0, 0.0)  # cm/s
    spin_deg: Velocity3 = (0.0, 0.0, 0.0)  # degrees/s about the centre of mass
    velocity_noise: Speed = 0.0  # cm/s, spread of an extra random velocity of every part
    start: Literal["stand", "free"] = (
        "stand"  # legged ones: on the surface nearest to `at`, or there
    )
    held: list[Name] = Field(max_length=400, default_factory=list)  # parts held where they are
    commands: list[Command] = Field(max_length=10_000, default_factory=list)  # makes it a puppet
    with_: dict[str, Any] = Field(alias="with", default_factory=dict)  # changes to the species
    count: Annotated[int, Field(ge=1, le=MOST_CREATURES)] = 1  # numbered from the second on
    area: Area | None = None  # cm along x and z around `at`, in which they are spread
    spread: Literal["random", "grid", "pile"] = "random"  # a pile: in layers, to be dropped
    gap: Length | None = None  # cm from middle to middle at least; by their size where left out
    seed: Seed = 0  # of random places and headings

    @model_validator(mode="after")
    def check_spread(self) -> "CreaturePlacement":
        if self.count > 1 and self.area is None:
            raise ValueError("has a count but no area; valid: area: [x, z] in cm, or no count")
        if self.area is not None and self.spread == "pile" and self.start != "free":
            raise ValueError("is a pile that does not fall; valid: start: free, or another spread")
        return self


class CrowdSpec(Spec):
    """How many climbers have which level of detail, the nearest to the focus first.

    Those beyond both numbers are coarse."""

    full: Annotated[int, Field(ge=0, le=MOST_CREATURES)] = 4
    kinematic: Annotated[int, Field(ge=0, le=MOST_CREATURES)] = 40  # besides the full ones
    focus: Annotated[Vector3 | str | None, PlainValidator(read_focus)] = None  # the first climber


class Scatter(Spec):
    """Upright posts at random places on the ground around `at`, by the seed of the run."""

    shape: Literal["scatter"]
    at: Vector3 = (0.0, 0.0, 0.0)
    count: Annotated[int, Field(ge=1, le=1000)]
    area: Area  # cm, along x and z
    radius: Lengths = (1.0, 1.0)  # cm, from and to
    height: Length = 4.0  # cm
    gap: Length = 4.0  # cm, at least so far from each other and from the creatures
    colour: Colour | None = None


AnyObstacle = Annotated[
    BoxTerrain | SphereTerrain | CylinderTerrain | MeshTerrain | Scatter,
    Field(discriminator="shape"),
]


class FoodSpec(Spec):
    """Food on the surface nearest to `at`, or so many pieces at random around it."""

    at: Vector3 = (0.0, 0.0, 0.0)
    count: Annotated[int, Field(ge=1, le=1000)] = 1
    area: Area | None = None  # cm, along x and z; at `at` itself where left out
    radius: Length = 0.4  # cm
    strength: Positive = 1.0  # smelt as strength / distance²


class WaterSpec(Spec):
    """Water at one level: a grid with waves, or a flat surface without end."""

    level: Height = 0.0  # cm, y of the surface at rest
    density: Annotated[Number, Field(gt=0, le=100)] = 1.0  # g/cm³
    waves: bool = True  # false: flat and deep everywhere, and nothing of it is recorded
    at: Annotated[tuple[Finite, Finite], Field(strict=False)] = (0.0, 0.0)  # cm, x, z of the middle
    area: Area = (80.0, 80.0)  # cm along x and z
    cell: Length = 0.4  # cm
    depth: Length = 8.0  # cm; the bed is the terrain, but no deeper than this
    edges: Literal["walls", "open"] = "walls"  # waves come back from the edges, or leave
    follow: Name | None = None  # a creature that the grid goes with; needs open edges
    rain: Annotated[Number, Field(ge=0, le=1e4)] = 0.0  # drops per second
    rain_radius: Length = 0.8  # cm, of the crater of a drop; no smaller than a cell
    record_velocity: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """Cells along x and z."""
        return round(self.area[0] / self.cell), round(self.area[1] / self.cell)

    @model_validator(mode="after")
    def check_grid(self) -> "WaterSpec":
        if not self.waves and (self.rain or self.follow):
            key = "rain" if self.rain else "follow"
            raise ValueError(f"has {key} but no waves; valid: waves: true, or no {key}")
        if self.follow is not None and self.edges != "open":
            raise ValueError("has follow but walls around it; valid: edges: open, or no follow")
        rows, columns = self.shape
        if min(rows, columns) < WATER_CELLS[0]:
            most = min(self.area) / WATER_CELLS[0]
            raise ValueError(
                f"has {rows:,} x {columns:,} cells; valid: at least {WATER_CELLS[0]} each way, as"
                f" with a cell of {most:.3g} or less"
            )
        if max(rows, columns) > WATER_CELLS[1]:
            least = max(self.area) / WATER_CELLS[1]
            raise ValueError(
                f"has {rows:,} x {columns:,} cells; valid: at most {WATER_CELLS[1]:,} each way, as"
                f" with a cell of {least:.3g} or more"
            )
        return self


class CameraSpec(Spec):
    """Where the camera stands, as seen from the creatures it follows."""

    azimuth_deg: Finite | None = None  # 0 looks along -z; positive turns towards x
    elevation_deg: Annotated[Number, Field(gt=-90, lt=90)] | None = None
    zoom: Annotated[Number, Field(ge=1e-3, le=1e3)] = 1.0
    follow: bool = True
    at: Vector3 | None = None  # cm, what is in the middle of the picture; it then follows nobody
    width: Length | None = None  # cm, that the picture is wide there; else all creatures are seen


class SceneSpec(Spec):
    """A whole scene."""

    title: Title
    source: Source = ""
    seconds: Annotated[Number, Field(gt=0, le=1e6)] = 4.0
    frame_rate: Annotated[Number, Field(ge=1, le=10000)] = 60.0  # Hz
    time_step: Annotated[Number, Field(ge=1e-7, le=0.1)] = 1 / 3000  # s
    gravity: Annotated[Number, Field(ge=-1e5, le=1e5)] = 981.0  # cm/s², down
    precision: Literal["float32", "float64"] = "float32"
    terrain: list[AnyTerrain] = Field(max_length=1000, default_factory=list)
    creatures: Annotated[list[CreaturePlacement], Field(min_length=1, max_length=MOST_CREATURES)]
    obstacles: list[AnyObstacle] = Field(max_length=1000, default_factory=list)  # to walk around
    food: list[FoodSpec] = Field(max_length=1000, default_factory=list)
    water: WaterSpec | None = None
    nest: NestSpec | None = None  # where foragers bring food
    trails: TrailsSpec | None = None  # pheromone on the ground
    crowd: CrowdSpec | None = None  # null: every climber by its own species
    camera: CameraSpec = CameraSpec()
