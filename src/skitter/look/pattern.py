"""What is painted on a shell: stripes and grooves along the back, the rim, the underside.

Colours belong to points, so a line is sharp only where the shell has points on both its sides; the
pattern says which it needs.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skitter.look.colour import read_colour
from skitter.species.look import MyriapodLook

Floats = NDArray[np.floating]
STRIPE_SPAN, STRIPE_SHARE = 0.72, 0.4  # stripes lie this far out, and take this share of the way
GROOVE_SPAN, GROOVE_WIDTH, GROOVE_DEPTH = 0.40, 0.06, 0.035
EDGE = 0.03  # over which a stripe fades
RIM_SHADE, SEAM_SHADE, INNER_SHADE, GROOVE_SHADE = 0.6, 0.55, 0.3, 0.25
BELLY_TOP = -0.15  # where the underside begins


@dataclass(frozen=True)
class Pattern:
    """The colours of a shell, in linear light."""

    body: Floats
    rim: Floats
    belly: Floats
    stripe: Floats | None
    stripes: Floats  # [stripe, 2] edges across the back, from -1 to 1
    grooves: Floats  # [groove] across the back

    @property
    def columns(self) -> Floats:
        """Where across the back a shell needs points."""
        start, end = self.stripes.T
        edges = [start, start + EDGE, end - EDGE, end]
        lines = [self.grooves + shift for shift in (-GROOVE_WIDTH, 0.0, GROOVE_WIDTH)]
        wanted = np.unique(np.concatenate(edges + lines).round(6))
        return np.asarray(wanted[np.abs(wanted) < 0.97])

    def depth(self, across: Floats, rise: Floats) -> Floats:
        """How deep a ring's points are sunk, of its size."""
        return GROOVE_DEPTH * self._in_groove(across, rise)

    def _in_groove(self, across: Floats, rise: Floats) -> Floats:
        off = np.abs(across[:, None] - self.grooves).min(axis=1, initial=9.0)
        return np.clip(1 - off / GROOVE_WIDTH, 0, 1) * (rise > 0)

    def _in_stripe(self, across: Floats, rise: Floats) -> Floats:
        start, end = self.stripes[:, 0], self.stripes[:, 1]
        inside = np.minimum(across[:, None] - start, end - across[:, None]).max(axis=1, initial=-9)
        return np.clip(inside / EDGE, 0, 1) * (rise > 0)

    def paint(self, across: Floats, rise: Floats, zone: Floats) -> Floats:
        """Colours [point, 3] of points that lie there; the zones are those of a profile."""
        mix = np.clip((BELLY_TOP - rise) / 0.1, 0, 1)[:, None]
        body = (1 - mix) * self.body + mix * self.belly
        rim = np.where((rise > BELLY_TOP)[:, None], self.rim, body)
        if self.stripe is not None:
            mix = self._in_stripe(across, rise)[:, None]
            body, rim = ((1 - mix) * under + mix * self.stripe for under in (body, rim))
        shown = [body, rim, SEAM_SHADE * body, INNER_SHADE * body]
        colours = np.choose(zone.astype(int)[:, None], shown)
        line = (1 - GROOVE_SHADE) * self._in_groove(across, rise) * (zone == 0)
        return colours * (1 - line)[:, None]


PLAIN = Pattern(np.ones(3), np.ones(3), np.ones(3), None, np.zeros((0, 2)), np.zeros(0))


def read_pattern(look: MyriapodLook, base: str) -> Pattern:
    """The pattern of a look, on a ground of one colour."""
    body = read_colour(base)
    return Pattern(
        body=body,
        rim=RIM_SHADE * body if look.rim is None else read_colour(look.rim),
        belly=body if look.belly is None else read_colour(look.belly),
        stripe=None if look.stripe is None else read_colour(look.stripe),
        stripes=np.zeros((0, 2)) if look.stripe is None else place_stripes(look.stripes),
        grooves=spread_lines(look.grooves, GROOVE_SPAN),
    )


def spread_lines(count: int, span: float) -> Floats:
    """Places across the back, evenly spread about its middle."""
    return span * np.linspace(-1, 1, count) if count > 1 else np.zeros(count)


def place_stripes(count: int) -> Floats:
    half = STRIPE_SPAN * STRIPE_SHARE / max(count - 1, 2)
    middle = spread_lines(count, STRIPE_SPAN)
    return np.stack([middle - half, middle + half], axis=1)
