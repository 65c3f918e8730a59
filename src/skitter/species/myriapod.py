"""What a species file of kind myriapod may say (Fang 2015 sections 3.1, 3.4-3.6, 4).

A head, a row of rigid segments with a pair of legs each, and a tail, joined by soft blocks; two
antennae; and how it walks. Angles are those of Fang 2015 figure 3.4: theta turns the leg's plane
about the segment's y axis (0 sideways, positive forward), alpha raises the first link, beta bends
the knee and the fixed gamma the ankle.
"""

from math import cos, radians, tan
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from skitter.spec import Fraction, Number, Ordered, Positive, Spec
from skitter.species.behaviour import DefendSpec, ForageSpec, HuntSpec
from skitter.species.look import MyriapodLook
from skitter.species.row import RowSpec, Span
from skitter.species.spec import Length
from skitter.species.stance import LegShape
from skitter.species.swim import EyesSpec, SwimSpec

Angle = Annotated[Number, Field(ge=-180, le=180)]  # degrees
Bend = Annotated[Number, Field(ge=0, le=150)]  # degrees
Links = Annotated[tuple[Length, Length, Length], Field(strict=False)]
Pose = Annotated[tuple[Angle, Angle, Angle], Field(strict=False)]
Seconds = Annotated[Number, Field(ge=1e-3, le=100)]
Range = Annotated[tuple[Angle, Angle], Field(strict=False), Ordered]
AIM_DEPTH = 0.03  # of the leg's length: so far below the ground a step aims, to land before it ends


class LegSpec(Spec):
    """One leg; left and right are mirrored, and all are alike but for their scale."""

    links: Links  # cm, from the root outwards
    ankle_deg: Bend = 20.0  # gamma, fixed
    thickness: Length = 0.05  # cm, radius at the root
    scale: Span = (1.0, 1.0)  # of the first and the last pair
    root_height: Annotated[Number, Field(ge=-1, le=1)] = 0.0  # of half the segment's height
    foot: Fraction = 0.7  # how far out a foot is set, as a share of the leg's length
    back_deg: Annotated[Number, Field(ge=-80, lt=0)] = -30.0  # theta at the posterior extreme
    front_deg: Annotated[Number, Field(gt=0, le=80)] = 32.0  # theta at the anterior extreme
    lift_deg: Annotated[Number, Field(ge=-80, le=85)] = 20.0  # alpha of the middle up pose
    lift_bend_deg: Bend = 0.0  # beta of the middle up pose
    swing: Seconds = 0.2  # s, from the posterior to the anterior extreme
    adjust_deg: Annotated[Number, Field(ge=-80, le=80)] = 8.0  # theta of the ADJUST pose
    tuck_deg: Pose = (-78.0, 4.0, 12.0)  # of a leg at rest, in water or in a coil
    adjust_haste: Annotated[Number, Field(ge=1, le=20)] = 4.0  # speed in ADJUST, of that in SF1
    wave: Literal["backward", "forward"] = "backward"  # each leg waits for the one before or behind
    sides: Literal["together", "apart", "free"] = "together"  # how left and right keep time

    @property
    def length(self) -> float:
        return sum(self.links)

    def shape(self, scale: float) -> LegShape:
        upper, middle, lower = (scale * link for link in self.links)
        return LegShape(upper, middle, lower, radians(self.ankle_deg))

    def stride(self, scale: float) -> float:
        """How far a segment moves while a foot stands, cm: the foot passes along a line."""
        across = self.foot * self.length * scale * cos(radians(self.front_deg))
        return across * (tan(radians(self.front_deg)) - tan(radians(self.back_deg)))


class AntennaSpec(Spec):
    """A chain of links (Fang 2015 section 3.5): theta to the outside, phi upwards."""

    length: Length  # cm
    links: Annotated[int, Field(ge=2, le=64)] = 12
    thickness: Length = 0.03  # cm, radius at the root
    theta_deg: Range = (10.0, 55.0)  # where the root link wanders
    phi_deg: Range = (-5.0, 30.0)
    speed_deg: Annotated[Number, Field(ge=1, le=5000)] = 120.0  # degrees/s of the root link
    wave_deg: Annotated[Number, Field(ge=0, le=60)] = 4.0  # amplitude of each further link
    curl_deg: Annotated[Number, Field(ge=-60, le=60)] = 1.5  # its mean
    wave_rate: Annotated[Number, Field(ge=0, le=60)] = 2.0  # Hz
    waves: Annotated[Number, Field(ge=0, le=10)] = 1.0  # on the antenna at a time


