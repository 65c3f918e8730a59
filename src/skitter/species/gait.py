"""What a species file may say about how legs step: oscillators, motor programs, reflexes.

After McKenna 1990 sections 3.2 and 3.3. Programs and reflexes are given by pair of legs, under the
pair's name. Angles are in degrees, as the joints of the pair count them: swing is positive forward,
lift is positive with the foot up.
"""

from collections.abc import Collection, Mapping
from typing import Annotated

from pydantic import Field, model_validator

from skitter.spec import Fraction, Name, Number, Positive, Spec

Angle = Annotated[Number, Field(ge=-180, le=180)]  # degrees
Frequency = Annotated[Number, Field(gt=0, le=100)]  # Hz
Seconds = Annotated[Number, Field(ge=0.002, le=10)]
Wait = Annotated[Number, Field(ge=0, le=10)]  # s
Share = Annotated[Number, Field(gt=0, le=1)]
Poses = Annotated[tuple["Pose", ...], Field(strict=False, min_length=1, max_length=12)]


class Pose(Spec):
    """A key pose of a motor program: where rest angles travel to, each at a constant speed.

    A joint that is not named stays where the pose before left it; one that no pose of the pair
    names is left alone.
    """

    share: Share = 1.0  # of the program's time, in which the way is made; as parts of their sum
    angles_deg: dict[Name, Angle] = Field(default_factory=dict)


class LegProgram(Spec):
    """What the joints of a pair of legs do while it steps, and while it stands."""

    step: Poses
    stance: Poses


class StepReflex(Spec):
    """A leg that stands and is stretched backward beyond an angle steps at once."""

    on: bool = False
    angle_deg: dict[Name, Angle] = Field(default_factory=dict)  # of swing, by pair; none: never


class LoadReflex(Spec):
    """A leg that bears too much does not step yet."""

    on: bool = False
    most: dict[Name, Positive] = Field(default_factory=dict)  # dyn, by pair; none: any load
    longest: Wait = 0.1  # s after which it steps nevertheless


class ElevatorReflex(Spec):
    """A leg that meets something on its way goes back a little, lifts higher and tries again."""

    on: bool = False
    force: dict[Name, Positive] = Field(default_factory=dict)  # dyn, by pair; none: never
    lift_deg: Angle = 20.0  # more at every try
    back_deg: Angle = 5.0
    prolong: Fraction = 0.5  # of step_time, by which a try prolongs the step; half of it is retreat
    retries: Annotated[int, Field(ge=0, le=20)] = 3  # in one step


class Reflexes(Spec):
    """Reflexes of legs; none acts in undisturbed walking if it is well calibrated."""

    step: StepReflex = StepReflex()
    load: LoadReflex = LoadReflex()
    elevator: ElevatorReflex = ElevatorReflex()


class Sweep(Spec):
    """The master frequency on its way from one to another."""

    start: Frequency  # Hz
    end: Frequency  # Hz
    since: Wait = 0.0  # s
    until: Annotated[Number, Field(gt=0, le=1e4)]  # s

    @model_validator(mode="after")
    def check_order(self) -> "Sweep":
        if self.until <= self.since:
            raise ValueError(f"ends at {self.until:g} s; valid: after it begins, {self.since:g} s")
        return self

    def find_frequency(self, time: float) -> float:
        """Hz at a time."""
        share = min(max((time - self.since) / (self.until - self.since), 0.0), 1.0)
        return self.start + share * (self.end - self.start)


class GaitSpec(Spec):
    """One oscillator for each leg, coupled by Wilson's rules, and what the legs do then."""

    frequency: Frequency | None = None  # Hz, of all oscillators; None: the fastest
    step_time: Seconds = 0.05  # s from lifting a leg to putting it down
    lag: Seconds = 0.05  # s from the step of a leg to that of the one before it, on its side
    coupling: Annotated[Number, Field(ge=0, le=200)] = (
        20.0  # 1/s, pull of one oscillator on another
    )
    across: Fraction = 0.5  # cycles between the legs of a pair
    stand_time: Seconds = 0.2  # s in which a leg that stops walking comes to its standing pose
    swing_joint: Name = "swing"  # whose range is the stride
    lift_joint: Name = "lift"  # that lifts the foot over obstacles
    sweep: Sweep | None = None  # of the master frequency, of one that nobody leads
    pace: Positive = 5.0  # cm/s at the master frequency and full stride, for commands
    turn: Positive = 3.0  # rad/s for which one side strides by 1 more and the other by 1 less
    most: Positive = 1.5  # the longest stride, of that which is written
    programs: dict[Name, LegProgram] = Field(default_factory=dict)  # by pair
    reflexes: Reflexes = Reflexes()

    @property
    def fastest(self) -> float:
        """Hz: there a lag is half a cycle, and neighbours on a side alternate as pairs do."""
        return 0.5 / self.lag

    @property
    def master(self) -> float:
        """Hz of the oscillators unless a command says otherwise."""
        return self.fastest if self.frequency is None else self.frequency

    @model_validator(mode="after")
    def check_times(self) -> "GaitSpec":
        if self.lag < self.step_time:
            raise ValueError(
                f"has a lag of {self.lag:g} s; it must be at least the step_time, "
                f"{self.step_time:g} s, as no leg steps before the one behind it stands"
            )
        if self.sweep and max(self.sweep.start, self.sweep.end) > self.fastest * (1 + 1e-9):
            raise ValueError(
                f"has a sweep beyond {self.fastest:g} Hz, the fastest with a lag of {self.lag:g} s"
            )
        if self.master > self.fastest * (1 + 1e-9):
            raise ValueError(
                f"has a frequency of {self.master:g} Hz; with a lag of {self.lag:g} s it can be "
                f"{self.fastest:g} Hz at most"
            )
        return self


def check_gait(gait: GaitSpec, pairs: Mapping[str, Collection[str]]) -> None:
    """Refuse a gait that does not suit the legs: `pairs` has the joints of every pair's leg."""
    reflexes = gait.reflexes
    named: list[tuple[str, Collection[str]]] = [
        ("programs", gait.programs),
        ("reflexes.step.angle_deg", reflexes.step.angle_deg),
        ("reflexes.load.most", reflexes.load.most),
        ("reflexes.elevator.force", reflexes.elevator.force),
    ]
    for place, by_pair in named:
        for pair in by_pair:
            if pair not in pairs:
                raise ValueError(
                    f"gait.{place} names the legs {pair!r}; there are {', '.join(pairs)}"
                )
    for pair, joints in pairs.items():
        if pair not in gait.programs:
            raise ValueError(f"gait.programs has none for the legs {pair!r}")
        program = gait.programs[pair]
        for pose in (*program.step, *program.stance):
            for joint in pose.angles_deg:
                if joint not in joints:
                    raise ValueError(
                        f"gait.programs.{pair} moves the joint {joint!r}; "
                        f"these legs have {', '.join(joints)}"
                    )
