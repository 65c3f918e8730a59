"""A body in a row: a head, alike segments and a tail, joined by soft blocks."""

from functools import cached_property
from typing import Annotated, ClassVar

from pydantic import Field

from skitter.spec import Fraction, Friction, Number, Source, Spec, Title
from skitter.species.look import Look
from skitter.species.spec import (
    AnyPart,
    BoxPart,
    Density,
    FigureSpec,
    Material,
    Size3,
    SoftJoint,
    Species,
)

Scale = Annotated[Number, Field(ge=0.1, le=10)]
Span = Annotated[tuple[Scale, Scale], Field(strict=False)]
SECTION = 0.9  # of the narrower of two neighbours: how wide the block between them is


class SegmentSpec(Spec):
    """A rigid part of the body."""

    size: Size3  # cm
    density: Density = 1.1  # g/cm³
    ballast: Fraction = 0.0  # of half its height: so far below its middle its mass has its centre


class RowSpec(Species):
    """What all bodies in a row have in common."""

    has_figure: ClassVar[bool] = True
    can_be_led: ClassVar[bool] = True
    title: Title
    source: Source = ""
    segments: Annotated[int, Field(ge=1, le=200)]  # between head and tail
    segment: SegmentSpec
    taper: Span = (1.0, 1.0)  # width and height of the first and last, of those in the middle
    head: SegmentSpec
    tail: SegmentSpec
    joint: SoftJoint = SoftJoint()
    material: Material = Material()
    friction: Friction = 1.0  # times the other surface's
    restitution: Fraction = 0.0
    look: Look = Look()

    @cached_property
    def figure(self) -> FigureSpec:
        """The body as a tree of parts: head, segments and tail, one behind the other."""
        names = [f"segment_{number + 1}" for number in range(self.segments)]
        parts: list[AnyPart] = [BoxPart(shape="box", name="head", **self.head.model_dump())]
        for number, name in enumerate(names):
            x, y, z = self.segment.size
            size = (x, y * self.scale_of(number), z * self.scale_of(number))
            part = self.segment.model_copy(update={"size": size})
            parts.append(self.hang(number, name, parts[-1], part))
        parts.append(self.hang(self.segments, "tail", parts[-1], self.tail))
        return FigureSpec(
            kind="figure",
            title=self.title,
            material=self.material,
            friction=self.friction,
            restitution=self.restitution,
            parts=parts,
            look=self.look,
        )

    def hang(self, number: int, name: str, parent: AnyPart, part: SegmentSpec) -> BoxPart:
        """A part behind another; the block between them is as wide as the narrower one."""
        size = part.size
        before = self.head.size if parent.name == "head" else size
        section = (SECTION * min(before[1], size[1]), SECTION * min(before[2], size[2]))
        joint = self.joint.model_copy(update={"section": self.joint.section or section})
        return BoxPart(shape="box", name=name, parent=parent.name, joint=joint, **part.model_dump())

    def scale_of(self, number: int) -> float:
        """Width and height of a segment, of those in the middle: tapered over a quarter."""
        quarter = max(1.0, self.segments / 4)
        front = min(1.0, (number + 1) / quarter)
        rear = min(1.0, (self.segments - number) / quarter)
        first, last = self.taper
        return (first + (1 - first) * front) * (last + (1 - last) * rear)
