"""Our skeleton posed as a user's rig stands in its file.

Their joints are to follow ours with what stays the same between the two. So ours are first placed
as theirs are, whatever pose that is:

    legs        at their joints, each link along theirs, the bend in the plane of theirs
    bodies      where their legs begin; a rig's own joint may be at either end of its segment
    head, tail  before and behind those, as at our rest; so are soft joints and the root
    antennae    along theirs; they only turn, so they stay on the head and keep their lengths

Bodies without legs are at their joints.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from skitter.export.own.axes import Axes, find_axes
from skitter.export.own.map import TIP, RigMap
from skitter.export.own.match import Match, read_positions
from skitter.export.own.source import RigSource
from skitter.look.limb import complete_turns
from skitter.look.mesh import unit_rows
from skitter.look.orbit import least_turn
from skitter.look.rig import LINKS, ROOT, SIDE_OF_LINK, Rig, name_body
from skitter.rotation import quaternion_to_matrix

Floats = NDArray[np.floating]
SAME_UNIT = 5e-3  # a fitted size so near to what the file says is that
BENT = 0.1  # sine of the bend from which on a leg has a plane
TOLD = 0.02  # bones that differ by more are told of


@dataclass(frozen=True)
class Fit:
    """Our joints as the rig stands, in its own space."""

    axes: Axes
    cm: float  # in a unit of the rig
    bind: dict[str, Floats]  # [4, 4] of each joint that was found, rigid
    turns_only: set[str]  # joints that stay on their parents
    notes: list[str]


@dataclass(frozen=True)
class Bone:
    """A length that both skeletons have."""

    name: str
    ours: float  # cm
    theirs: float  # in units of the rig


def fit_rig(rig: Rig, source: RigSource, match: Match, mapping: RigMap | None) -> Fit:
    """Pose our skeleton as a user's rig stands."""
    ours = dict(zip(rig.names, rig.bind.position, strict=True)) | find_tips(rig)
    theirs = read_positions(source, match)
    axes = find_axes(source, mapping, keep_frame(ours), keep_frame(theirs))
    at = {name: axes.to_ours(place) for name, place in theirs.items()}
    bones = list_bones(ours, at)
    cm = find_size(source, mapping, bones)
    poser = Poser(rig, source, match, axes, ours, at, cm)
    bind = {name: lead_back(axes, *poser.place(name)) for name in match.joint if name in rig.number}
    antennae = {name for name in bind if "_antenna_" in name}
    return Fit(axes, cm, bind, antennae, tell_lengths(bones, cm))


def keep_frame(places: dict[str, Floats]) -> dict[str, Floats]:
    """The joints that tell how a body lies, whatever its legs do: bodies, and where legs begin."""
    frame = re.compile(r"seg_\d+(_leg_[LR](_femur)?)?|soft_\d+_\d+")
    return {name: place for name, place in places.items() if frame.fullmatch(name)}


def find_tips(rig: Rig) -> dict[str, Floats]:
    """Where our legs end at rest, by name."""
    legs = rig.rest.leg_point
    return {f"{name_leg(n)}_{TIP}": legs[n, -1] for n in range(len(legs))}


def name_leg(number: int) -> str:
    """What we call the leg of a number: two a segment, the left one first."""
    return f"{name_body(number // 2 + 1)}_leg_{'LR'[number % 2]}"


def lead_back(axes: Axes, position: Floats, turn: Floats) -> Floats:
    """A frame of ours as a matrix in the rig's space."""
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = axes.turn.T @ turn, axes.turn.T @ position
    return matrix


# lengths


def list_bones(ours: dict[str, Floats], theirs: dict[str, Floats]) -> list[Bone]:
    """Lengths that do not depend on the pose of legs."""
    bones = []
    for start, end in list_spans(ours):
        if all(name in theirs for name in (*start, *end)):
            mine, other = (measure(places, start, end) for places in (ours, theirs))
            bones.append(Bone(end[0], mine, other))
    return [bone for bone in bones if min(bone.ours, bone.theirs) > 0]


def list_spans(ours: dict[str, Floats]) -> list[tuple[list[str], list[str]]]:
    """Pairs of joints, or of the middles between joints, that a bone lies between."""
    bodies = sorted((n for n in ours if re.fullmatch(r"seg_\d+", n)), key=lambda n: int(n[4:]))
    roots = {body: [f"{body}_leg_{side}" for side in "LR"] for body in bodies}
    label = f"_{LINKS[0]}" if any(name.endswith(LINKS[0]) for name in ours) else ""
    legged = [
        [f"{leg}{label}" for leg in roots[b]] for b in bodies if f"{roots[b][0]}{label}" in ours
    ]
    spans = list(pairwise(legged))
    if not legged:
        spans = [([a], [b]) for a, b in pairwise(bodies)]
    spans += [([left], [right]) for left, right in legged]
    for leg in (leg for body in bodies for leg in roots[body]):
        chain = [f"{leg}_{link}" for link in (*LINKS, TIP) if f"{leg}_{link}" in ours]
        spans += [([a], [b]) for a, b in pairwise(chain)]
    return spans


