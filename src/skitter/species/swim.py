"""What a species file may say about muscles, swimming and eyes (Fang 2015 chapter 5)."""

from math import pi, radians
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from skitter.spec import Fraction, Length, Number, Ordered, Spec

Ratio = Annotated[Number, Field(ge=0.2, le=2)]  # of a side's length as built
Change = Annotated[Number, Field(ge=-1, le=1)]
Frequency = Annotated[Number, Field(ge=0, le=50)]  # Hz
Degrees = Annotated[Number, Field(ge=-360, le=360)]
Seconds = Annotated[Number, Field(ge=1e-2, le=100)]
Both = Annotated[Number, Field(ge=-1, le=1)]
Speed = Annotated[Number, Field(gt=0, le=1e4)]  # cm/s
Coefficient = Annotated[Number, Field(ge=-1e9, le=1e9)]
Coefficients = Annotated[tuple[Coefficient, Coefficient, Coefficient], Field(strict=False)]
Speeds = Annotated[tuple[Speed, Speed], Field(strict=False), Ordered]


class MuscleWave(Spec):
    """The length of one side of every soft block: mean + height sin(2 pi f t - i shift + phase)."""

    mean: Ratio = 1.0  # of its length as built
    height: Change = 0.0
    frequency: Frequency = 1.0
    shift_deg: Degrees = 0.0  # from one block to the next
    phase_deg: Degrees = 0.0


class MuscleProgram(Spec):
    """Muscles of a body without a controller: four sides, each with a wave of its own."""

    drive: ClassVar[str] = "waves"  # what drives them, of DRIVES in control/swim.py
    left: MuscleWave = MuscleWave()
    right: MuscleWave = MuscleWave()
    top: MuscleWave = MuscleWave()
    bottom: MuscleWave = MuscleWave()
    ramp: Seconds = 1.0  # s from the body at rest to the full waves

    def list_rows(self) -> list[tuple[float, ...]]:
        """Mean, height, rate [rad/s], shift and phase [rad] of the sides: what a step goes by."""
        waves = (self.left, self.right, self.top, self.bottom)
        return [
            (
                wave.mean,
                wave.height,
                2 * pi * wave.frequency,
                radians(wave.shift_deg),
                radians(wave.phase_deg),
            )
            for wave in waves
        ]


# A second way to drive muscles makes this a union, told apart by a field `shape` as terrain is.
AnyProgram = MuscleProgram


class Optimum(Spec):
    """The least costly way to swim at any speed, by regression (Fang 2015 appendix C)."""

    speed: Speeds  # cm/s, the slowest and the fastest that was found
    frequency: Coefficients  # Hz = a + b v + c v²
    phase_deg: Coefficients
    power: Coefficients  # erg/s spent against water


class SwimSpec(Spec):
    """The F-PS controller: one wave along the body (Fang 2015 section 5.4)."""

    frequency: Frequency = 1.0  # Hz
    phase_deg: Degrees = 54.0  # ps, from one soft block to the next
    length: Annotated[tuple[Ratio, Ratio], Field(strict=False)] = (0.5, 1.0)  # l_min, l_max
    ramp: Seconds = 1.0  # s in which it takes up the serpentine shape
    turn: Both = 0.0  # of one that nobody leads: 1 to the left as much as it can
    pitch: Both = 0.0  # the same, 1 upwards
    most_turn: Fraction = 0.6  # as far as it leaves one side weak to turn
    turn_deg: Annotated[Number, Field(gt=0, le=3600)] = 40.0  # degrees/s that it turns then
    optimum: Optimum | None = None  # else frequency goes with speed, at the phase above
    speed: Speed = 8.0  # cm/s, at which it goes about
    bout: Annotated[Number, Field(ge=0, le=1e6)] = 15.0  # s in water before it looks for land

    @model_validator(mode="after")
    def check_lengths(self) -> "SwimSpec":
        if self.length[0] > self.length[1]:
            raise ValueError("has a length that must be a low and a high number, in that order")
        return self


class EyesSpec(Spec):
    """What a swimmer sees and minds (Fang 2015 section 5.5)."""

    food_range: Length = 30.0  # cm
    food_deg: Annotated[Number, Field(gt=0, le=175)] = 60.0  # to either side
    alert_range: Length = 18.0  # cm, of walls
    alert_deg: Annotated[Number, Field(gt=0, le=120)] = 40.0  # to either side
    land_range: Length = 80.0  # cm, from which one that wants land sees it
    wander_deg: Annotated[Number, Field(ge=0, le=180)] = 40.0  # largest turn when it sees nothing
    preferred: Literal["left", "right", "random"] = "random"  # when both sides are blocked
