"""What every typed spec of the project shares: strictness, finite numbers, short vectors.

The ranges are wide for any animal and narrow enough that nothing overflows in single precision.
"""

import re
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

FRACTION = re.compile(r"\s*([-+]?\d+(?:\.\d*)?)\s*/\s*(\d+(?:\.\d*)?)\s*", re.ASCII)


def read_fraction(value: Any) -> Any:
    """Text such as "1/3000" as a number; anything else as it is, for the type check to judge."""
    match = FRACTION.fullmatch(value) if isinstance(value, str) and len(value) < 60 else None
    if match is None or float(match[2]) == 0:
        return value
    return float(match[1]) / float(match[2])


def check_order(span: tuple[float, float]) -> tuple[float, float]:
    if span[0] > span[1]:
        raise ValueError("must be a low and a high number, in that order")
    return span


Number = Annotated[float, BeforeValidator(read_fraction), Field(allow_inf_nan=False)]
Finite = Annotated[Number, Field(ge=-1e6, le=1e6)]
Positive = Annotated[Number, Field(gt=0, le=1e9)]
Fraction = Annotated[Number, Field(ge=0, le=1)]
Friction = Annotated[Number, Field(ge=0, le=100)]
Length = Annotated[Number, Field(ge=1e-4, le=1e5)]  # cm
Ordered = AfterValidator(check_order)  # of two numbers
Vector3 = Annotated[tuple[Finite, Finite, Finite], Field(strict=False)]
Size3 = Annotated[tuple[Length, Length, Length], Field(strict=False)]
Colour = Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$")]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]
Title = Annotated[str, Field(min_length=1, max_length=200)]
Source = Annotated[str, Field(max_length=2000)]


class Spec(BaseModel):
    """A checked, immutable piece of a scene or species file; unknown keys are refused.

    Strict: text is no number and a number is no switch. Tuples alone are lax, as YAML has lists.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, strict=True)
