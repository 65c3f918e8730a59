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
from skitter.species.articulated import check_names, name_some
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
    friction: Friction = 1.0  # of feet and body
    steering: SteeringSpec = Field(default_factory=SteeringSpec)
    sense: SenseSpec = Field(default_factory=SenseSpec)
    stepping: SteppingSpec = Field(default_factory=SteppingSpec)
    grip: GripSpec = GripSpec()
    detail: DetailSpec = Field(default_factory=DetailSpec)
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
    def check_parts(self) -> "ClimberSpec":
        """Names differ, and appendages hang on what is there."""
        check_names("legs", [leg.name for leg in self.legs])
        own = ["thorax", *(["abdomen"] if self.abdomen else [])]
        names = [*own, *(part.name for part in self.parts)]
        check_names("parts", names)
        check_names("appendages", [one.name for one in self.appendages])
        for one in self.appendages:
            if one.parent not in names:
                raise ValueError(
                    f"has an appendage '{one.name}' on '{one.parent}', which it does not have;"
                    f" valid: {name_some(names)}"
                )
        return self

    @model_validator(mode="after")
    def check_stance(self) -> "ClimberSpec":
        """Feet can be where they are most at ease, and the elevation is one that they can keep."""
        for leg in self.legs:
            away = float(np.linalg.norm(find_origin(leg) - np.array(leg.at)))
            if away > leg.length * (1 + 1e-9):
                raise ValueError(
                    f"has a leg '{leg.name}' of {leg.length:g} cm whose stance asks it to reach"
                    f" {away:.4g} cm; valid: a stance within its reach"
                )
        height = -float(np.mean([find_origin(leg)[1] for leg in self.legs]))
        slack = min(leg.comfort_range for leg in self.legs)
        if abs(self.thorax.elevation - height) > slack:
            raise ValueError(
                f"has a thorax.elevation of {self.thorax.elevation:g} cm, and feet {height:.4g} cm"
                " below the thorax in the default pose; valid: from"
                f" {max(height - slack, 1e-3):.4g} to {height + slack:.4g}, by the comfort_range"
            )
        return self

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
