"""Legs of a climber: chains of segments, each turned by one hinge (Cenydd 2012 section 3.1).

A pair is written as its right leg. The leg's frame lies at the hip and its x leads outward; a
segment lies along its own x from its hinge. Equal angles of left and right are mirrored poses.
"""

from typing import Annotated, Any, ClassVar

from pydantic import Field, field_validator, model_validator

from skitter.spec import Fraction, Name, Number, Spec, Vector3
from skitter.species.articulated import Turn3, check_names

DERIVED: Any = None  # the default of what follows from legs and speed: `climber_derive.py` fills it
Angle = Annotated[Number, Field(ge=-180, le=180)]  # degrees
Rate = Annotated[Number, Field(ge=1, le=2000)]  # rad/s
Size = Annotated[Number, Field(ge=1e-3, le=1e3)]  # cm
Mass = Annotated[Number, Field(ge=1e-9, le=1e6)]  # g
MOST_JOINTS = 7
HALF_RANGE = 60.0  # degrees: how far a hinge turns to each side of its rest if nothing is said


class HingeSpec(Spec):
    """One hinge: its limits, and the comfort range inside them that it rather keeps to."""

    axis: Vector3  # in the segment's frame: [0, 0, 1] lifts, [0, 1, 0] swings
    rest_deg: Angle = 0.0  # in the default pose
    min_deg: Angle = DERIVED  # limits
    max_deg: Angle = DERIVED
    min_range_deg: Angle = DERIVED  # comfort range, inside the limits
    max_range_deg: Angle = DERIVED
    stiffness: Rate | None = None  # rad/s, natural frequency of its servo; None: from step duration
    elasticity: Fraction = 0.1  # how softly its limits give way; 0: hard

    @field_validator("axis")
    @classmethod
    def check_axis(cls, axis: Vector3) -> Vector3:
        if max(abs(x) for x in axis) < 1e-6:
            raise ValueError("must point somewhere, as [0, 0, 1] points along z")
        return axis

    @model_validator(mode="after")
    def fill_limits(self) -> "HingeSpec":
        """Limits that are left out lie about the rest, the comfort range inside of them."""
        low, high = self.min_deg, self.max_deg
        low = max(-180.0, self.rest_deg - HALF_RANGE) if low is None else low
        high = min(180.0, self.rest_deg + HALF_RANGE) if high is None else high
        inside = 0.05 * (high - low)
        least = min(low + inside, self.rest_deg) if self.min_range_deg is None else None
        most = max(high - inside, self.rest_deg) if self.max_range_deg is None else None
        fill(self, min_deg=low, max_deg=high, min_range_deg=least, max_range_deg=most)
        if not low < high:
            raise ValueError(
                f"has a min_deg of {low:g} and a max_deg of {high:g}; valid: min_deg below max_deg"
            )
        if not low <= self.min_range_deg <= self.rest_deg <= self.max_range_deg <= high:
            raise ValueError(
                f"has angles out of order: min_deg {low:g}, min_range_deg {self.min_range_deg:g},"
                f" rest_deg {self.rest_deg:g}, max_range_deg {self.max_range_deg:g}, max_deg"
                f" {high:g}; valid: each at least the one before"
            )
        return self


class LimbSegmentSpec(Spec):
    """A segment: a rod with round ends, and the hinge by which it hangs on the one before."""

    grows: ClassVar[dict[str, int]] = {"length": 1, "radius": 1}
    name: Name
    length: Size  # cm
    radius: Size  # cm
    joint: HingeSpec


class ClimberLegSpec(Spec):
    """A pair of legs, as the right one."""

    grows: ClassVar[dict[str, int]] = {"at": 1, "stance": 1, "comfort_range": 1, "segment_mass": 3}
    name: Name
    at: Vector3  # cm, hip in the thorax's frame
    turn_deg: Turn3 = (0.0, -90.0, 0.0)  # of the leg's frame; -90 about y leads its x to the right
    stance: Vector3 = (0.0, 0.0, 0.0)  # cm, from the foot of the default pose to the origin node
    comfort_range: Size = DERIVED  # cm, how far a foot may be from its origin node
    segment_mass: Mass | None = None  # g, instead of the animal's limb_seg_mass
    segments: Annotated[list[LimbSegmentSpec], Field(min_length=1, max_length=MOST_JOINTS)]

    @property
    def length(self) -> float:
        """From hip to foot, stretched, cm."""
        return sum(segment.length for segment in self.segments)

    @model_validator(mode="after")
    def check_segments(self) -> "ClimberLegSpec":
        check_names(f"segments of leg '{self.name}'", [one.name for one in self.segments])
        for one in self.segments:
            if one.radius > self.length:
                raise ValueError(
                    f"has a segment '{one.name}' with a radius of {one.radius:g} cm; valid: up to"
                    f" {self.length:g}, the length of leg '{self.name}'"
                )
        if self.comfort_range is not None and self.comfort_range > self.length / 2:
            raise ValueError(
                f"has a comfort_range of {self.comfort_range:g} cm, and a leg '{self.name}' of"
                f" {self.length:g} cm; valid: at most half of that"
            )
        return self


def fill(spec: Spec, **values: Any) -> None:
    """Set fields that were left out; checked specs cannot be changed otherwise."""
    for name, value in values.items():
        if getattr(spec, name) is None:
            object.__setattr__(spec, name, value)