class WalkSpec(Spec):
    """How it moves about."""

    height: Length  # cm, of a segment's middle above the ground
    speed: Annotated[Number, Field(gt=0, le=1000)]  # cm/s
    turn_deg: Annotated[Number, Field(gt=0, le=3600)] = 60.0  # degrees/s at most
    wander_deg: Annotated[Number, Field(ge=0, le=180)] = 50.0  # largest turn of the random walk
    avoid_speed: Fraction = 0.4  # of the speed, while it turns away from an obstacle
    clear_time: Annotated[Number, Field(ge=0, le=60)] = 0.6  # s it goes on turning away
    food_threshold: Positive = 2e-4  # intensity above which food draws it: strength / cm²
    preferred: Literal["left", "right"] = "left"  # the antenna that counts when both touch


class MyriapodSpec(RowSpec):
    """A myriapod: everything about its body and its gait."""

    can_stand: ClassVar[bool] = True
    kind: Literal["myriapod"]
    segments: Annotated[int, Field(ge=3, le=200)]  # with a pair of legs each
    flex_deg: Annotated[Number, Field(ge=1, le=60)] = 22.0  # as far as neighbours may lean apart
    leg: LegSpec
    antenna: AntennaSpec
    walk: WalkSpec
    swim: SwimSpec | None = None  # one that lives in water too
    eyes: EyesSpec = EyesSpec()  # what it sees while it swims
    hunt: HuntSpec | None = None  # a predator
    defend: DefendSpec | None = None  # prey
    forage: ForageSpec | None = None  # one that brings food to the nest
    look: MyriapodLook = MyriapodLook()

    def leg_scale_of(self, number: int) -> float:
        first, last = self.leg.scale
        return first + (last - first) * number / max(1, self.segments - 1)

    def root_height(self, number: int) -> float:
        """Height of the legs' roots above the ground when the segment stands, cm."""
        half = self.segment.size[1] * self.scale_of(number) / 2
        return self.walk.height + self.leg.root_height * half

    @property
    def speed_limit(self) -> float:
        """As fast as the legs can follow, cm/s: a foot stands at least as long as it swings."""
        return min(self.leg.stride(scale) for scale in self.leg.scale) / self.leg.swing

    @model_validator(mode="after")
    def check_stance(self) -> "MyriapodSpec":
        """Every leg must be able to stand, and to keep up with the walk."""
        for number in (0, self.segments // 2, self.segments - 1):
            self.check_leg(number)
        if self.walk.speed > self.speed_limit:
            raise ValueError(
                f"has a walk.speed of {self.walk.speed:.4g} cm/s, and its legs can follow at most"
                f" {self.speed_limit:.4g}; valid: less, a shorter leg.swing or a longer stride"
            )
        return self

    @model_validator(mode="after")
    def check_behaviour(self) -> "MyriapodSpec":
        """Nobody runs faster than its legs, and who swims by its muscles does not coil."""
        fast = self.hunt.speed if self.hunt is not None else None
        if fast is not None and fast > self.speed_limit:
            raise ValueError(
                f"has a hunt.speed of {fast:.4g} cm/s, and its legs can follow at most"
                f" {self.speed_limit:.4g}; valid: less, or a shorter leg.swing"
            )
        if self.defend is not None and self.defend.coil_range > 0 and self.swim is not None:
            raise ValueError("swims and coils; valid: defend.coil_range: 0, or no swim")
        return self

    def check_leg(self, number: int) -> None:
        scale, leg = self.leg_scale_of(number), self.leg
        shape, out = leg.shape(scale), leg.foot * leg.length * scale
        down = self.root_height(number)
        wide = max(out, out * cos(radians(leg.front_deg)) / cos(radians(leg.back_deg)))
        aim = -down - AIM_DEPTH * leg.length * scale
        if down <= 0 or shape.bend_to(out, aim) is None or shape.bend_to(wide, aim) is None:
            raise ValueError(
                f"has legs on segment {number + 1} that cannot stand: the foot is set {wide:.3g} cm"
                f" out and {down:.3g} cm below the root, and the leg reaches from"
                f" {abs(shape.upper - shape.rod):.3g} to {shape.straight:.3g} cm;"
                " valid: another walk.height, leg.foot or leg.links"
            )