def measure(places: dict[str, Floats], start: list[str], end: list[str]) -> float:
    """From the middle of some joints to that of others, in the places' unit."""
    ends = [np.mean([places[name] for name in names], axis=0) for names in (start, end)]
    return float(np.linalg.norm(ends[1] - ends[0]))


def find_size(source: RigSource, mapping: RigMap | None, bones: list[Bone]) -> float:
    """Centimetres in a unit of the rig: as the mapping says, else so that the bones match."""
    if mapping is not None and mapping.unit is not None:
        return 100 * mapping.unit
    told = 100 * source.unit
    if not bones:
        return told
    fitted = sum(bone.ours for bone in bones) / sum(bone.theirs for bone in bones)
    return told if abs(fitted / told - 1) < SAME_UNIT else fitted


def tell_lengths(bones: list[Bone], cm: float) -> list[str]:
    """How much bones differ, if they do."""
    gaps = [abs(cm * bone.theirs / bone.ours - 1) for bone in bones]
    if not gaps or max(gaps) < TOLD:
        return []
    worst = bones[int(np.argmax(gaps))].name
    return [
        f"bones of the rig differ in length from the creature's by {100 * np.mean(gaps):.0f} % on"
        f" average and by {100 * max(gaps):.0f} % at {worst};"
        " `skitter rig` makes a species with the sizes of the rig"
    ]


# poses


