"""What a species file of kind articulated may say: rigid links, joints and springs, as a tree.

After McKenna 1990 section 3.4: boxes of given density, joints of one degree of freedom with springs
and dampers, legs that are chains of segments. Joints of several degrees of freedom are several in
a row on one link. A loop is closed by a spring, which may break (figure 9).

A link's frame lies at its joint. The first link is the root: free, or `fixed`, or hung on the
world by joints of its own. One without joints is welded to its parent. Legs are written for the
right side and mirrored: equal angles of left and right are mirrored poses.
"""

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from skitter.spec import Finite, Name, Number, Ordered, Positive, Source, Spec, Title, Vector3
from skitter.species.gait import GaitSpec, check_gait
from skitter.species.look import ArticulatedLook
from skitter.species.spec import Density, Length, Section, Size3, Species
from skitter.species.touch import ContactSpec

Turn = Annotated[Number, Field(ge=-360, le=360)]  # degrees
Turn3 = Annotated[tuple[Turn, Turn, Turn], Field(strict=False)]  # about x, then y, then z
Angles = Annotated[tuple[Turn, Turn], Field(strict=False), Ordered]
Places = Annotated[tuple[Finite, Finite], Field(strict=False), Ordered]
Mass = Annotated[Number, Field(ge=1e-9, le=1e9)]  # g
Moment = Annotated[Number, Field(ge=1e-15, le=1e12)]  # g cm²
Moments = Annotated[tuple[Moment, Moment, Moment], Field(strict=False)]
Strength = Annotated[Number, Field(ge=0, le=1e9)]
Path = Annotated[str, Field(min_length=1, max_length=121)]  # a link, or a segment: left_front.tibia
Side = Literal["left", "right"]
MOST_LINKS = 512


class SpringSpec(Spec):
    """The spring and the damper of a joint: the force is alpha (exp(beta |x|) - 1) back to rest.

    McKenna 1990 section 3.3. A linear one has alpha |x|. A joint that slides has dyn and cm.
    """

    kind: Literal["exponential", "linear"] = "exponential"
    alpha: Strength = 0.0  # dyn cm; linear: dyn cm/rad
    beta: Annotated[Number, Field(gt=0, le=1e4)] = 5.0  # 1/rad
    damping: Strength = 0.0  # dyn cm s/rad
    rest_deg: Turn = 0.0
    rest: Finite = 0.0  # cm, of a joint that slides


class JointSpec(Spec):
    """One joint of a link, and which way it goes."""

    name: Name
    type: Literal["revolute", "prismatic", "screw", "ball"] = "revolute"
    axis: Vector3 | None = None  # in the link's axes; a ball needs none
    pitch: Finite | None = None  # cm/rad, of a screw
    turn_deg: Turn3 = (0.0, 0.0, 0.0)  # of what follows, before the joint moves it
    spring: SpringSpec = SpringSpec()
    range_deg: Angles | None = None  # beyond, a stiff spring pushes back
    range: Places | None = None  # cm, the same for a joint that slides
    stop: Positive = 1e4  # dyn cm/rad, or dyn/cm: how stiff that spring is

    @field_validator("axis")
    @classmethod
    def check_axis(cls, axis: Vector3 | None) -> Vector3 | None:
        if axis is not None and max(abs(x) for x in axis) < 1e-6:
            raise ValueError("must point somewhere, as [0, 1, 0] points up")
        return axis

    @model_validator(mode="after")
    def check_type(self) -> "JointSpec":
        """Each type has the keys it needs, and none that it would ignore."""
        slides, ball = self.type == "prismatic", self.type == "ball"
        what = f"is a {self.type} joint '{self.name}'"
        if not ball and self.axis is None:
            raise ValueError(f"{what} without an axis; valid: axis: such as [0, 0, 1]")
        if self.type == "screw" and not self.pitch:
            raise ValueError(f"{what} without a pitch; valid: pitch: in cm/rad, not 0")
        if self.type != "screw" and self.pitch is not None:
            raise ValueError(f"{what} with a pitch, which only a screw has")
        if (slides and self.range_deg) or (not slides and self.range):
            good, bad = ("range", "range_deg") if slides else ("range_deg", "range")
            raise ValueError(f"{what} with a {bad}; valid: {good}")
        if ball and (self.axis or self.range_deg or self.spring.rest_deg):
            raise ValueError(f"{what} with an axis, a range or a rest angle, of which it has none")
        return self


