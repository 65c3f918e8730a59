"""How a climber steers, senses and steps: the parameters of Cenydd 2012 table I, by category.

What is `DERIVED` follows from legs and speed (`climber_derive.py`), so that a file with nothing but
a thorax and legs walks.
"""

import re
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, WrapValidator, model_validator

from skitter.spec import Finite, Fraction, Number, Spec, Vector3
from skitter.species.climber_legs import DERIVED, Rate, Size
from skitter.species.climber_parts import Brake, Spring

Speed = Annotated[Number, Field(ge=1e-3, le=1e4)]  # cm/s
Acceleration = Annotated[Number, Field(ge=1e-3, le=1e6)]  # cm/s²
Duration = Annotated[Number, Field(ge=0.005, le=100)]  # s
Point2 = Annotated[tuple[Finite, Finite], Field(strict=False)]


def read_target(value: Any, _: Any) -> tuple[float, ...] | str | None:
    """A place or a name: what it is, its form tells."""
    if isinstance(value, list | tuple) and len(value) == 3:
        whole = [isinstance(one, int | float) and not isinstance(one, bool) for one in value]
        if all(whole) and all(abs(one) <= 1e6 for one in value):
            return tuple(float(one) for one in value)
    if value is None or (isinstance(value, str) and re.fullmatch("[a-z][a-z0-9_]{0,59}", value)):
        return value
    raise ValueError(
        "must be a place [x, y, z] of numbers from -1,000,000 to 1,000,000, or a creature's name"
    )


Target = Annotated[tuple[float, ...] | str | None, WrapValidator(read_target)]


class SteeringSpec(Spec):
    """Where it goes and how fast (section 4)."""

    grows: ClassVar[dict[str, int]] = {
        "max_speed": 1,
        "max_acceleration": 1,
        "wander_displacement": 1,
        "wander_radius": 1,
    }
    behaviour: Literal["wander", "seek", "flee", "path", "rest"] = "wander"
    target: Target = None  # cm in the world, or a creature; of seek and flee
    path: list[Vector3] = Field(default_factory=list, max_length=1000)  # cm in the world
    loop: bool = False  # the path leads back to its beginning
    avoid: bool = True  # obstacles and others
    gait_heading_deg: Annotated[Number, Field(ge=-180, le=180)] = 0.0  # of travel; 90: to the right
    max_speed: Speed = DERIVED  # cm/s
    max_acceleration: Acceleration = DERIVED  # cm/s²
    acceleration_rate: Brake = 5.0  # 1/s, of what is missing to the speed that is wanted
    deceleration_rate: Brake = 10.0  # 1/s, of what is too much
    turn_rate_c1: Spring = DERIVED  # 1/s², of yaw
    turn_rate_c2: Brake = DERIVED  # 1/s
    wander_displacement: Size = DERIVED  # cm, of the wander circle ahead
    wander_radius: Size = DERIVED  # cm
    steering_rate: Annotated[Number, Field(ge=0, le=100)] = 1.5  # rad/s, along that circle
    patience: Annotated[Number, Field(ge=1, le=1e6)] = 20.0  # s, in one place against its will
    proximity_brake_max: Fraction = 0.9  # of the speed; at a precipice all of it

    @model_validator(mode="after")
    def check_behaviour(self) -> "SteeringSpec":
        if self.behaviour in ("seek", "flee") and self.target is None:
            raise ValueError(
                f"has behaviour {self.behaviour} and no target; valid: target: [x, y, z] or the"
                " name of a creature"
            )
        if self.behaviour == "path" and not self.path:
            raise ValueError("has behaviour path and no path; valid: path: [[x, y, z], ...]")
        return self


