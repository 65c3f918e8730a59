"""What a species file of kind object may say: a thing that can be pushed, climbed and toppled.

Cenydd 2012 section 8.4: interactive objects are convex rigid bodies.
"""

from math import hypot, pi
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from skitter.spec import Fraction, Friction, Number, Source, Title
from skitter.species.climber_checks import check_mass
from skitter.species.climber_legs import Mass, Size
from skitter.species.climber_parts import Size3
from skitter.species.look import ObjectLook
from skitter.species.spec import Species

NEEDS = {"box": ("size",), "sphere": ("radius",), "cylinder": ("radius", "length")}
SHARE = {"box": 1.0, "sphere": pi / 6, "cylinder": pi / 4}  # of the box around it
WOOD = 0.6  # g/cm³
ObjectDensity = Annotated[Number, Field(ge=0.01, le=30)]  # g/cm³


class ObjectSpec(Species):
    """One convex body. A cylinder lies along its x."""

    can_stand: ClassVar[bool] = True
    kind: Literal["object"]
    title: Title
    source: Source = ""
    shape: Literal["box", "sphere", "cylinder"]
    size: Size3 | None = None  # cm, of a box
    radius: Size | None = None  # cm, of a sphere or a cylinder
    length: Size | None = None  # cm, of a cylinder
    density: ObjectDensity | None = None  # g/cm³; that of wood if neither it nor a mass is given
    mass: Mass | None = None  # g
    friction: Friction = 0.8  # times the other surface's
    restitution: Fraction = 0.0
    look: ObjectLook = ObjectLook()

    @model_validator(mode="after")
    def check_shape(self) -> "ObjectSpec":
        """Each shape has the sizes it needs, and none that it would ignore."""
        needs = NEEDS[self.shape]
        for name in ("size", "radius", "length"):
            if (getattr(self, name) is None) == (name in needs):
                what = "no" if name in needs else "a"
                raise ValueError(
                    f"is a {self.shape} with {what} {name}; valid: {' and '.join(needs)}"
                )
        if self.density is not None and self.mass is not None:
            raise ValueError("has both a density and a mass; valid: one of them")
        check_mass("a mass", self.weight, self.volume)
        return self

    @property
    def box(self) -> tuple[float, float, float]:
        """The box around it, cm."""
        if self.size is not None:
            return self.size
        assert self.radius is not None
        across = 2 * self.radius
        return (across if self.length is None else self.length, across, across)

    @property
    def volume(self) -> float:
        """In cm³."""
        length, height, width = self.box
        return SHARE[self.shape] * length * height * width

    @property
    def reach(self) -> float:
        """Half the diagonal of that box, cm."""
        return hypot(*self.box) / 2

    @property
    def weight(self) -> float:
        """Its mass, g."""
        if self.mass is not None:
            return self.mass
        return self.volume * (WOOD if self.density is None else self.density)
