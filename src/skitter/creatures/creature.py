"""What a creature is to the world: all of it.

The world knows creatures by `Creature` alone. A new family is a spec of its species
(`species/kinds.py`) and a class with these methods (`creatures/kinds.py`); how it moves, by which
physics and which controller, is its own affair.

A frame has three parts, and a creature may touch nobody else's state in any of them:

1. sense: the world gathers what everybody shows, `list_balls` and `list_bars`, as of now;
2. decide and move: `advance_frame` with what is around, on a thread of its own; those of a kind
   `company` do it in one job, and are not among each other's `others`. Those who are near others
   do it in parts: `start_frame`, then several times `advance_part`, and before each part they
   meet. Then the world asks for their shapes (`show_shapes`), how they answer to impulses where
   they are touched (`answer`), and hands out the impulses (`take_impulses`);
3. eat: `feed`, one creature after the other; then those that `heed` others `meet` them: jaws
   close, and trails are laid.

Everything that is recorded, creatures as well as things and water, has the five methods of
`skitter.channel.Recorded`.

A creature is built as `Kind(name, species, placement, physics, rng)`; `placement` is where and how
the scene puts it. Its species has a `look`. Arrays of its state keep their size. To be seen it
records `body_position` and `body_orientation`, with `body_shape` and `body_size` once, as `Figure`
does; what else it records is its own affair.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any, ClassVar, NamedTuple

import numpy as np

from skitter.channel import Channel, Static
from skitter.control.behaviour import Shown
from skitter.creatures.physics import Physics
from skitter.errors import UserError
from skitter.meeting.shapes import NO_SHAPES, Shapes
from skitter.meeting.solve import MOTOR_ROW
from skitter.scene.spec import CrowdSpec
from skitter.scene.trails import NestSpec
from skitter.species.kinds import SpeciesSpec
from skitter.state import State
from skitter.terrain import Terrain
from skitter.things import Things
from skitter.trails import Trails
from skitter.water.surface import WaterSurface

BALL_ROW = 4  # middle [3] and radius, cm
MEET_RATE = 300.0  # parts of a second, of those who are near others
BAR_ROW = 14  # both ends of the axis, half width, half height, velocities of the ends; cm, cm/s


class Around(NamedTuple):
    """What the world tells a creature at the start of a frame; none of it may be changed."""

    time: float  # s, of the world
    seconds: float  # s that the frame lasts
    steps: int  # of the frame
    terrain: Terrain
    things: Things  # obstacles and food
    others: np.ndarray  # [n, BALL_ROW] cm, balls of all other creatures
    water: WaterSurface  # of density 0 where there is none
    watched: np.ndarray | None = None  # [3] cm, where the creature is that it `watches`
    crowd: CrowdSpec | None = None  # how fine those of a crowd are
    threads: int = 1  # that a company may use
    shown: tuple[Shown, ...] = ()  # all other creatures, for one that heeds them
    nest: NestSpec | None = None
    trails: Trails | None = None  # pheromone on the ground
    parts: int = 1  # that the frame comes in, for those who are near others
    near: bool = False  # whether somebody is about to touch it, so that it moves in parts


class Touched(NamedTuple):
    """The points at which a creature is touched, and what comes of it; world frame."""

    part: np.ndarray  # [n] int64, of its own
    point: np.ndarray  # [n, 3] cm
    normal: np.ndarray  # [n, 3] away from what touches it
    velocity: np.ndarray  # [n, 3] cm/s, filled in by `answer`; then as they are solved for
    response: np.ndarray  # [3 n, 3 n] cm/s for g cm/s: change of velocities by impulses
    impulse: np.ndarray  # [n, 3] g cm/s that it gets


class Creature(ABC):
    """A creature of a running world; see the module for the order of a frame."""

    kind: ClassVar[str]  # as in species files; recordings name it, and looks and measures go by it
    company: str = ""  # all of one, of several kinds even, move by `advance_together`
    numbers: tuple[str, ...] = ()  # of its species that may change while it lives
    breed: str = ""  # the name of its species
    trouble: str = ""  # why it could not begin as the scene asks, and what would be valid
    meets: bool = False  # whether it is moved in parts, and takes impulses, where others are near
    bumps: bool = False  # whether meetings keep it out of obstacles too, and not its own contact
    heeds: bool = False  # whether it hunts, is hunted or forages, and so is told of others
    name: str
    species: SpeciesSpec
    physics: Physics

    @property
    def can_be_led(self) -> bool:
        """Whether `command` and `release` do anything."""
        return self.species.takes_commands

    # -- what it shows -------------------------------------------------------------------------

    @property
    def watches(self) -> str | None:
        """The name of a creature whose place it wants to be told."""
        return None

    @property
    @abstractmethod
    def position(self) -> np.ndarray:
        """Where the creature is [3], cm: the middle of its first part."""

    @property
    @abstractmethod
    def top_speed(self) -> float:
        """Speed of its fastest part, cm/s; not a number once it has flown apart."""

    @abstractmethod
    def list_balls(self) -> np.ndarray:
        """What other creatures feel of it [n, BALL_ROW], cm."""

    def show(self) -> Shown:
        """What others can tell of it, if they heed it."""
        return Shown(self.name, self.breed, self.list_balls())

    @abstractmethod
    def list_bars(self) -> np.ndarray:
        """What stirs the water [n, BAR_ROW]: bars with round ends."""

    # -- meeting others ------------------------------------------------------------------------

    @property
    def engine(self) -> str:
        """Those of one engine push each other by themselves; none: it meets everybody."""
        return self.company

    def find_ball(self) -> tuple[np.ndarray, float, float] | None:
        """A ball around all of it: middle [3] and radius, cm, and its speed, cm/s; None: its shapes
        have to be asked."""
        return None

    def show_shapes(self) -> Shapes:
        """What others meet of it, as of now; none: it is a ghost."""
        return NO_SHAPES

    def find_leap(self, seconds: float) -> float:
        """How much farther, cm, it may come in so many seconds than its velocities tell."""
        return 0.0

    def find_motors(self, part: np.ndarray, seconds: float) -> tuple[np.ndarray, np.ndarray]:
        """Those of its touched parts that legs drive [n], and their motors [n, MOTOR_ROW]."""
        return part[:0], np.zeros((0, MOTOR_ROW))

    def place_parts(self, part: np.ndarray) -> np.ndarray:
        """Where the motors of some parts push [n, 3], cm."""
        return np.zeros((len(part), 3))

    def answer(self, touched: Touched) -> None:
        """Fill in the velocities of points of its own and how they answer to impulses."""
        raise NotImplementedError

    def refine(self, touched: Touched) -> bool:
        """Whether it answers otherwise to these impulses than it said; then it is asked again."""
        return False

    def take_impulses(self, touched: Touched, seconds: float) -> None:
        """Take what a meeting gives it, for the part of the frame that comes next."""
        raise NotImplementedError

    def yield_limbs(self, touched: Touched, gap: np.ndarray) -> None:  # noqa: B027  few have some
        """Let limbs that yield give way, where `gap` [n] cm is negative."""

    # -- a frame -------------------------------------------------------------------------------

    def begin(self, around: Around) -> None:  # noqa: B027  few need it
        """Find its place in the world; called once, before the first frame."""

    @abstractmethod
    def advance_frame(self, around: Around) -> None:
        """Decide, and move by one frame. SimulationError if it flies apart."""

    @property
    def meet_rate(self) -> float:
        """How often in a second it meets others, at least, while some are near."""
        return MEET_RATE

    def count_parts(self, around: Around) -> int:
        """The parts that it needs a frame near others to come in, at least."""
        return max(1, min(around.steps, ceil(around.seconds * self.meet_rate - 1e-9)))

    def start_frame(self, around: Around) -> None:
        """Decide, for a frame that comes in `around.parts`."""
        raise NotImplementedError

    def advance_part(self, around: Around, part: int, parts: int) -> None:
        """Move by one of so many parts of a frame."""
        raise NotImplementedError

    @classmethod
    def advance_together(cls, members: Sequence[Any], arounds: Sequence[Around]) -> None:
        """Move a company, whose members push each other, by one frame, in one job."""
        for one, around in zip(members, arounds, strict=True):
            one.advance_frame(around)

    @classmethod
    def start_together(cls, members: Sequence[Any], arounds: Sequence[Around]) -> None:
        """Let a company decide, for a frame that comes in parts."""
        for one, around in zip(members, arounds, strict=True):
            one.start_frame(around)

    @classmethod
    def advance_part_together(
        cls, members: Sequence[Any], arounds: Sequence[Around], part: int, parts: int
    ) -> None:
        """Move a company by one of so many parts of a frame."""
        for one, around in zip(members, arounds, strict=True):
            one.advance_part(around, part, parts)

    def feed(self, things: Things) -> None:  # noqa: B027  not all eat
        """Eat what its mouth has reached."""

    def meet(self, others: Mapping[str, "Creature"], around: Around) -> None:  # noqa: B027
        """Bite whom its jaws hold, and leave its trail; of one that heeds others."""

    def be_caught(self) -> bool:
        """Whether it is dead, once jaws have held it long enough."""
        return False

    # -- what is recorded, as of everything in a world: skitter.channel.Recorded -----------------

    @abstractmethod
    def list_channels(self) -> list[Channel]:
        """The arrays that each frame adds to a recording."""

    @abstractmethod
    def list_statics(self) -> list[Static]:
        """What a recording keeps once."""

    @abstractmethod
    def read(self) -> dict[str, np.ndarray]:
        """The present values of all channels."""

    @abstractmethod
    def state(self) -> State:
        """Everything that changes, as copies: enough to go on from there to the last bit."""

    @abstractmethod
    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go back to a state of its own."""

    # -- what a person does to it --------------------------------------------------------------

    @abstractmethod
    def push(self, at: np.ndarray, velocity: np.ndarray) -> None:
        """Take a push of so many cm/s where it is nearest to a point [3], cm."""

    @abstractmethod
    def set_gravity(self, gravity: float) -> None:
        """Fall by another gravity, cm/s² downwards."""

    def command(self, speed: float, turn: float) -> None:
        """Let itself be led by hand from now on: cm/s, and rad/s to the left."""
        raise UserError(f"'{self.name}' cannot be led")

    def release(self) -> None:
        """Go its own way again, or that of the scene's commands."""
        raise UserError(f"'{self.name}' cannot be led")

    def set_species(self, species: Any) -> None:
        """Take over the `numbers` of another species with the same body."""
        raise UserError(f"'{self.name}' has no numbers that can change")
