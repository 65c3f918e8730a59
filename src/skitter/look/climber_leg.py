"""The legs of climbers, and palps, which are made like them: tapering segments with round joints.

What a segment is, of one to seven, goes by its name where the species tells, else by its number.
Both ends are round about their joints, so that no gap opens however a leg bends; the last segment
stands on the ball about its end, as bodies do that physics knows.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skitter.look.climber_form import Coat, Detail, Profile, build_limb, fade, mix
from skitter.look.hull import Shape, build_spike, join_shapes, paint
from skitter.look.mesh import build_tube

Floats = NDArray[np.floating]
SWELL = {  # how far a segment bulges before its middle, by style: femora, and others
    "spider": (1.08, 1.03),
    "scorpion": (1.12, 1.0),
    "insect": (1.15, 0.95),
    "beetle": (1.3, 1.05),
    "stick": (1.0, 0.97),
    "crab": (1.1, 1.04),
    "plain": (1.0, 1.0),
}
FLAT = {"crab": (1.25, 0.72), "scorpion": (1.15, 0.8), "beetle": (1.05, 0.85)}  # height, width
OVER = 1.035  # of the end before it, how thick a segment begins: one of two balls is seen
BAND = 0.16  # of a segment, that a ring of another colour takes
KNEE_SPAN = (0.0, 0.92)  # of a patella
KNEE_SHARE = 0.37  # of a tibia that holds the patella


@dataclass(frozen=True)
class Segment:
    """A body of a leg or a palp, and those before and behind it."""

    role: str
    size: Floats  # [3] cm
    before: float  # radius of the segment before it, in its own; 1 where there is none
    behind: float  # of the one behind
    is_last: bool
    is_palp: bool = False
    has_knee: bool = False  # a tibia that holds the patella, where that is no body of its own


def build_leg_segment(part: Segment, style: str, coat: Coat, detail: Detail, spines: int) -> Shape:
    """A segment of a right leg, in the frame of its body."""
    profile = shape_profile(part, style)
    shaft = build_limb(
        profile,
        part.size,
        lambda place, rise: paint_segment(part, style, coat, place, rise),
        around=detail.leg,
        rings=detail.rings,
        extra=place_rings(part, coat) if detail.small else (),
    )
    shapes = [shaft]
    if part.is_last and detail.small and not part.is_palp and style != "plain":
        shapes += build_claws(part, style, coat)
    if spines and detail.small and part.role in ("femur", "tibia", "metatarsus"):
        shapes += build_spines(part, coat, spines)
    return join_shapes(shapes)


def shape_profile(part: Segment, style: str) -> Profile:
    """The outline of a segment, which goes over into its neighbours."""
    swell = SWELL[style][part.role != "femur"]
    start = OVER * float(np.clip(0.5 * (1 + part.before), 0.7, 1.0))
    end = float(np.clip(0.5 * (1 + part.behind), 0.55, 1.05))
    is_round = part.role == "coxa" or (part.is_last and style != "crab")
    tall, wide = (1.0, 1.0) if is_round else FLAT.get(style, (1.0, 1.0))
    if part.is_last:
        rows = end_rows(part, style)
    elif part.role == "coxa":
        rows = [(0.0, 1.0), (0.3, 1.06), (0.7, 1.0), (1.0, end)]
    elif part.role in ("trochanter", "patella"):
        rows = [(0.0, start), (0.4, 1.04), (0.75, 1.03), (1.0, end)]
    elif style == "beetle" and part.role == "tibia":
        rows = [(0.0, 0.8), (0.12, 0.72), (0.6, 1.0), (0.92, 1.3), (1.0, 1.0)]
    else:
        rows = [(0.0, start), (0.12, 0.96 * start), (0.36, swell), (0.72, 0.5 + 0.48 * end)]
        rows += [(0.93, end), (1.0, 0.96 * end)]
    if part.has_knee:
        rows = [(0.0, start), (0.16, 1.05), (0.3, 1.0), (KNEE_SHARE, 0.9), (0.46, 0.98)]
        rows += [(0.7, 0.96), (0.93, end), (1.0, 0.96 * end)]
    return [(place, r * tall, r * wide) for place, r in rows]


def end_rows(part: Segment, style: str) -> list[tuple[float, float]]:
    """Of the last segment, which stands on the ball about its end: blunt and soft in a spider, with
    a pad in an insect; a crab's is a point that reaches as far."""
    start = OVER * float(np.clip(0.5 * (1 + part.before), 0.8, 1.05))
    ratio = float(part.size[1] / part.size[0]) / 2  # of radius to length
    if part.is_palp:
        return [(0.0, start), (0.25, 1.0), (0.6, 1.04), (0.9, 0.9), (1.0, 0.7)]
    if style == "spider":
        return [(0.0, start), (0.25, 0.98), (0.6, 0.92), (0.85, 0.95), (1.0, 0.93)]
    if style in ("crab", "plain"):
        return [(0.0, start), (0.2, 1.0), (0.6, 0.7), (1.0, 0.3), (1 + 0.95 * ratio, 0.05)]
    return [(0.0, start), (0.2, 0.74), (0.75, 0.62), (0.92, 0.74), (1.0, 0.88)]


