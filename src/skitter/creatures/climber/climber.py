"""A climber: an arthropod whose body leads and whose legs keep up (Cenydd 2012)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from skitter.channel import Channel, Static
from skitter.control import foraging
from skitter.control.behaviour import FREE
from skitter.control.climbing.build import (
    BEHAVIOURS,
    build_traits,
    make_body,
    make_felt,
    make_mind,
    make_orders,
)
from skitter.control.climbing.depth import find_depths
from skitter.control.climbing.fall import lose_hold
from skitter.control.climbing.model import (
    FALLING,
    FALLS,
    LED,
    LED_SIDE,
    LED_SPEED,
    LED_TURN,
    SENSE_DISTANCE,
    Surfaces,
    make_room,
)
from skitter.control.climbing.stops import build_stops
from skitter.creatures.climber import forager, record, touch
from skitter.creatures.climber.begin import stand_on
from skitter.creatures.climber.company import GLIDE, Member, advance_company, gather_surfaces
from skitter.creatures.climber.levels import COARSE, FULL, KINEMATIC
from skitter.creatures.climber.plan import Figure, build_plan
from skitter.creatures.creature import BAR_ROW, MEET_RATE, Around, Creature, Touched
from skitter.creatures.physics import Physics
from skitter.creatures.placing import find_due
from skitter.creatures.rows import describe_rows
from skitter.meeting.shapes import Shapes
from skitter.rotation import matrix_from_turn, quaternion_to_matrix
from skitter.scene.spec import CreaturePlacement
from skitter.species.climber import ClimberSpec
from skitter.state import State, name_parts, take_part
from skitter.things import Things

NO_STAND = (
    "cannot stand there and falls: fewer than half of its feet reach a surface;"
    " valid: a place on a larger surface, or start: free"
)
FOLD_DEPTH = 0.005  # of its length, that an appendage may be in something
FOLD_RATE, UNFOLD_RATE, FOLD_MOST = 14.0, 1.5, 1.9  # rad/s, rad/s, rad


class Climber(Member):
    """Thorax, abdomen, legs, and what hangs on them."""

    kind = "climber"
    species: ClimberSpec

    def __init__(
        self,
        name: str,
        species: ClimberSpec,
        placement: CreaturePlacement,
        physics: Physics,
        rng: np.random.Generator,
    ):
        super().__init__()
        self.name, self.physics, self.placement = name, physics, placement
        self.plan = build_plan(species)
        self.figure = self.plan.figure
        self.take(species)
        turn = matrix_from_turn(placement.turn_deg)
        self.body = make_body(self.figure, np.array(placement.at, float), turn)
        self.body.velocity[:] = placement.velocity
        self.body.spin[:] = np.radians(placement.spin_deg)
        self.orders, self.felt = make_orders(self.figure), make_felt(self.figure)
        self.mind = make_mind(self.plan.species, self.figure, rng)
        self.room = make_room(int(np.diff(self.figure.leg_first).max()))
        self.commands = sorted(placement.commands, key=lambda command: command.time)
        self.level = np.zeros(1, np.int64)
        self.finest = FULL if int(np.diff(self.figure.leg_first).min()) >= 3 else KINEMATIC
        self.fast_for, self.kept_for = np.zeros(1), np.full(1, 1e3)  # s
        self.folded = np.zeros(len(self.plan.appendage_name))  # rad
        self.walking = np.zeros(2)  # s, of the appendages' clock; from 0 standing to 1 walking
        joints = len(self.figure.rest)
        self.warm = np.zeros(6 + 3 * bool(self.figure.has_abdomen) + 2 * joints)
        self.rest = self.figure.rest.copy()  # rad, to which springs of hinges pulled last
        self.cool()
        self.limp_at = np.full(1, -np.inf)  # s, when a step of the engine last failed it
        self.surfaces: Surfaces | None = None
        self.is_close = False  # whether it may touch others in this frame
        # of a meeting: how long its part lasts, s; what its own force will do to its speed, and the
        # velocities that it has answered, cm/s
        self.part_seconds, self.coming, self.answered = 0.0, np.zeros(3), np.zeros((0, 3))
        self.ball_row = list_own_balls(self.figure)
        self.shapes, self.trunk = touch.build_shapes(self)
        self.stops = build_stops(len(self.figure.hip))
        self.reach = touch.find_reach(self.figure, self.trunk)  # cm, of all of it from its middle
        self.memory = np.zeros(foraging.FORAGE_ITEMS)  # of one that forages
        self.heeds = species.forage is not None

    def cool(self) -> None:
        """Let the engine's solver start from nothing."""
        self.warm[:] = 0.0
        self.warm[-len(self.figure.rest) :] = np.nan  # of goals there were none before

    def take(self, species: ClimberSpec) -> None:
        """What of a species may change."""
        self.species = species
        scaled = self.plan.species
        self.traits = build_traits(scaled, self.figure, self.physics.gravity)
        self.points = np.array(scaled.stepping.bezier, float)
        path = np.array(scaled.steering.path, float).reshape(-1, 3)
        self.path, self.loops = path, bool(scaled.steering.loop)

    # -- what it shows -------------------------------------------------------------------------

    @property
    def position(self) -> np.ndarray:
        return self.body.place.copy()

    @property
    def top_speed(self) -> float:
        return float(np.linalg.norm(self.body.velocity))

    @property
    def watches(self) -> str | None:
        """The creature that it seeks or flees."""
        target = self.species.steering.target
        return target if isinstance(target, str) else None

    def pose(self) -> tuple[np.ndarray, np.ndarray]:
        """Middles and quaternions of all parts."""
        body = self.body
        angles = self.plan.play(float(self.walking[0]), float(self.walking[1]))
        angles[self.plan.sequences.first[:-1]] += self.folded
        return self.plan.place_bodies(body.place, body.turn, body.pedicel, body.angle, angles)

    def list_balls(self) -> np.ndarray:
        """The thorax and the abdomen, as others feel them."""
        balls = self.ball_row.copy()
        balls[:, :3] = self.body.place + balls[:, :3] @ self.body.turn.T
        return balls

    def list_bars(self) -> np.ndarray:
        return np.zeros((0, BAR_ROW))

    def find_energy(self) -> float:
        body, traits = self.body, self.traits
        moving = traits.mass * (body.velocity @ body.velocity)
        return float(0.5 * (moving + traits.pitch * (body.spin @ body.spin)))

    def find_depth(self, middle: np.ndarray, turned: np.ndarray, first: int = 0) -> np.ndarray:
        """How deep each part from the first on is below any surface [body], cm."""
        depth = np.zeros(len(middle) - first)
        if self.surfaces is not None:
            tapers, size = self.plan.body_segment[first:] < 0, self.plan.body_size[first:]
            turn = quaternion_to_matrix(turned[first:])
            find_depths(self.surfaces, middle[first:], turn, size, tapers, depth)
        return depth

    # -- meeting others ------------------------------------------------------------------------

    @property
    def engine(self) -> str:
        return self.company if self.level[0] == FULL else ""

    @property
    def meet_rate(self) -> float:
        """Less without rigid bodies: what was solved for it holds until the next meeting, and its
        own steps are as long."""
        return MEET_RATE if self.level[0] == FULL else 1 / GLIDE

    def find_ball(self) -> tuple[np.ndarray, float, float]:
        return self.body.place, self.reach, self.top_speed

    def show_shapes(self) -> Shapes:
        most = np.inf if self.level[0] == FULL else 2 * self.traits.max_speed
        touch.place_shapes(self.figure, self.trunk, self.body, most, self.shapes.row, self.room)
        return self.shapes

    def find_motors(self, part: np.ndarray, seconds: float) -> tuple[np.ndarray, np.ndarray]:
        """None: what drives it is a force, which its answer has."""
        self.part_seconds = seconds
        return super().find_motors(part, seconds)

    def answer(self, touched: Touched) -> None:
        if self.seat is not None:
            support = touch.find_ground(self, touched)
            found = self.seat.answer(touched, support, self.part_seconds)
            touched.velocity[:], touched.response[:] = found
            return
        share = self.part_seconds / self.traits.moved if self.level[0] == KINEMATIC else 0.0
        self.coming = share * self.orders.force
        touch.answer_driven(
            self.shapes.row, self.body, self.traits.mass, self.coming, touch.is_low(self, touched),
            touched.part, touched.point, touched.velocity, touched.response,
        )  # fmt: skip
        self.answered = touched.velocity.copy()

    def take_impulses(self, touched: Touched, seconds: float) -> None:
        if self.seat is not None:
            self.seat.take(touched.part, touched.point, touched.impulse / seconds)
        else:
            touch.take_driven(self, touched, seconds)

    # -- a frame -------------------------------------------------------------------------------

    def begin(self, around: Around) -> None:
        self.surfaces = gather_surfaces([], around)
        standing = self.placement.start == "stand" and len(around.terrain.arrays.kind) > 0
        if not standing or not stand_on(self, self.surfaces):
            lose_hold(self.mind, self.orders, around.time)
            self.orders.strength[0] = 1.0
            if standing:
                self.trouble = NO_STAND
            else:
                self.mind.count[FALLS] = 0  # it was dropped, and has lost no hold
        if self.commands:
            self.mind.behaviour[0] = LED

    def advance_frame(self, around: Around) -> None:
        advance_company([self], [around])

    @classmethod
    def advance_together(cls, members: Sequence[Member], arounds: Sequence[Around]) -> None:
        advance_company(members, arounds)

    def decide(self, around: Around) -> None:
        """Before a frame: whom it follows, and what it was told."""
        steering, mind = self.plan.species.steering, self.mind
        if around.watched is not None:
            mind.goal[:] = around.watched
        elif steering.target is not None and not isinstance(steering.target, str):
            mind.goal[:] = steering.target
        if self.species.forage is not None and around.nest is not None:
            forager.decide(self, self.species.forage, around)
        if mind.behaviour[0] == LED and (due := find_due(self.commands, around.time)):
            self.lead(due.speed, float(np.radians(due.turn_deg)), due.side)
        self.walking[0] += around.seconds
        self.fold(around.seconds)
        walks = min(self.top_speed / (0.2 * self.traits.max_speed), 1.0)
        self.walking[1] += (walks - self.walking[1]) * min(4 * around.seconds, 1.0)

    def fold(self, seconds: float) -> None:
        """Lift palps, antennae and the like out of what is in front of them, and let them down."""
        first, body = self.plan.sequences.first, self.traits.body_length
        if len(first) < 2 or self.surfaces is None or self.level[0] == COARSE:
            return
        if self.mind.drive[SENSE_DISTANCE] > body and not self.folded.any():
            return
        middle, turned = self.pose()
        depth = self.find_depth(middle, turned, len(middle) - self.plan.appendage_count)
        deep = np.maximum.reduceat(depth, first[:-1]) > FOLD_DEPTH * body
        self.folded += seconds * np.where(deep, FOLD_RATE, -UNFOLD_RATE)
        np.clip(self.folded, 0.0, FOLD_MOST, out=self.folded)

    def feed(self, things: Things) -> None:
        """It does not eat, but may pick food up to bring it home."""
        if self.memory[foraging.MODE] != FREE:
            foraging.pick_up(
                self.memory, things, self.mouth, forager.REACH * self.traits.body_length
            )

    @property
    def mouth(self) -> np.ndarray:
        """The front of it [3], cm."""
        return np.asarray(self.body.place + self.body.turn @ np.array(self.plan.species.sense.at))

    def meet(self, others: Mapping[str, Creature], around: Around) -> None:
        if self.species.forage is not None and around.trails is not None:
            foraging.lay(
                self.species.forage, self.memory, around.trails, self.body.place, around.seconds
            )

    # -- what is recorded ----------------------------------------------------------------------

    def list_channels(self) -> list[Channel]:
        rows = (*record.ROWS, *forager.ROWS)
        return describe_rows(self.name, np.float64, rows, self.read_values())

    def list_statics(self) -> list[Static]:
        return record.list_statics(self)

    def read(self) -> dict[str, np.ndarray]:
        return {f"{self.name}.{label}": value for label, value in self.read_values().items()}

    def read_values(self) -> dict[str, np.ndarray]:
        own = forager.read(self.memory) if self.heeds else {}
        return record.read(self) | own

    def list_own(self) -> dict[str, np.ndarray]:
        return {
            "level": self.level, "fast_for": self.fast_for, "kept_for": self.kept_for,
            "walking": self.walking,
            "warm": self.warm, "folded": self.folded, "limp_at": self.limp_at,
            "rest": self.rest, "leg_shift": self.stops.shift,
        } | ({"memory": self.memory} if self.heeds else {})  # fmt: skip

    def list_parts(self) -> dict[str, Any]:
        return {"body": self.body, "orders": self.orders, "felt": self.felt, "mind": self.mind}

    def state(self) -> State:
        copies = {key: value.copy() for key, value in self.list_own().items()}
        for part, arrays in self.list_parts().items():
            values = {key: value.copy() for key, value in arrays._asdict().items()}
            copies |= name_parts(part, values)
        return copies

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        self.forget_engine()
        for key, value in self.list_own().items():
            value[:] = state[key]
        for part, arrays in self.list_parts().items():
            kept = take_part(state, part)
            for key, value in arrays._asdict().items():
                value[:] = kept[key]

    # -- what a person does to it --------------------------------------------------------------

    def push(self, at: np.ndarray, velocity: np.ndarray) -> None:
        """All of it takes the velocity; a hard push tears its feet off."""
        velocity = np.asarray(velocity, float)
        self.body.velocity[:] += velocity
        arm = np.asarray(at, float) - self.body.place
        reach = float(np.linalg.norm(arm))
        if reach > 1e-9:
            arm *= min(1.0, 0.5 * self.traits.body_length / reach)
            self.body.spin[:] += np.cross(arm, velocity) * self.traits.moved / self.traits.pitch / 4
        torn = np.linalg.norm(velocity) > 2 * max(self.traits.max_speed, self.traits.span)
        if torn and not self.mind.count[FALLING]:
            lose_hold(self.mind, self.orders, float(self.walking[0]))

    def set_gravity(self, gravity: float) -> None:
        self.physics = replace(self.physics, gravity=gravity)
        self.forget_engine()
        self.take(self.species)

    def command(self, speed: float, turn: float) -> None:
        self.mind.behaviour[0] = LED
        self.commands = []
        self.lead(speed, turn)

    def lead(self, speed: float, turn: float, side: float = 0.0) -> None:
        """Go so fast, cm/s, turn to the left, rad/s, and sideways to the right, cm/s."""
        drive = self.mind.drive
        drive[LED_SPEED], drive[LED_TURN], drive[LED_SIDE] = speed, turn, side

    def release(self) -> None:
        self.commands = sorted(self.placement.commands, key=lambda command: command.time)
        kind = LED if self.commands else BEHAVIOURS[self.species.steering.behaviour]
        self.mind.behaviour[0] = kind


def list_own_balls(figure: Figure) -> np.ndarray:
    """Thorax and abdomen at rest as balls [n, 4], in the thorax's frame, cm."""
    rows = [[0.0, 0.0, 0.0, 0.25 * float(figure.thorax_size[0] + figure.thorax_size[2])]]
    if figure.has_abdomen:
        size = figure.abdomen_size
        rows.append([*(figure.pedicel + figure.abdomen_middle), 0.25 * float(size[1] + size[2])])
    return np.array(rows)