class Solid(Spec):
    """What a box of given size weighs: its density, or its mass and inertia themselves."""

    density: Density | None = None  # g/cm³; that of water if neither it nor a mass is given
    mass: Mass | None = None  # g
    inertia: Moments | None = None  # g cm², about its middle; else that of a box of this mass

    @model_validator(mode="after")
    def check_mass(self) -> "Solid":
        if self.density is not None and self.mass is not None:
            raise ValueError("has both a density and a mass; valid: one of them")
        if self.inertia is not None:
            if self.mass is None:
                raise ValueError("has an inertia and no mass; valid: both, or neither")
            if 2 * max(self.inertia) > sum(self.inertia) * (1 + 1e-9):
                raise ValueError(
                    "has an inertia that no body can have: the largest of the three is at most"
                    " the sum of the others"
                )
        return self


class LinkSpec(Solid):
    """A link of the trunk: a box, and the joints by which it hangs on its parent."""

    name: Name
    parent: Name | None = None  # None: the world; a row of copies: the last of them
    at: Vector3 = (0.0, 0.0, 0.0)  # cm, its joint in the parent's frame
    turn_deg: Turn3 = (0.0, 0.0, 0.0)  # of its frame in the parent's
    size: Size3  # cm
    middle: Vector3 = (0.0, 0.0, 0.0)  # cm, of the box in the link's frame
    joints: list[JointSpec] = Field(default_factory=list, max_length=6)
    fixed: bool = False  # to the world, of a link without a parent
    repeat: Annotated[int, Field(ge=1, le=MOST_LINKS)] = 1  # copies, each at the +x end of the last

    @model_validator(mode="after")
    def check_root(self) -> "LinkSpec":
        if self.fixed and (self.joints or self.parent):
            raise ValueError(
                f"has a link '{self.name}' that is fixed and has joints or a parent; valid: neither"
            )
        if self.repeat > 1 and not self.joints:
            raise ValueError(f"has a row of links '{self.name}' without joints; valid: joints:")
        return self


class SegmentSpec(Solid):
    """A part of a leg: a box from its joint along its own x."""

    name: Name
    length: Length  # cm
    section: Section  # cm, up and across
    joints: list[JointSpec] = Field(default_factory=list, max_length=6)


class LegSpec(Spec):
    """A pair of legs, as the right one; or one leg of a side."""

    name: Name
    parent: Name
    at: Vector3  # cm, in the parent's frame
    turn_deg: Turn3 = (0.0, 0.0, 0.0)
    sides: list[Side] = Field(default=["left", "right"], min_length=1, max_length=2)
    segments: Annotated[list[SegmentSpec], Field(min_length=1, max_length=12)]

    def list_joints(self) -> list[JointSpec]:
        """From the body outwards."""
        return [joint for segment in self.segments for joint in segment.joints]


class ClosureSpec(Spec):
    """A spring between two points that closes a loop, and breaks for good above a limit."""

    name: Name
    link: Path
    at: Vector3 = (0.0, 0.0, 0.0)  # cm, in the link's frame
    to: Path | None = None  # None: the world
    to_at: Vector3 = (
        0.0,
        0.0,
        0.0,
    )  # cm, in that link's frame; world: in the creature's, as placed
    stiffness: Positive = 1e4  # dyn/cm
    damping: Strength = 1.0  # g/s
    breaks: Positive | None = None  # dyn; None: never


class SolverSpec(Spec):
    """How it is stepped through time."""

    method: Literal["implicit", "runge_kutta"] = "implicit"
    time_step: Annotated[Number, Field(ge=1e-7, le=0.1)] = 1 / 2000  # s, the longest
    tolerance: Annotated[Number, Field(ge=1e-12, le=0.1)] = 1e-6  # of runge_kutta, per step
    shortest_step: Annotated[Number, Field(ge=1e-12, le=0.1)] = 1e-8  # s, of runge_kutta