class Poser:
    """Places our joints one by one; positions are in our axes and the rig's units."""

    def __init__(
        self,
        rig: Rig,
        source: RigSource,
        match: Match,
        axes: Axes,
        ours: dict[str, Floats],
        theirs: dict[str, Floats],
        cm: float,
    ) -> None:
        self._rig, self._source, self._match, self._axes = rig, source, match, axes
        self._ours, self._theirs, self._cm = ours, theirs, cm
        turns = quaternion_to_matrix(rig.bind.orientation)
        self._turn = dict(zip(rig.names, turns, strict=True))
        self._bodies = self._place_bodies()
        self._legs = self._place_legs()
        self._antennae = self._place_antennae()

    def place(self, name: str) -> tuple[Floats, Floats]:
        """Position and turn of a joint of ours."""
        for placed in (self._bodies, self._legs, self._antennae):
            if name in placed:
                return placed[name]
        if name == ROOT:
            return self._place_root()
        if (body := name[: len(self._body_of(name))]) in self._bodies:
            return self._place_beside(body, name)
        return self._theirs[name], self._turn[name]

    def _body_of(self, name: str) -> str:
        found = re.match(r"seg_\d+", name)
        return found[0] if found else ""

    def _place_beside(self, known: str, name: str) -> tuple[Floats, Floats]:
        """A joint as at rest seen from a body that is placed."""
        position, turn = self._bodies[known]
        apart = (self._ours[name] - self._ours[known]) / self._cm
        lean = turn @ self._turn[known].T
        return position + lean @ apart, lean @ self._turn[name]

    def _place_root(self) -> tuple[Floats, Floats]:
        """Below the middle of the bodies, as at rest."""
        names = list(self._bodies)
        if not names:
            return self._theirs[ROOT], self._turn[ROOT]
        there = np.mean([self._bodies[name][0] for name in names], axis=0)
        here = np.mean([self._ours[name] for name in names], axis=0)
        return there + (self._ours[ROOT] - here) / self._cm, self._turn[ROOT]

    def _place_bodies(self) -> dict[str, tuple[Floats, Floats]]:
        found = [name for name in self._rig.names if re.fullmatch(r"seg_\d+", name)]
        bodies = [name for name in found if name in self._theirs]
        marks = {body: self._list_roots(body) for body in bodies}
        legged = [body for body in bodies if len(marks[body]) == 2]
        if not legged:
            turns = self._lean(bodies, {body: [body] for body in bodies})
            return {body: (self._theirs[body], turns[body]) for body in bodies}
        turns = self._lean(legged, marks)
        placed = {
            body: (self._stand(body, marks[body], turns[body]), turns[body]) for body in legged
        }
        self._bodies = placed
        for body in bodies:
            if body not in placed:
                near = min(legged, key=lambda one: abs(int(one[4:]) - int(body[4:])))
                placed[body] = self._place_beside(near, body)
        return placed

    def _list_roots(self, body: str) -> list[str]:
        """The joints with which the legs of a body begin."""
        stems = [f"{body}_leg_{side}" for side in "LR"]
        names = [name for stem in stems for name in (f"{stem}_{LINKS[0]}", stem)]
        return [name for name in names if name in self._theirs and name in self._ours]

    def _lean(self, bodies: list[str], marks: dict[str, list[str]]) -> dict[str, Floats]:
        """Turns of bodies in a row: from one neighbour to the other, as theirs lie."""
        ours, theirs = (
            np.array([np.mean([places[name] for name in marks[body]], axis=0) for body in bodies])
            for places in (self._ours, self._theirs)
        )
        turns = {}
        for k, body in enumerate(bodies):
            before, behind = max(k - 1, 0), min(k + 1, len(bodies) - 1)
            least = turn_least(ours[behind] - ours[before], theirs[behind] - theirs[before])
            turns[body] = least @ self._turn[body]
        return turns

    def _stand(self, body: str, roots: list[str], turn: Floats) -> Floats:
        """Where a body is whose legs begin there."""
        lean = turn @ self._turn[body].T
        apart = [lean @ (self._ours[name] - self._ours[body]) / self._cm for name in roots]
        return np.mean([self._theirs[n] - a for n, a in zip(roots, apart, strict=True)], axis=0)

    def _place_legs(self) -> dict[str, tuple[Floats, Floats]]:
        placed: dict[str, tuple[Floats, Floats]] = {}
        for number in range(len(self._rig.rest.leg_point)):
            stem = name_leg(number)
            names = [f"{stem}_{link}" for link in LINKS if f"{stem}_{link}" in self._rig.number]
            names = [name for name in names or [stem] if name in self._theirs]
            if names:
                turns = self._turn_leg(names, f"{stem}_{TIP}")
                placed |= {n: (self._theirs[n], t) for n, t in zip(names, turns, strict=True)}
        return placed

    def _turn_leg(self, names: list[str], tip: str) -> list[Floats]:
        """How our links are turned in a leg of the rig; `tip` is known or not."""
        end = self._find_tip(names, tip)
        ours = np.array([self._ours[name] for name in [*names, tip]])
        theirs = np.array([self._theirs[name] for name in names] + ([] if end is None else [end]))
        side = find_side(theirs, ours, self._turn[names[0]][:, SIDE_OF_LINK])
        turns: list[Floats] = []
        for k, name in enumerate(names):
            if k + 1 < len(theirs):
                mine = complete_turns(
                    unit_rows(ours[k + 1] - ours[k]), self._turn[name][:, SIDE_OF_LINK]
                )
                other = complete_turns(unit_rows(theirs[k + 1] - theirs[k]), side)
                turns.append(other @ mine.T @ self._turn[name])
            else:  # held as at rest on the link before it
                turns.append(
                    turns[-1] @ self._turn[names[k - 1]].T @ self._turn[name]
                    if k
                    else self._turn[name]
                )
        return turns

    def _find_tip(self, names: list[str], tip: str) -> Floats | None:
        """The end of a leg: as named, else the end of its last bone.

        With a tarsus that nothing follows, the ankle stays as it is modelled.
        """
        if tip in self._theirs:
            return self._theirs[tip]
        last = self._match.joint[names[-1]]
        if names[-1].endswith(LINKS[-1]) and len(self._source.children(last)) != 1:
            return None
        end = self._source.find_end(last)
        return None if end is None else self._axes.to_ours(end)

    def _place_antennae(self) -> dict[str, tuple[Floats, Floats]]:
        placed = {}
        for side in "LR":
            stem = f"{name_body(0)}_antenna_{side}"
            names = [n for n in self._rig.names if n.startswith(stem) and n in self._theirs]
            least: Floats = np.eye(3)
            for k, name in enumerate(names):
                if k + 1 < len(names):
                    way = [p[names[k + 1]] - p[name] for p in (self._ours, self._theirs)]
                    least = turn_least(*way)
                placed[name] = self._theirs[name], least @ self._turn[name]
        return placed


def find_side(theirs: Floats, ours: Floats, side: Floats) -> Floats:
    """Across the plane of a leg; of a straight one, ours turned with it.

    Ours is `side`, for joints `ours` [joint, 3]. A leg that bends the other way keeps its side.
    """
    whole = theirs[-1] - theirs[0]
    hint = turn_least(ours[-1] - ours[0], whole) @ side if len(theirs) > 1 else side
    if len(theirs) < 3:
        return hint
    bend = np.cross(unit_rows(theirs[1] - theirs[0]), unit_rows(theirs[-1] - theirs[1]))
    if np.linalg.norm(bend) < BENT:
        return hint
    return np.asarray(bend if bend @ hint >= 0 else -bend)


def turn_least(start: Floats, end: Floats) -> Floats:
    """The smallest turn [3, 3] from one direction to another; none if one has no length."""
    if not (start.any() and end.any()):
        return np.eye(3)
    return least_turn(unit_rows(start), unit_rows(end))
