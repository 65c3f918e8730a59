"""The sizes of a creature, measured on a user's rig.

Pitch and width of segments are those of the places where legs begin, because that is where legs
will be moved to. How high segments are, and where head and tail end, the skin around their joints
tells, or nobody.
"""

import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.errors import UserError
from skitter.export.own.axes import Axes, find_axes
from skitter.export.own.map import TIP, RigMap
from skitter.export.own.match import Match, read_positions
from skitter.export.own.source import RigSource
from skitter.look.rig import LINKS, name_body

Floats = NDArray[np.floating]
LEAST_SEGMENTS = 3
TINY = 1e-6  # of the pitch of segments: a length that is none


@dataclass(frozen=True)
class RigSizes:
    """Lengths in units of the rig; nan where the rig does not tell."""

    pitch: Floats  # [segment - 1] from one pair of legs to the next
    width: Floats  # [segment] between the roots of a pair
    height: Floats  # [segment] of the skin
    middle: Floats  # [segment] of the skin, or of the joint, above the roots
    front: float  # from the first pair to the end of the head's skin
    rear: float  # from the last pair to the end of the tail's
    head: float  # from the first pair to the head's joint
    tail: float  # from the last pair to the tail's joint
    head_section: Floats  # [2] height and width of its skin
    tail_section: Floats
    links: Floats  # [segment, side, 3]
    rod: Floats  # [segment, side] from knee to tip
    ankle: Floats  # [segment, side] rad, the bend there
    drop: Floats  # [segment, side] from root down to tip
    out: Floats  # [segment, side] from root sideways to tip
    antenna: Floats  # [link] lengths

    @property
    def segments(self) -> int:
        return len(self.width)

    def scaled(self, factor: float) -> "RigSizes":
        """The same in another unit."""
        values: dict[str, Any] = {
            key: factor * np.asarray(value) for key, value in vars(self).items()
        }
        return RigSizes(**(values | {"ankle": self.ankle}))


def list_rig_parts(match: Match) -> list[str]:
    """The names that a rig with these segments needs: all bodies, and the legs of each segment."""
    numbers = [int(m[1]) for name in match.joint if (m := re.fullmatch(r"seg_(\d+)", name))]
    legged = [int(m[1]) for name in match.joint if (m := re.match(r"seg_(\d+)_leg_", name))]
    last = max([*numbers, *legged, LEAST_SEGMENTS])
    pairs = max([*legged, LEAST_SEGMENTS])
    names = [name_body(k) for k in range(last + 1)]
    for k in range(1, pairs + 1):
        names += [f"{name_body(k)}_leg_{side}_{link}" for side in "LR" for link in LINKS[:2]]
    return names


def count_segments(match: Match) -> int:
    """How many bodies have legs."""
    return len([name for name in match.joint if re.fullmatch(r"seg_\d+_leg_L_femur", name)])


def check_tail(match: Match, source: RigSource) -> None:
    """Only one body may come behind the last pair of legs."""
    bodies = len([name for name in match.joint if re.fullmatch(r"seg_\d+", name)])
    segments = count_segments(match)
    if bodies > segments + 2:
        raise UserError(
            f"{source.file}: has no legs on {name_body(segments + 1)}, and"
            f" {bodies - segments - 1} bodies behind its last pair; valid: a tail of one"
        )


def measure_rig(source: RigSource, match: Match, mapping: RigMap | None) -> RigSizes:
    """All lengths that a rig tells."""
    segments = count_segments(match)
    places = read_positions(source, match)
    axes = find_axes(source, mapping, draw_straight(segments), places)
    at = {name: axes.to_ours(place) for name, place in places.items()}
    skin = Skin(source, match, axes.to_ours(source.surface.points))
    bodies = [name_body(k) for k in range(1, segments + 1)]
    roots = np.array([[at[f"{b}_leg_{side}_{LINKS[0]}"] for side in "LR"] for b in bodies])
    middle = roots.mean(axis=1)
    boxes = [skin.find_box(body) for body in bodies]
    legs = [
        [measure_leg(source, match, axes, at, f"{body}_leg_{side}") for side in "LR"]
        for body in bodies
    ]
    head, tail = skin.find_box(name_body(0)), skin.find_box(name_body(segments + 1))
    last = at.get(name_body(segments + 1), np.full(3, np.nan))
    return RigSizes(
        pitch=np.linalg.norm(np.diff(middle, axis=0), axis=1),
        width=np.linalg.norm(roots[:, 1] - roots[:, 0], axis=1),
        height=np.array([box[1, 1] - box[0, 1] for box in boxes]),
        middle=find_middles(boxes, np.array([at[body] for body in bodies])) - middle[:, 1],
        front=float(head[1, 0] - middle[0, 0]),
        rear=float(middle[-1, 0] - tail[0, 0]),
        head=float(at[name_body(0)][0] - middle[0, 0]),
        tail=float(middle[-1, 0] - last[0]),
        head_section=(head[1] - head[0])[1:],
        tail_section=(tail[1] - tail[0])[1:],
        links=np.array([[leg.links for leg in pair] for pair in legs]),
        rod=np.array([[leg.rod for leg in pair] for pair in legs]),
        ankle=np.array([[leg.ankle for leg in pair] for pair in legs]),
        drop=np.array([[leg.drop for leg in pair] for pair in legs]),
        out=np.array([[leg.out for leg in pair] for pair in legs]),
        antenna=measure_antenna(source, match, places),
    )