class ArticulatedSpec(Species):
    """Links, legs, and how they are moved."""

    can_be_led: ClassVar[bool] = True
    can_back: ClassVar[bool] = True
    can_stand: ClassVar[bool] = True
    kind: Literal["articulated"]
    title: Title
    source: Source = ""
    links: Annotated[list[LinkSpec], Field(min_length=1, max_length=MOST_LINKS)]
    legs: list[LegSpec] = Field(default_factory=list, max_length=32)  # front pair first
    remove: list[Path] = Field(default_factory=list, max_length=MOST_LINKS)  # of the legs
    closures: list[ClosureSpec] = Field(default_factory=list, max_length=MOST_LINKS)
    linear: bool = False  # every spring goes on as it begins, instead of rising exponentially
    contact: ContactSpec = ContactSpec()
    gait: GaitSpec | None = None  # without, nothing moves it but what it meets
    solver: SolverSpec = SolverSpec()
    look: ArticulatedLook = ArticulatedLook()

    @property
    def takes_commands(self) -> bool:
        return self.gait is not None and bool(self.legs)

    @model_validator(mode="after")
    def check_links(self) -> "ArticulatedSpec":
        """Every link hangs on one that comes before it, and names differ."""
        check_tree(self.links)
        check_names("links", list_names(self.links))
        check_names("joints", list_trunk_joints(self.links))
        number = sum(link.repeat * max(1, len(link.joints)) for link in self.links)
        for leg in self.legs:
            number += len(leg.sides) * sum(max(1, len(one.joints)) for one in leg.segments)
        if number > MOST_LINKS:
            raise ValueError(
                f"has {number:,} links, where each joint counts as one; valid: at most {MOST_LINKS}"
            )
        joints = any(link.joints for link in self.links) or any(
            leg.list_joints() for leg in self.legs
        )
        if not joints and all(link.fixed or link.parent for link in self.links):
            raise ValueError("has only links that never move; valid: some joint, or a free root")
        return self

    @model_validator(mode="after")
    def check_legs(self) -> "ArticulatedSpec":
        check_names("legs", [leg.name for leg in self.legs])
        trunk = [link.name for link in self.links]
        for leg in self.legs:
            if leg.parent not in trunk:
                raise ValueError(
                    f"has a leg '{leg.name}' on '{leg.parent}', which is no link of the trunk;"
                    f" valid: {name_some(trunk)}"
                )
            check_names(f"segments of leg '{leg.name}'", [one.name for one in leg.segments])
            check_names(f"joints of leg '{leg.name}'", [one.name for one in leg.list_joints()])
            check_names(f"sides of leg '{leg.name}'", list(leg.sides))
            for joint in leg.list_joints():
                if joint.type == "ball":
                    raise ValueError(
                        f"has a leg '{leg.name}' with a ball joint '{joint.name}'; valid: joints of"
                        " one degree of freedom in a row"
                    )
        return self

    @model_validator(mode="after")
    def check_named(self) -> "ArticulatedSpec":
        """Lesions and closures name what is there."""
        segments = list(self.list_segments())
        legs = [f"{side}_{leg.name}" for leg in self.legs for side in leg.sides]
        for name in self.remove:
            if name not in legs and name not in segments:
                raise ValueError(
                    f"has nothing called '{name}' to remove; valid: {name_some(legs)},"
                    f" or a segment such as {segments[0] if segments else 'left_front.tibia'}"
                )
        known = list_names(self.links) + segments
        check_names("closures", [one.name for one in self.closures])
        for closure in self.closures:
            for end in (closure.link, closure.to):
                if end is not None and end not in known:
                    raise ValueError(
                        f"has a closure '{closure.name}' at '{end}', which is no link;"
                        f" valid: {name_some(known)}"
                    )
        return self

    @model_validator(mode="after")
    def check_steps(self) -> "ArticulatedSpec":
        """The gait knows what to do with every leg."""
        if self.gait is not None:
            if not self.legs:
                raise ValueError("has a gait and no legs; valid: both, or no gait")
            pairs = {leg.name: [joint.name for joint in leg.list_joints()] for leg in self.legs}
            check_gait(self.gait, pairs)
        return self

    def list_segments(self) -> Iterator[str]:
        """All segments of all legs, those that are removed too, as in left_front.tibia."""
        for leg in self.legs:
            for side in leg.sides:
                yield from (f"{side}_{leg.name}.{one.name}" for one in leg.segments)


def list_names(links: list[LinkSpec]) -> list[str]:
    """The trunk's links with all copies, as in wire_3."""
    return [name for link in links for name in number_names(link.name, link.repeat)]


def list_trunk_joints(links: list[LinkSpec]) -> list[str]:
    return [
        name
        for link in links
        for joint in link.joints
        for name in number_names(joint.name, link.repeat)
    ]


def number_names(name: str, repeat: int) -> list[str]:
    """A name, or those of its copies."""
    return [name] if repeat == 1 else [f"{name}_{number + 1}" for number in range(repeat)]


def name_some(names: list[str]) -> str:
    """A few of many names."""
    return (", ".join(names[:6]) + (", ..." if len(names) > 6 else "")) or "none"


def check_names(what: str, names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"has two {what} called '{name}'; names must differ")
        seen.add(name)


def check_tree(links: list[LinkSpec]) -> None:
    """Refuse a link that hangs on itself by way of others, or on none that comes before it."""
    parents = {link.name: link.parent for link in links}
    earlier: list[str] = []
    for link in links:
        if link.parent is not None and link.parent not in earlier:
            way = [link.name]
            step: str | None = link.parent
            while step is not None and step not in way:
                way.append(step)
                step = parents.get(step)
            if step is not None:
                circle = " -> ".join([*way[way.index(step) :], step])
                raise ValueError(
                    f"has links that hang on each other in a circle: {circle}; valid: a tree, and"
                    " closures where it shall close"
                )
            raise ValueError(
                f"has a link '{link.name}' that hangs on '{link.parent}', which is not before it;"
                f" links before it: {name_some(earlier)}"
            )
        earlier.append(link.name)
