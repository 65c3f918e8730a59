"""The geometry of a leg in its plane (Fang 2015 section 3.4, figure 3.4).

In the plane, `out` points away from the body and `up` along the segment's y axis. The first link
leaves the root at alpha, the second turns down by beta at the knee, the third by the fixed gamma at
the ankle. The two lower links make one rod from knee to tip: of length

    rod = sqrt(l2^2 + l3^2 + 2 l2 l3 cos gamma) ,  tilted below the second link by
    psi = atan2(l3 sin gamma, l2 + l3 cos gamma) .

The knee lies on a circle about the root and on one about the tip; of the two crossings the upper
one, with beta > 0, is the convex leg. At beta = 0 the tip is as far as `straight` from the root;
the leg can bend to any nearer place.
"""

from dataclasses import dataclass
from math import acos, atan2, cos, hypot, sin, sqrt


@dataclass(frozen=True)
class LegShape:
    """Lengths of a leg, cm, and the angles that never change, rad."""

    upper: float  # root to knee
    middle: float  # knee to ankle
    lower: float  # ankle to tip
    gamma: float

    @property
    def rod(self) -> float:
        a, b = self.middle, self.lower
        return sqrt(a * a + b * b + 2 * a * b * cos(self.gamma))

    @property
    def psi(self) -> float:
        return atan2(self.lower * sin(self.gamma), self.middle + self.lower * cos(self.gamma))

    @property
    def straight(self) -> float:
        """Distance from root to tip at beta = 0."""
        return sqrt(self.upper**2 + self.rod**2 + 2 * self.upper * self.rod * cos(self.psi))

    def place_tip(self, alpha: float, beta: float) -> tuple[float, float]:
        """How far out and up the tip is."""
        ray = alpha - beta - self.psi
        return (
            self.upper * cos(alpha) + self.rod * cos(ray),
            self.upper * sin(alpha) + self.rod * sin(ray),
        )

    def bend_to(self, out: float, up: float) -> tuple[float, float] | None:
        """alpha and beta that put the tip there with the knee up, or None."""
        reach = hypot(out, up)
        if not abs(self.upper - self.rod) < reach < self.straight:
            return None
        corner = (self.upper**2 + reach**2 - self.rod**2) / (2 * self.upper * reach)
        alpha = atan2(up, out) + acos(corner)
        ray = atan2(up - self.upper * sin(alpha), out - self.upper * cos(alpha))
        return alpha, alpha - (ray + self.psi)
