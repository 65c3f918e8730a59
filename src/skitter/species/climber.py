"""What a species file of kind climber may say: an arthropod that climbs anything.

After the attribute file of Cenydd 2012 (sections 3 to 7, table I): a thorax, an abdomen on a lax
joint, legs of hinges, and parts outside locomotion that key frames move. Every parameter of the
table is a field; where the animal is and which way it looks, the scene says.

Frame of the thorax: at its middle, x forward, y up, z to the right. All rates are accelerations of
what they move, so that neither the mass nor the scale changes how it moves.
"""

from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from skitter.spec import Friction, Number, Source, Spec, Title
from skitter.species.behaviour import ForageSpec
from skitter.species.climber_checks import (
    check_masses,
    check_named,
    check_pace,
    check_places,
    check_stance,
)
from skitter.species.climber_derive import (
    fill_comfort,
    fill_detail,
    fill_mass,
    fill_sense,
    fill_steering,
    fill_stepping,
    fill_thorax,
)
from skitter.species.climber_legs import ClimberLegSpec, Mass
from skitter.species.climber_manner import (
    DetailSpec,
    GripSpec,
    SenseSpec,
    SteeringSpec,
    SteppingSpec,
)
from skitter.species.climber_parts import AbdomenSpec, AppendageSpec, ThoraxSpec, WeldedPartSpec
from skitter.species.climber_pose import find_origin
from skitter.species.look import ClimberLook
from skitter.species.spec import Species


class ClimberSpec(Species):
    """Body, legs, and how it moves."""

    can_be_led: ClassVar[bool] = True
    can_back: ClassVar[bool] = True
    can_sidle: ClassVar[bool] = True
    can_stand: ClassVar[bool] = True
    grows: ClassVar[dict[str, int]] = {"limb_seg_mass": 3}
    kind: Literal["climber"]
    title: Title
    source: Source = ""
    scale: Annotated[Number, Field(ge=1e-3, le=1e3)] = 1.0  # lengths, speeds; masses by its cube
    thorax: ThoraxSpec
    parts: list[WeldedPartSpec] = Field(default_factory=list, max_length=32)
    abdomen: AbdomenSpec | None = None
    appendages: list[AppendageSpec] = Field(default_factory=list, max_length=32)
    legs: Annotated[list[ClimberLegSpec], Field(min_length=2, max_length=16)]  # front pair first
    limb_seg_mass: Mass | None = None  # g, of a segment of mean size; None: that of water
    friction: Friction = 1.0  # of feet and body, times the other surface's
    steering: SteeringSpec = Field(default_factory=SteeringSpec)
    sense: SenseSpec = Field(default_factory=SenseSpec)
    stepping: SteppingSpec = Field(default_factory=SteppingSpec)
    grip: GripSpec = GripSpec()
    detail: DetailSpec = Field(default_factory=DetailSpec)
    forage: ForageSpec | None = None  # one that brings food to the scene's nest
    carries_weight: bool = False  # objects that it walks on carry its weight
    look: ClimberLook = ClimberLook()

    @model_validator(mode="after")
    def fill_rest(self) -> "ClimberSpec":
        """Numbers that were left out."""
        for leg in self.legs:
            fill_comfort(leg)
        length = float(np.mean([leg.length for leg in self.legs]))
        fill_steering(self.steering, length)
        fast = self.steering.max_speed
        fill_thorax(self.thorax, self.legs, fast / length)
        for part in self.parts:
            fill_mass(part)
        if self.abdomen is not None:
            fill_mass(self.abdomen)
        comfort = min(leg.comfort_range for leg in self.legs)
        fill_sense(self.sense, self.thorax, length)
        fill_stepping(self.stepping, comfort, length, fast)
        fill_detail(self.detail, fast, length)
        return self

    @model_validator(mode="after")
    def check_animal(self) -> "ClimberSpec":
        """Numbers that no animal has."""
        check_named(self)
        check_places(self)
        check_masses(self)
        check_stance(self)
        check_pace(self)
        return self

    @property
    def reach(self) -> float:
        """From its middle to a foot that is about to step, or to the tip of its abdomen, cm."""
        far = [float(np.hypot(*find_origin(leg)[[0, 2]])) + leg.comfort_range for leg in self.legs]
        if self.abdomen is not None:
            far.append(self.abdomen.size[0] - self.abdomen.at[0])
        return self.scale * max(far)

    def to_scale(self) -> "ClimberSpec":
        """The same animal with its scale applied to all sizes, masses and speeds."""
        grown: ClimberSpec = grow(self, self.scale)
        return grown.model_copy(update={"scale": 1.0})


def grow(value: Any, scale: float) -> Any:
    """A spec with every number that grows with the animal multiplied, as its class says."""
    if isinstance(value, list):
        return [grow(one, scale) for one in value]
    if not isinstance(value, Spec):
        return value
    powers: dict[str, int] = getattr(value, "grows", {})
    changed = {}
    for name in type(value).model_fields:
        old = getattr(value, name)
        changed[name] = multiply(old, scale ** powers[name]) if name in powers else grow(old, scale)
    return value.model_copy(update=changed)


def multiply(value: Any, factor: float) -> Any:
    if value is None:
        return None
    if isinstance(value, tuple):
        return tuple(factor * one for one in value)
    return factor * value
