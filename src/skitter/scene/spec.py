"""What a scene file may say: the ground, the creatures on it, time, and how it is filmed."""

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from skitter.spec import (
    Colour,
    Finite,
    Fraction,
    Friction,
    Length,
    Name,
    Number,
    Size3,
    Source,
    Spec,
    Title,
    Vector3,
)

Speed = Annotated[Number, Field(ge=0, le=1e4)]  # cm/s

SpeedEachWay = Annotated[Number, Field(ge=-1e4, le=1e4)]  # cm/s or degrees/s
Velocity3 = Annotated[tuple[SpeedEachWay, SpeedEachWay, SpeedEachWay], Field(strict=False)]


class Surface(Spec):
    """What all terrain shapes have in common."""

    friction: Friction = 0.8
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


AnyTerrain = Annotated[
    PlaneTerrain | BoxTerrain | SphereTerrain | CylinderTerrain, Field(discriminator="shape")
]


class CreaturePlacement(Spec):
    """One creature of the scene."""

    species: Annotated[str, Field(min_length=1, max_length=400)]  # a built-in name or a file
    name: Name | None = None  # the species' name, numbered where it is taken
    at: Vector3 = (0.0, 0.0, 0.0)  # of the first part's centre
    turn_deg: Vector3 = (0.0, 0.0, 0.0)  # about x, then y, then z
    velocity: Velocity3 = (0.0, 0.0, 0.0)  # cm/s
    spin_deg: Velocity3 = (0.0, 0.0, 0.0)  # degrees/s about the centre of mass
    velocity_noise: Speed = 0.0  # cm/s, spread of an extra random velocity of every part
    with_: dict[str, Any] = Field(alias="with", default_factory=dict)  # changes to the species


class CameraSpec(Spec):
    """Where the camera stands, as seen from the creatures it follows."""

    azimuth_deg: Finite = 35.0  # 0 looks along -z; positive turns towards x
    elevation_deg: Annotated[Number, Field(gt=-90, lt=90)] = 18.0
    zoom: Annotated[Number, Field(ge=1e-3, le=1e3)] = 1.0
    follow: bool = True


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
    creatures: Annotated[list[CreaturePlacement], Field(min_length=1, max_length=256)]
    camera: CameraSpec = CameraSpec()
