"""What a species file may say about how a worm drives its muscles.

Bends are curvature times body length, a pure number: 2 pi of it is a full circle. Papers are listed
in docs/references.bib.
"""

from typing import Annotated, Literal

from pydantic import Field

from skitter.spec import Fraction, Number, Ordered, Spec

Frequency = Annotated[Number, Field(ge=0, le=20)]  # Hz
Waves = Annotated[Number, Field(ge=-6, le=6)]  # on the body
Ramp = Annotated[Number, Field(ge=1e-2, le=100)]  # s
Lag = Annotated[Number, Field(ge=1e-3, le=10)]  # s
Span = Annotated[tuple[Fraction, Fraction], Field(strict=False), Ordered]
Share = Annotated[Number, Field(gt=0, le=1)]


class Muscles(Spec):
    """What both drives share: how muscles follow, and how orders are taken up."""

    lag: Lag = 0.1  # s, time constant of a muscle (Boyle et al. 2012)
    ramp: Ramp = 1.0  # s from rest to full activity
    amplitude: Fraction = 0.6  # of full activation
    steer: Fraction = 0.15  # of full activation, added to one side at turn 1


class WaveDrive(Muscles):
    """A wave of activity of given frequency and length, whatever the body does.

    Its defaults are the crawl of an adult on agar, measured on one recorded worm of 32 s.
    """

    drive: Literal["wave"] = "wave"
    frequency: Frequency = 0.37  # Hz
    waves: Waves = 1.68  # on the body
    amplitude: Fraction = 0.85  # of full activation, at the head if the envelope is 1 there
    envelope: Annotated[tuple[Fraction, Fraction], Field(strict=False)] = (1.0, 0.7)  # head, tail
    bias: Annotated[Number, Field(ge=-1, le=1)] = 0.0  # of full activation, positive to dorsal


class HeadSwitch(Spec):
    """The oscillator: the head bends one way until it feels itself bent enough (Ji et al. 2021)."""

    span: Share = 0.12  # of the body, driven by the switch alone
    sense: Share = 0.15  # of the body, whose mean bend it feels
    threshold: Share = 0.93  # of the bend that is asked for
    rate: Annotated[Number, Field(ge=0, le=1)] = 0.05  # s, weight of how fast it bends
    patience: Lag = 8.0  # s, after which it gives in to a bend that it cannot reach


class LoadSense(Spec):
    """How hard bending is, in s: drag of the medium over stiffness of the body, as felt.

    Receptors answer within `quick` where nothing resists and more slowly the more does, up to
    `quick + slow`; half of it at `half`. `free` belongs to a body: what its drive feels in water
    (`Reflex.felt_load`) and a millisecond more. None of these is measured on worms.
    """

    quick: Lag = 0.01  # s
    slow: Annotated[Number, Field(ge=0, le=10)] = 1.2  # s
    half: Lag = 0.007  # s
    free: Annotated[Number, Field(ge=0, le=1)] = 0.011  # s, that the body itself damps
    time: Lag = 1.5  # s, over which it is felt
    part: Span = (0.2, 0.7)  # of the body, where it is felt


class ReflexDrive(Muscles):
    """Bends that follow what the body feels; neither frequency nor wavelength is given."""

    drive: Literal["reflex"] = "reflex"
    full_bend: Annotated[Number, Field(ge=1, le=60)] = 13.0  # of a side fully active, in no medium
    reach: Share = 0.14  # of the body ahead that a station feels; up to 0.2 (Wen et al. 2012)
    rate: Annotated[Number, Field(ge=0, le=1)] = 0.16  # s, weight of how fast it bends
    softness: Annotated[Number, Field(ge=0.01, le=10)] = 0.25  # of the asked bend, for 0.76 of it
    head: HeadSwitch = HeadSwitch()
    load: LoadSense = LoadSense()
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0  # of the side that it starts to


AnyCrawl = Annotated[WaveDrive | ReflexDrive, Field(discriminator="drive")]