def place_rings(part: Segment, coat: Coat) -> tuple[float, ...]:
    """Where a segment needs rings, so that its bands are sharp."""
    rings: tuple[float, ...] = ()
    if has_patella(part):
        span = KNEE_SHARE if part.has_knee else 1.0
        places = (*KNEE_SPAN, KNEE_SPAN[0] + 0.08, KNEE_SPAN[1] - 0.08)
        rings = tuple(span * place for place in places)
    return (*rings, 1 - BAND, 1 - BAND + 0.04, 0.03) if is_banded(part, coat) else rings


def is_banded(part: Segment, coat: Coat) -> bool:
    """Whether its end has a ring; where knees have a colour of their own, none is before them."""
    plain = ("coxa", "trochanter", "patella", *(("femur",) if coat.knee is not coat.leg else ()))
    return coat.band is not None and not part.is_last and part.role not in plain


def has_patella(part: Segment) -> bool:
    return part.role == "patella" or part.has_knee


def paint_segment(part: Segment, style: str, coat: Coat, place: Floats, rise: Floats) -> Floats:
    """Colours of points: bands, knees, a darker lower side, and the joints' membranes."""
    base = coat.limb if part.is_palp else coat.foot if part.is_last else coat.leg
    colour = np.broadcast_to(base, (len(place), 3))
    if has_patella(part):
        along = place / (KNEE_SHARE if part.has_knee else 1.0)
        inside = fade(along, KNEE_SPAN[0] - 0.2, KNEE_SPAN[0] + 0.14)
        inside = inside * fade(along, KNEE_SPAN[1], KNEE_SPAN[1] - 0.14)
        colour = mix(colour, coat.knee, inside * fade(rise, -0.8, -0.2))
    if coat.band is not None and is_banded(part, coat):
        ring = fade(place, 1 - BAND, 1 - BAND + 0.05) * fade(place, 1.02, 0.97)
        colour = mix(colour, coat.band, ring)
    lower = 0.82 + 0.18 * fade(rise, -0.9, 0.2)
    if style == "spider" and part.is_last:  # the brush of hair that it stands on
        sole = fade(rise, -0.3, -0.7) * fade(place, 0.1, 0.3)
        colour = mix(colour, 0.35 * colour, sole)
    if style == "crab" and part.is_last:
        colour = mix(colour, coat.claw, fade(place, 0.7, 0.95))
    return np.asarray(colour * lower[:, None])


def build_claws(part: Segment, style: str, coat: Coat) -> list[Shape]:
    """A pair of small hooks at the foot; a crab's foot is its own."""
    if style == "crab":
        return []
    high = float(part.size[1]) * (0.6 if style == "spider" else 0.9)
    share = np.linspace(0, 1, 5)
    end = part.size[0] / 2 - 0.35 * high
    found = []
    for side in (-1.0, 1.0):
        path = np.stack(
            [
                end + 0.75 * high * share,
                high * (0.1 + 0.3 * np.sin(np.pi * share) - 0.3 * share**2),
                side * high * (0.14 + 0.5 * share - 0.2 * share**2),
            ],
            axis=1,
        )
        thick = 0.13 * high * (1 - 0.92 * share)
        found.append(paint(build_tube(path, thick, around=5), coat.claw))
    return found


def build_spines(part: Segment, coat: Coat, count: int) -> list[Shape]:
    """Two rows of spines along the lower side."""
    size, found = part.size, []
    long = min(1.1 * float(size[1]), 0.22 * float(size[0]))
    for side in (-1.0, 1.0):
        out = np.array([0.35, -0.6, 0.75 * side])
        for place in np.linspace(0.2, 0.92, count):
            root = np.array([size[0] * (place - 0.5), -0.15 * size[1], 0.16 * side * size[2]])
            spine = build_spike(root, root + long * out, 0.09 * long)
            found.append(paint(spine, mix(coat.leg, coat.claw, 0.6)))
    return found
