"""A worm in the world: one elastic body, its drive, and backward Euler steps (Mujika 2018)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil, exp

import numpy as np

from skitter.channel import Channel, Static
from skitter.creatures.creature import Around, Creature, Touched
from skitter.creatures.numbers import change_numbers, read_numbers
from skitter.creatures.physics import Physics
from skitter.creatures.placing import find_due, find_rise
from skitter.creatures.rows import describe_rows
from skitter.creatures.worm import record
from skitter.creatures.worm.body import assemble, build_grip, build_wall_grip
from skitter.creatures.worm.drive import build_drive
from skitter.creatures.worm.step import Motion, Outside, Stepper, build_motion
from skitter.creatures.worm.touch import Reply, build_capsules, place_capsules
from skitter.errors import SimulationError
from skitter.meeting.shapes import Shapes
from skitter.rotation import matrix_from_turn
from skitter.scene.spec import CreaturePlacement
from skitter.species.worm import WormSpec
from skitter.state import State, name_parts, take_part
from skitter.things import Things
from skitter.water.surface import WaterSurface, find_surface

NUMBERS = {
    "grip": ("forward", "backward", "across", "film"),
    "medium": ("along", "across"),
    "crawl": ("alpha", "period", "amplitude", "frequency", "waves"),
}
FIXED = {"mode": ("amplitude",)}  # of a drive: what its forces were made of
MOST_TURN = 0.5  # rad/s, the turn for which a command asks for all of the bias
WATER_DRAG = (0.033, 0.052)  # g/(cm s) along and across, in water (Boyle et al. 2012)
BALLS = 12  # that others feel of it
PUSH_REACH = 4.0  # radii of the body, around a push
FAR = 0.5  # radii that it may go in a part of a frame near others,
RATE = 300.0  # but not in more parts of a second than this, if its own steps are longer
HASTE_TIME = 3.0  # s, how long it remembers how fast it was
PASSES = 3  # linearisations of a step in which it is touched, after which a correction of
FAIR = 0.05  # of the radius is small enough
MOST_PASSES = 8


@dataclass
class Trial:
    """A step as it would be if nobody touched the worm; what it meets is found out before it is
    taken for good."""

    seconds: float
    start: Motion
    drive: State  # before it
    around: Around
    outside: Outside
    reply: Reply | None = None
    end: np.ndarray | None = None  # [node, 3] cm, where it ends instead


class Worm(Creature):
    """A nematode."""

    kind = "worm"
    meets = True
    species: WormSpec

    def __init__(
        self,
        name: str,
        species: WormSpec,
        placement: CreaturePlacement,
        physics: Physics,
        rng: np.random.Generator,
    ):
        self.name, self.physics, self.placement = name, physics, placement
        self.body = assemble(species)
        x = self.body.mesh.nodes @ matrix_from_turn(placement.turn_deg).T + np.array(placement.at)
        v = np.zeros_like(x) + np.array(placement.velocity)
        self.motion = build_motion(self.body, x, v)
        self.commands = sorted(placement.commands, key=lambda command: command.time)
        self.led = np.array([1.0, 0.0])  # speed, of the species' pace, and turn to dorsal
        self.is_steered = np.zeros(1, bool)
        self.eaten = np.zeros(1, np.int64)
        self.haste = np.zeros(1)  # cm/s, the fastest that a part of it was lately
        self.trial: Trial | None = None  # within a frame in parts
        self._take(species)
        self.drive = build_drive(species, self.body)
        self.numbers = list_numbers(species)

    def _take(self, species: WormSpec) -> None:
        """What of a species may change."""
        self.species = species
        grip = build_grip(species, self.body)
        wall = build_wall_grip(species, self.body, grip)
        self.stepper = Stepper(self.body, grip, species.damping, wall)
        # skin on skin has no forward and backward: it slides as easily as it ever does
        slide = min(grip.forward, grip.backward, grip.across)
        self.capsules = build_capsules(self.body, slide)

    # -- what it shows -------------------------------------------------------------------------

    @property
    def position(self) -> np.ndarray:
        return self.body.find_midline(self.motion.x)[0]

    @property
    def centre(self) -> np.ndarray:
        """Its centre of mass [3], cm."""
        return np.asarray(self.body.mass @ self.motion.x / self.body.mass.sum())

    @property
    def top_speed(self) -> float:
        return float(np.linalg.norm(self.motion.v, axis=1).max())

    def list_balls(self) -> np.ndarray:
        midline = self.body.find_midline(self.motion.x)
        some = midline[:: max(1, len(midline) // BALLS)]
        return np.column_stack([some, np.full(len(some), self.body.radius)])

    def list_bars(self) -> np.ndarray:
        points, speeds = self.body.find_midline(self.motion.x), self.body.midline @ self.motion.v
        count = len(points) - 1
        half = np.full((count, 2), self.body.radius)
        return np.hstack([points[:-1], points[1:], half, speeds[:-1], speeds[1:]])

    # -- a frame -------------------------------------------------------------------------------

    def begin(self, around: Around) -> None:
        if self.placement.start == "stand" and len(around.terrain.arrays.kind):
            self.motion.x[:, 1] += find_rise(around.terrain, self.motion.x[self.body.surface])

    def advance_frame(self, around: Around) -> None:
        self.decide(around)
        steps = self.count_steps(around)
        for step in range(steps):
            self.step(around, around.seconds / steps, f"step {step + 1} of {steps}")
        self.note_haste(around)

    def note_haste(self, around: Around) -> None:
        """Remember, for a while, how fast it can be."""
        left = exp(-around.seconds / HASTE_TIME)
        self.haste[0] = max(left * float(self.haste[0]), self.top_speed)

    def decide(self, around: Around) -> None:
        """Follow the scene's commands, unless a person leads it."""
        if not self.is_steered[0]:
            self.obey(around.time)

    def count_steps(self, around: Around) -> int:
        """Steps of a frame."""
        return max(1, ceil(around.seconds / self.species.time_step - 1e-6))

    def step(self, around: Around, seconds: float, which: str = "a step") -> Outside:
        """Drive the body, and move it by one step."""
        outside = self.drive_body(around, seconds)
        self.move(around, seconds, outside, which)
        return outside

    def drive_body(self, around: Around, seconds: float) -> Outside:
        """Let its drive go on by a step; what then acts on the body."""
        motion = self.motion
        midline = self.body.find_midline(motion.x)
        activity = self.drive.advance(motion.x, seconds, *self.led)
        active = np.append(self.species.stress * self.drive.activation, 0.0)  # the last: no muscle
        for k, muscle in enumerate(self.body.muscle):
            motion.tension[k][:] = active[muscle] * self.body.strength[k]
        outside = self.list_outside(around.water, midline, activity)
        usual = around.seconds / self.count_steps(around)
        obstacles, fair = around.things.obstruct(midline), min(seconds / usual, 1.0)
        return replace(outside, obstacles=obstacles, fair=fair)

    def move(self, around: Around, seconds: float, outside: Outside, which: str) -> None:
        """Move the body by one step."""
        try:
            self.stepper.advance(self.motion, seconds, around.terrain.arrays, outside)
        except SimulationError as error:
            raise SimulationError(
                f"creature '{self.name}' in {which} of the frame: {error};"
                " try a smaller time_step, a weaker drive or a finer mesh"
            ) from None

    # -- a frame in parts, near others ---------------------------------------------------------

    def count_parts(self, around: Around) -> int:
        """As many as its steps, and more where it would go far: a contact is a plane in a part."""
        self.decide(around)
        steps = self.count_steps(around)
        self.try_step(around, around.seconds / steps)
        assert self.trial is not None
        way = float(np.linalg.norm(self.motion.x - self.trial.start.x, axis=1).max())
        most = max(steps, ceil(around.seconds * RATE - 1e-6))
        far = min(steps * max(1, ceil(way / (FAR * self.body.radius))), most)
        return max(super().count_parts(around), far)

    def try_step(self, around: Around, seconds: float) -> None:
        """Take a step as if nobody touched it, in place of one that was tried before."""
        if self.trial is not None:
            if self.trial.seconds == seconds:
                return
            self.motion = self.trial.start
            self.drive.restore(self.trial.drive)
        start, drive = self.motion.copy(), self.drive.state()
        outside = self.step(around, seconds)
        self.trial = Trial(seconds, start, drive, around, outside)

    def start_frame(self, around: Around) -> None:
        self.decide(around)
        self.try_step(around, around.seconds / around.parts)

    def advance_part(self, around: Around, part: int, parts: int) -> None:
        """Take the step that was tried, with what others do to it, and try the next."""
        trial, self.trial = self.trial, None
        if trial is not None and trial.end is not None:
            self.motion = trial.start
            terrain = around.terrain.arrays
            self.stepper.finish(self.motion, trial.end, trial.seconds, terrain, trial.outside)
        if part + 1 < parts:
            self.try_step(around, around.seconds / parts)
        else:
            self.note_haste(around)

    def show_shapes(self) -> Shapes:
        """Its capsules; within a frame in parts, with the velocities of the coming part."""
        start, v = self.motion.x, self.motion.v
        if self.trial is not None:
            start = self.trial.start.x
            v = (self.motion.x - start) / self.trial.seconds
        body = self.body
        place_capsules(self.capsules, body.find_midline(start), np.asarray(body.midline @ v))
        return self.capsules.shapes

    def find_leap(self, seconds: float) -> float:
        """Its drive may turn round within a frame: as far as it went lately in such a time."""
        return max(self.body.radius, seconds * float(self.haste[0]))

    def answer(self, touched: Touched) -> None:
        trial = self.trial
        assert trial is not None
        if trial.reply is None:
            start, end = trial.start.x, self.motion.x
            trial.reply = Reply(self.capsules, touched.part, start, end, trial.seconds)
        reply, terrain = trial.reply, trial.around.terrain.arrays
        reply.lack, reply.shift = self.stepper.respond(
            trial.start, reply.end, trial.seconds, terrain, trial.outside, reply.force
        )
        reply.passes += 1
        velocity, response = reply.answer(touched.part, touched.point)
        touched.velocity[:], touched.response[:] = velocity.reshape(-1, 3), response

    def refine(self, touched: Touched) -> bool:
        assert self.trial is not None and self.trial.reply is not None
        reply = self.trial.reply
        end = reply.reach_end(touched.part, touched.point, touched.impulse)
        size = float(np.abs(end - reply.end).max())
        fair = min(FAIR, self.stepper.fair) * self.body.radius
        is_fair = reply.passes >= PASSES and size < fair
        if is_fair or reply.passes >= MOST_PASSES or self.stepper.is_exact(size, reply.start, end):
            return False
        reply.end = end
        return True

    def take_impulses(self, touched: Touched, seconds: float) -> None:
        assert self.trial is not None and self.trial.reply is not None
        reply = self.trial.reply
        self.trial.end = reply.reach_end(touched.part, touched.point, touched.impulse)

    def list_outside(
        self, water: WaterSurface, midline: np.ndarray, activity: np.ndarray | None
    ) -> Outside:
        """Weight, the drive's forces, and the drag of what it is in; all of it or none is wet."""
        medium, middle = self.species.medium, midline[len(midline) // 2]
        along, across, density = medium.along, medium.across, medium.density
        if water.density > 0 and middle[1] < find_surface(water, middle[0], middle[2]):
            along, across = max(along, WATER_DRAG[0]), max(across, WATER_DRAG[1])
            density = max(density, water.density)
        weight = self.physics.gravity * (1 - density / self.species.density)
        return Outside(weight, activity, along, across)

    def feed(self, things: Things) -> None:
        self.eaten[0] += things.eat(self.position, 2 * self.body.radius)

    # -- what is recorded ----------------------------------------------------------------------

    def list_channels(self) -> list[Channel]:
        return describe_rows(self.name, np.float64, record.ROWS, record.read(self))

    def list_statics(self) -> list[Static]:
        return record.list_statics(self)

    def read(self) -> dict[str, np.ndarray]:
        return {f"{self.name}.{label}": value for label, value in record.read(self).items()}

    def state(self) -> State:
        motion, foot, wall = self.motion, self.motion.foot, self.motion.wall
        own = {
            "x": motion.x, "v": motion.v, "internal": motion.internal, "contact": motion.contact,
            "solves": np.array(motion.solves), "patience": np.array(motion.patience),
            "anchor": foot.anchor, "touching": foot.touching, "slid": foot.slid,
            "wall_anchor": wall.anchor, "wall_touching": wall.touching, "wall_slid": wall.slid,
            "led": self.led, "haste": self.haste, "is_steered": self.is_steered,
            "eaten": self.eaten, "numbers": read_numbers(self.species, self.numbers),
        }  # fmt: skip
        copies = {key: value.copy() for key, value in own.items()}
        return copies | name_parts("drive", self.drive.state())

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        if (state["numbers"] != read_numbers(self.species, self.numbers)).any():
            self.set_species(change_numbers(self.species, state["numbers"], self.numbers))
        motion, foot, wall = self.motion, self.motion.foot, self.motion.wall
        motion.x, motion.v = state["x"].copy(), state["v"].copy()
        motion.internal, motion.contact = state["internal"].copy(), state["contact"].copy()
        motion.solves, motion.patience = int(state["solves"]), int(state["patience"])
        foot.anchor[:], foot.touching[:], foot.slid[:] = (
            state[key] for key in ("anchor", "touching", "slid")
        )
        wall.anchor[:], wall.touching[:], wall.slid[:] = (
            state[f"wall_{key}"] for key in ("anchor", "touching", "slid")
        )
        self.led[:], self.is_steered[:] = state["led"], state["is_steered"]
        self.eaten[:], self.haste[:] = state["eaten"], state["haste"]
        self.drive.restore(take_part(state, "drive"))

    # -- what a person does to it --------------------------------------------------------------

    def push(self, at: np.ndarray, velocity: np.ndarray) -> None:
        away = np.linalg.norm(self.motion.x - at, axis=1)
        near = np.exp(-(((away - away.min()) / (PUSH_REACH * self.body.radius)) ** 2))
        self.motion.v += near[:, None] * velocity

    def set_gravity(self, gravity: float) -> None:
        self.physics = replace(self.physics, gravity=gravity)

    def command(self, speed: float, turn: float) -> None:
        self.is_steered[0] = True
        self.lead(speed, turn)

    def release(self) -> None:
        self.is_steered[0] = False
        self.led[:] = 1.0, 0.0

    def lead(self, speed: float, turn: float) -> None:
        """Crawl so fast, cm/s, backward where negative, and turn to the left, rad/s.

        It lies on its right side, so its left hand is its ventral side, unless it has rolled over.
        """
        self.led[:] = speed / self.species.pace, np.clip(-turn / MOST_TURN, -1, 1)

    def obey(self, time: float) -> None:
        """Follow the latest of the scene's commands whose time has come."""
        if due := find_due(self.commands, time):
            self.lead(due.speed, float(np.radians(due.turn_deg)))

    def set_species(self, species: WormSpec) -> None:
        state = self.drive.state()
        self._take(species)
        self.drive = build_drive(species, self.body)
        self.drive.restore(state)


def list_numbers(species: WormSpec) -> tuple[str, ...]:
    """The numbers that may change while it lives."""
    fixed = FIXED.get(species.crawl.drive, ())
    return tuple(
        f"{group}.{key}"
        for group, keys in NUMBERS.items()
        for key in keys
        if hasattr(getattr(species, group), key) and not (group == "crawl" and key in fixed)
    )
