"""How a body of links feels what it touches: springs, damping, restitution, friction, sticky feet.

After McKenna 1990 section 3.1: the force grows with the depth, linearly or exponentially, is scaled
by the restitution while the bodies part, and friction opposes sliding.
"""

from typing import Annotated, Literal

from pydantic import Field

from skitter.spec import Fraction, Friction, Length, Number, Positive, Spec

Damping = Annotated[Number, Field(ge=0, le=1e6)]


class StickyFeet(Spec):
    """Pads under the feet that hold while the leg stands, by springs that may break."""

    on: bool = False
    stiffness: Positive = 4e4  # dyn/cm, of the spring at small stretch
    sharpness: Annotated[Number, Field(ge=0, le=1e4)] = 20.0  # 1/cm, how fast it stiffens
    damping: Damping = 20.0  # g/s
    breaks: Positive = 2500.0  # dyn; above, the pad slides, and catches again where it is
    pull: Positive = 800.0  # dyn, by which the pad is held to the ground at most


class ContactSpec(Spec):
    """The springs between a body and what it touches."""

    spring: Literal["exponential", "linear"] = "exponential"
    alpha: Positive = 400.0  # dyn; linear: dyn/cm
    beta: Annotated[Number, Field(gt=0, le=1e5)] = 100.0  # 1/cm, of an exponential spring
    damping: Damping = 0.0  # of the normal force: s/cm, force is multiplied by 1 + damping * speed
    restitution: Fraction = 0.3  # by which the force is scaled while the bodies part
    friction: Friction = 1.0  # times the other surface's
    slip: Length = 0.05  # cm/s, below which friction is only as strong as it needs to be
    sticky: StickyFeet = StickyFeet()