class SenseSpec(Spec):
    """Rays ahead, and how feet are drawn in by what they meet (section 5.7)."""

    grows: ClassVar[dict[str, int]] = {"range": 1, "at": 1}
    range: Size = DERIVED  # cm
    angle_deg: Annotated[Number, Field(ge=-90, le=90)] = -25.0  # of the lower rays
    fov_deg: Annotated[Number, Field(ge=0, le=360)] = 60.0  # across
    density: Annotated[int, Field(ge=1, le=64)] = 9  # rays
    max_radial_scale: Annotated[Number, Field(ge=1, le=2)] = 1.1  # of the origin nodes' distance
    min_radial_scale: Annotated[Number, Field(ge=0.2, le=1)] = 0.7
    at: Vector3 = DERIVED  # cm, the eyes in the thorax's frame


class SteppingSpec(Spec):
    """Paths of feet, when steps end, and how hard feet hold (sections 5.1 to 5.3 and 6.3)."""

    grows: ClassVar[dict[str, int]] = {"max_step_height": 1, "min_step_height": 1}
    path: Literal["ellipse", "bezier"] = "ellipse"
    bezier: list[Point2] = Field(  # control points: along in step lengths, up in step heights
        default=[(0.0, 0.0), (-0.1, 1.3), (0.9, 1.5), (1.0, 0.0)], min_length=3, max_length=8
    )
    ik_rate: Rate = DERIVED  # rad/s, the fastest that goals of joints change
    max_step_height: Size = DERIVED  # cm, at full speed
    min_step_height: Size = DERIVED  # cm, when slow
    max_step_duration: Duration = DERIVED  # s, of a whole path, when slow
    min_step_duration: Duration = DERIVED  # s, at full speed
    termination_sensitivity: Fraction = 0.5  # share of its speed that a foot loses when a step ends
    stretch_deg: Annotated[Number, Field(ge=0, le=360)] = 20.0  # all bends of a stretched leg
    search_growth: Annotated[Number, Field(ge=1, le=3)] = 1.3  # of the step, from search to search
    search_spread_deg: Annotated[Number, Field(ge=0, le=180)] = 40.0  # of directions
    anchor_strength: Annotated[Number, Field(ge=0.01, le=1e4)] = 5.0  # of its weight, each foot

    @model_validator(mode="after")
    def check_order(self) -> "SteppingSpec":
        for name in ("step_height", "step_duration"):
            low, high = getattr(self, f"min_{name}"), getattr(self, f"max_{name}")
            if low is not None and high is not None and low > high:
                raise ValueError(
                    f"has a min_{name} of {low:g} and a max_{name} of {high:g}; valid: a min_{name}"
                    f" up to {high:g}"
                )
        if self.bezier[0] != (0.0, 0.0) or max(up for _, up in self.bezier) <= 0:
            raise ValueError(
                "has a bezier that does not begin at the foot or never lifts it; valid: [[0, 0],"
                " ...] with some point up"
            )
        return self


class GripSpec(Spec):
    """How feet hold (section 5.2). On a surface without friction they do so up to some slope."""

    hold: Fraction = 1.0  # of feet, times the surface's friction; 0: glass, 1: hairs or claws
    full_deg: Annotated[Number, Field(ge=0, le=180)] = 50.0  # slope up to which glass always holds
    none_deg: Annotated[Number, Field(ge=0, le=180)] = 90.0  # slope from which it never does

    @model_validator(mode="after")
    def check_order(self) -> "GripSpec":
        if self.full_deg > self.none_deg:
            raise ValueError(
                f"has a full_deg of {self.full_deg:g} and a none_deg of {self.none_deg:g}; valid:"
                f" a full_deg up to {self.none_deg:g}"
            )
        return self


class DetailSpec(Spec):
    """How much of it is simulated (section 6.4)."""

    grows: ClassVar[dict[str, int]] = {"switch_speed": 1, "object_range": 1}
    level: Literal["auto", "full", "kinematic", "coarse"] = "auto"
    switch_speed: Speed = DERIVED  # cm/s, below which auto is full
    object_range: Size = DERIVED  # cm, this near to things that move auto is full