def check_sizes(sizes: RigSizes, file: Path) -> None:
    """What everything else is in proportion to must have a length."""
    parts = {
        "segments lie": sizes.pitch,
        "pairs of legs begin": sizes.width,
        "femora begin and end": sizes.links[..., 0],
        "tibiae begin and end": np.fmax(sizes.links[..., 1], sizes.rod),
    }
    for what, lengths in parts.items():
        if (lengths <= TINY * np.nanmax(sizes.pitch)).any():
            raise UserError(f"{file}: {what} at one point; valid: joints that lie apart")


def draw_straight(segments: int) -> dict[str, Floats]:
    """A straight body with legs on both sides, to lay a rig along."""
    ours = {name_body(0): np.array([1.0, 0.0, 0.0])}
    for k in range(1, segments + 1):
        ours[name_body(k)] = np.array([1.0 - k, 0.0, 0.0])
        for side, z in (("L", -1.0), ("R", 1.0)):
            ours[f"{name_body(k)}_leg_{side}_{LINKS[0]}"] = np.array([1.0 - k, 0.0, z])
    return ours


class Skin:
    """The points of a rig's skin, by the joints that they follow."""

    def __init__(self, source: RigSource, match: Match, points: Floats) -> None:
        self._owner, self._points, self._joint = source.surface.owner, points, match.joint

    def find_box(self, name: str) -> Floats:
        """Lowest and highest corner [2, 3] of what follows a joint."""
        own = self._points[self._owner == self._joint.get(name, -1)]
        if len(own) == 0:
            return np.full((2, 3), np.nan)
        return np.stack([own.min(axis=0), own.max(axis=0)])


def find_middles(boxes: list[Floats], joints: Floats) -> Floats:
    """Heights of the middles of segments [segment]."""
    middles = np.array([box[:, 1].mean() for box in boxes])
    return np.where(np.isnan(middles), joints[:, 1], middles)


@dataclass(frozen=True)
class LegSizes:
    """One leg."""

    links: Floats  # [3]
    rod: float
    ankle: float
    drop: float
    out: float


def measure_leg(
    source: RigSource, match: Match, axes: Axes, at: dict[str, Floats], stem: str
) -> LegSizes:
    """The lengths of a leg, nan where they are not known."""
    nothing = np.full(3, np.nan)
    joints = [f"{stem}_{link}" for link in LINKS]
    root, knee, ankle = (at.get(name, nothing) for name in joints)
    tip = at.get(f"{stem}_{TIP}", nothing)
    if np.isnan(tip).any():
        end = source.find_end(match.joint[joints[2] if joints[2] in at else joints[1]])
        tip = nothing if end is None else axes.to_ours(end)
    first, second, third = knee - root, ankle - knee, tip - ankle
    lengths = np.array([np.linalg.norm(one) for one in (first, second, third)])
    cosine = second @ third / max(lengths[1] * lengths[2], 1e-30)
    whole = tip - root
    return LegSizes(
        links=lengths,
        rod=float(np.linalg.norm(tip - knee)),
        ankle=float(np.arccos(np.clip(cosine, -1, 1))),
        drop=float(-whole[1]),
        out=float(np.hypot(whole[0], whole[2])),
    )


def measure_antenna(source: RigSource, match: Match, places: dict[str, Floats]) -> Floats:
    """Lengths of the links of the longer antenna; the last ends where its bone does."""
    chains = []
    for side in "LR":
        stem = f"{name_body(0)}_antenna_{side}"
        names = [name for k in range(1, 65) if (name := f"{stem}_{k}") in places]
        names = names or [name for name in [stem] if name in places]
        chains.append(measure_chain(source, match, [places[n] for n in names], names))
    return max(chains, key=len)


def measure_chain(
    source: RigSource, match: Match, points: list[Floats], names: list[str]
) -> Floats:
    """Lengths of an antenna's links, in units of the rig; the last ends where its bone does."""
    if not names:
        return np.zeros(0)
    end = source.find_end(match.joint[names[-1]])
    links = [float(np.linalg.norm(b - a)) for a, b in pairwise(points)]
    if end is not None:
        links.append(float(np.linalg.norm(end - points[-1])))
    elif links:
        links.append(float(np.mean(links)))
    return np.array(links)
