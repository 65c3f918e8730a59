"""The trunk of a climber and what hangs on it besides legs (Cenydd 2012 sections 3.1, 5.4-5.6)."""

from itertools import pairwise
from typing import Annotated, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from skitter.spec import Fraction, Name, Number, Spec, Vector3
from skitter.species.articulated import Turn3, check_names
from skitter.species.climber_legs import DERIVED, Angle, Mass, Size

Size3 = Annotated[tuple[Size, Size, Size], Field(strict=False)]  # cm, length, height, width
Spring = Annotated[Number, Field(ge=0.01, le=1e6)]  # 1/s²
Brake = Annotated[Number, Field(ge=0, le=2000)]  # 1/s
Damping = Annotated[Number, Field(ge=0, le=10)]  # of critical
Side = Literal["left", "right", "middle"]
MOST_SEGMENTS = 12


class ThoraxSpec(Spec):
    """The root: an ellipsoid in a box of this size. All forces that move the animal act on it."""

    grows: ClassVar[dict[str, int]] = {"size": 1, "mass": 3, "elevation": 1}
    size: Size3  # cm
    mass: Mass = DERIVED  # g; that of water if left out
    elevation: Size = (
        DERIVED  # cm, of its middle above the feet; as in the default pose if left out
    )
    elevation_stiffness: Spring = 400.0  # 1/s², k/m of the spring that keeps the elevation
    elevation_damping: Damping = 1.0  # of critical
    orientation_rate_c1: Spring = DERIVED  # 1/s², of pitch and roll
    orientation_rate_c2: Brake = DERIVED  # 1/s
    frontal_limb_bias: Fraction = 0.5  # 0: all legs pitch it alike, 1: the front pairs alone
    update_on_termination: bool = True  # pitch and roll are sought anew only when a step ends


class WeldedPartSpec(Spec):
    """A part that never moves against the thorax, as a head: an ellipsoid."""

    grows: ClassVar[dict[str, int]] = {"at": 1, "size": 1, "mass": 3}
    name: Name
    at: Vector3  # cm, its middle in the thorax's frame
    size: Size3  # cm
    mass: Mass = DERIVED  # g; that of water if left out


class AbdomenSpec(Spec):
    """The part behind the pedicel, a lax ball joint: an ellipsoid."""

    grows: ClassVar[dict[str, int]] = {"at": 1, "size": 1, "mass": 3}
    at: Vector3  # cm, the pedicel in the thorax's frame
    size: Size3  # cm; it reaches so far back from the pedicel
    mass: Mass = DERIVED  # g; that of water if left out
    stiffness: Spring = 200.0  # 1/s², natural frequency squared
    damping: Damping = 0.7  # of critical
    range_deg: Annotated[Number, Field(ge=1, le=120)] = 40.0  # how far it bends from its rest
    flex: Fraction = 0.6  # how much it follows the slope that the hind legs stand on


class RodSpec(Spec):
    """A segment of an appendage."""

    grows: ClassVar[dict[str, int]] = {"length": 1, "radius": 1}
    name: Name
    length: Size  # cm
    radius: Size  # cm
    axis: Vector3 = (0.0, 0.0, 1.0)  # in the segment's frame
    rest_deg: Angle = 0.0  # while its sequence is not played

    @field_validator("axis")
    @classmethod
    def check_axis(cls, axis: Vector3) -> Vector3:
        if max(abs(x) for x in axis) < 1e-6:
            raise ValueError("must point somewhere, as [0, 0, 1] points along z")
        return axis


class KeySpec(Spec):
    """The angles of all segments at one moment of a sequence."""

    time: Fraction  # of the period
    angles_deg: Annotated[list[Angle], Field(min_length=1, max_length=MOST_SEGMENTS)]


class SequenceSpec(Spec):
    """Key frames that are played again and again."""

    period: Annotated[Number, Field(ge=0.01, le=1e3)] = 1.0  # s
    keys: Annotated[list[KeySpec], Field(min_length=1, max_length=64)]
    walking: bool | None = None  # true: only while it walks, false: only while it stands
    phase_left: Fraction = 0.5  # of the period: so far the left one is ahead

    @model_validator(mode="after")
    def check_times(self) -> "SequenceSpec":
        times = [key.time for key in self.keys]
        if any(later <= time for time, later in pairwise(times)):
            raise ValueError(
                f"has keys at {', '.join(f'{time:g}' for time in times)}; valid: times that rise"
            )
        return self


class AppendageSpec(Spec):
    """A chain outside locomotion: palp, chelicera, mandible, antenna, claw, tail.

    Its mass counts with what it hangs on.
    """

    grows: ClassVar[dict[str, int]] = {"at": 1}
    name: Name
    parent: Name = "thorax"  # or abdomen, or the name of a part
    at: Vector3  # cm, from the middle of thorax or part, from the pedicel of the abdomen
    sides: list[Side] = Field(default=["left", "right"], min_length=1, max_length=2)
    turn_deg: Turn3 = (0.0, 0.0, 0.0)  # of its frame; it leads along x
    segments: Annotated[list[RodSpec], Field(min_length=1, max_length=MOST_SEGMENTS)]
    sequence: SequenceSpec | None = None

    @model_validator(mode="after")
    def check_keys(self) -> "AppendageSpec":
        check_names(f"segments of '{self.name}'", [one.name for one in self.segments])
        check_names(f"sides of '{self.name}'", list(self.sides))
        if "middle" in self.sides and len(self.sides) > 1:
            raise ValueError(
                f"has an appendage '{self.name}' in the middle and at a side; valid: sides:"
                " [middle], or of left and right"
            )
        for key in self.sequence.keys if self.sequence else ():
            if len(key.angles_deg) != len(self.segments):
                raise ValueError(
                    f"has a key with {len(key.angles_deg)} angles_deg; valid: as many as"
                    f" '{self.name}' has segments, {len(self.segments)}"
                )
        return self
