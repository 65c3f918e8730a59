"""What a species file may say. A species is data only: bodies, material, looks, sources.

Axes: x forward, y up, z to the right. Lengths in cm, masses in g, times in s.
"""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from skitter.spec import (
    Fraction,
    Friction,
    Name,
    Number,
    Source,
    Spec,
    Title,
)
from skitter.species.look import Look
from skitter.species.swim import AnyProgram

Face = Literal["+x", "-x", "+y", "-y", "+z", "-z"]
CellCount = Annotated[int, Field(ge=1, le=64)]
Cells3 = Annotated[tuple[CellCount, CellCount, CellCount], Field(strict=False)]
Length = Annotated[Number, Field(ge=1e-3, le=1e3)]  # cm
Size3 = Annotated[tuple[Length, Length, Length], Field(strict=False)]
Section = Annotated[tuple[Length, Length], Field(strict=False)]  # cm, across
Density = Annotated[Number, Field(ge=1e-3, le=1e3)]  # g/cm³
Stiffness = Annotated[Number, Field(ge=1e-3, le=1e12)]  # dyn/cm²
Damping = Annotated[Number, Field(ge=0, le=1e6)]  # g/(cm³ s)
StraightLength = Annotated[Number, Field(ge=0, le=1e3)]  # cm; 0 makes a capsule a ball


class Material(Spec):
    """Soft tissue: fixed corotated elasticity with damping (Fang 2015 appendix A)."""

    young: Stiffness = 4000.0  # dyn/cm²
    poisson: Annotated[Number, Field(ge=0, le=0.49)] = 0.4
    density: Density = 1.0  # g/cm³
    damping: Damping = 50.0  # gamma of Fang 2015 eq. A.23, g/(cm³ s)


class SoftJoint(Spec):
    """The soft block between a part and its parent."""

    length: Length = 1.0  # cm, from the parent's face to the part's
    section: Section | None = None  # cm; the parent's face where left out
    cells: Cells3 = (2, 2, 2)  # along, then across
    turned: bool = False  # half about its axis: the mesh is not the same left and right


class Part(Spec):
    """What parts have in common: a name, and where in the tree they hang."""

    name: Name
    parent: Name | None = None  # None: the root
    face: Face = "-x"  # the side of the parent that this part hangs on
    joint: SoftJoint = SoftJoint()
    repeat: Annotated[int, Field(ge=1, le=400)] = 1  # a row of copies, each hung on the one before
    density: Density = 1.0  # g/cm³
    fixed: bool = False  # held where it is


class BoxPart(Part):
    """A rigid box."""

    shape: Literal["box"]
    size: Size3  # cm
    ballast: Fraction = 0.0  # of half its height: so far below its middle its mass has its centre


class CapsulePart(Part):
    """A rigid cylinder along x with round ends."""

    shape: Literal["capsule"]
    radius: Length  # cm
    length: StraightLength  # cm, of the straight part


class JellyPart(Spec):
    """A soft block on its own; the material is the species'."""

    shape: Literal["jelly"]
    name: Name
    size: Size3  # cm
    cells: Cells3 = (4, 4, 4)


AnyPart = Annotated[BoxPart | CapsulePart | JellyPart, Field(discriminator="shape")]


class Species(Spec):
    """What the world asks of any species, whatever it is made of."""

    has_figure: ClassVar[bool] = False  # a body of rigid parts and soft blocks, in `figure`
    can_be_led: ClassVar[bool] = False  # whether a scene's commands mean something to it
    can_back: ClassVar[bool] = False  # whether it can also be led backward
    can_sidle: ClassVar[bool] = False  # whether it can also be led sideways
    can_stand: ClassVar[bool] = False  # whether it finds its own place on the terrain

    @property
    def takes_commands(self) -> bool:
        """Whether this one can be led: not all of a kind that can may have what it takes."""
        return self.can_be_led

    @property
    def reach(self) -> float | None:
        """How far it reaches from its middle, cm; none where a species cannot say."""
        return None


class FigureSpec(Species):
    """Rigid parts joined by soft blocks, as a tree."""

    has_figure: ClassVar[bool] = True
    kind: Literal["figure"]
    title: Title
    source: Source = ""
    material: Material = Material()
    friction: Friction = 1.0  # times the other surface's
    restitution: Fraction = 0.0
    parts: Annotated[list[AnyPart], Field(min_length=1, max_length=400)]
    muscles: AnyProgram | None = None  # of all soft blocks
    look: Look = Look()

    @model_validator(mode="after")
    def check_tree(self) -> "FigureSpec":
        """Every part hangs on one that comes before it; only the first stands alone."""
        for index, part in enumerate(self.parts):
            check_part(part, self.parts[:index])
            if self.muscles and isinstance(part, BoxPart | CapsulePart) and part.face[1] != "x":
                raise ValueError(
                    f"has muscles and a part '{part.name}' on a face {part.face}; muscles work"
                    " along the body; valid: face: -x or +x"
                )
        return self

    @property
    def figure(self) -> "FigureSpec":
        """The body as a tree of parts, which this is; other kinds are built from one."""
        return self


def check_part(part: AnyPart, earlier: list[AnyPart]) -> None:
    """Refuse a part that cannot be placed after the earlier ones."""
    names = [other.name for other in earlier]
    known = ", ".join(names) or "none"
    if part.name in names:
        raise ValueError(f"has two parts called '{part.name}'; names must differ")
    if isinstance(part, JellyPart) or any(isinstance(other, JellyPart) for other in earlier):
        if earlier:
            raise ValueError("has a part of shape jelly, which must be the only part")
        return
    if part.parent is None and earlier:
        raise ValueError(f"has a part '{part.name}' with no parent; valid: parent: one of {known}")
    if part.parent is not None and part.parent not in names:
        raise ValueError(
            f"has a part '{part.name}' that hangs on '{part.parent}', which is not before it;"
            f" parts before it: {known}"
        )
