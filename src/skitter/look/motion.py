"""Where every part is at a moment: a recording's frames, joined by straight lines in between.

A film runs at another rate than a simulation, so a moment may fall between two frames. Positions
are interpolated linearly and orientations along the shorter arc. Joints of legs are positions in
the world too, so a foot that stands still in two frames stands still between them.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.creatures.plan import BodyPlan, build_plan
from skitter.errors import UserError
from skitter.look.rest import build_rest, lay_rest, read_species, read_species_tree
from skitter.look.tree import Tree, lay_tree, read_tree
from skitter.species.kinds import SpeciesSpec

Floats = NDArray[np.floating]
EMPTY: dict[str, tuple[int, ...]] = {  # shape of a part that a creature does not have
    "body_position": (0, 3),
    "body_orientation": (0, 4),
    "node_position": (0, 3),
    "leg_point": (0, 4, 3),
    "antenna_point": (0, 2, 3),
    "midline": (0, 3),
    "muscle_activation": (0,),
}


@dataclass(frozen=True)
class Pose:
    """One creature at one moment."""

    body_position: Floats  # [body, 3] cm
    body_orientation: Floats  # [body, 4] w, x, y, z
    node_position: Floats  # [node, 3] cm
    leg_point: Floats = field(  # [leg, joint, 3] cm: root, knee, ankle, tip
        default_factory=lambda: np.zeros(EMPTY["leg_point"])
    )
    antenna_point: Floats = field(  # [antenna, joint, 3] cm, from the root
        default_factory=lambda: np.zeros(EMPTY["antenna_point"])
    )
    midline: Floats = field(  # [point, 3] cm, along a body without parts, from the head
        default_factory=lambda: np.zeros(EMPTY["midline"])
    )
    muscle_activation: Floats = field(  # [muscle] 0..1
        default_factory=lambda: np.zeros(EMPTY["muscle_activation"])
    )


class Motion:
    """One creature's part of a recording."""

    def __init__(self, recording: Any, creature: dict[str, Any]) -> None:
        self.name: str = creature["name"]
        self.kind: str = creature.get("kind", "figure")
        self.look: dict[str, Any] = creature.get("look") or {}
        self.time = np.asarray(recording.time, dtype=float)
        if len(self.time) == 0:
            raise UserError("the recording has no frames yet, so there is nothing to show")
        self._recording = recording
        known = channel_names(recording)
        names = {key: f"{self.name}.{key}" for key in EMPTY}
        self._arrays = {key: recording[name] for key, name in names.items() if name in known}

    @property
    def has_bodies(self) -> bool:
        return "body_position" in self._arrays

    @property
    def has_nodes(self) -> bool:
        return "node_position" in self._arrays

    @property
    def has_legs(self) -> bool:
        return "leg_point" in self._arrays

    @property
    def has_antennae(self) -> bool:
        return "antenna_point" in self._arrays

    @property
    def has_midline(self) -> bool:
        return "midline" in self._arrays

    @property
    def records_rest(self) -> bool:
        """Whether it has recorded how it is at rest, as one does that is no figure of parts."""
        return self.has_static("rest_position")

    def has_static(self, key: str) -> bool:
        """Whether it has recorded something once for all."""
        return bool(self._recording.has_static(f"{self.name}.{key}"))

    @cached_property
    def tree(self) -> Tree | None:
        """Its links, if it is made of such, and tells which hangs on which; an object is one."""
        has_links = self.has_static("body_parent") or self.kind == "object"
        return read_tree(self) if has_links else None

    @property
    def trunk(self) -> NDArray[np.integer]:
        """The bodies that tell where it heads and where its back is: those that are not of legs."""
        count = self._arrays["body_position"].shape[1] if self.has_bodies else 0
        return np.arange(count) if self.tree is None else self.tree.trunk

    @property
    def leg_count(self) -> int:
        """Legs, whether they are drawn from joints or are links of the body."""
        if self.has_legs:
            return int(self._arrays["leg_point"].shape[1])
        return 0 if self.tree is None else len(self.tree.side)

    def static(self, key: str) -> NDArray[np.generic]:
        """What it has recorded once for all."""
        return np.asarray(self._recording.static(f"{self.name}.{key}"))

    @cached_property
    def species(self) -> SpeciesSpec | None:
        """The species as it was recorded; None where the recording does not tell."""
        return read_species(self._recording, self.name)

    @cached_property
    def species_tree(self) -> dict[str, Any]:
        """The species as it was written down; empty where the recording does not tell."""
        return read_species_tree(self._recording, self.name)

    @cached_property
    def rest(self) -> Pose:
        """The creature at rest, upright on the origin; its first frame if no species is known."""
        first = self.pose(float(self.time[0]))
        if self.records_rest:
            return lay_rest(first, self.static("rest_position"), self.static("midline_rest"))
        if self.tree is not None:
            return lay_tree(self, first, self.tree)
        return first if self.species is None else build_rest(self.species, first)

    @property
    def plan(self) -> BodyPlan:
        """Which parts the creature has, and what joins them."""
        if self.records_rest or self.tree is not None:
            return BodyPlan([], [])
        if self.species is None:
            raise UserError(
                f"the recording does not tell which parts '{self.name}' has, so it has no rig;"
                " valid: a creature of rigid parts and soft blocks, recorded from a scene"
            )
        return build_plan(self.species)

    def frame_at(self, time: float) -> tuple[int, float]:
        """The frame at or before a time, and the share of the way to the next."""
        last = len(self.time) - 1
        time = float(np.clip(time, self.time[0], self.time[-1]))
        found = np.searchsorted(self.time, time, side="right") - 1
        frame = int(np.clip(found, 0, max(last - 1, 0)))
        if last == 0:
            return 0, 0.0
        return frame, (time - self.time[frame]) / (self.time[frame + 1] - self.time[frame])

    def tail_path(self, time: float) -> Floats:
        """Where the last two points of the midline have been by a time [frame, 2, 3], cm."""
        frame, _ = self.frame_at(time)
        return np.asarray(self._arrays["midline"][: frame + 1, -2:], dtype=float)

    def pose(self, time: float) -> Pose:
        """The creature at a time; times before the first and after the last frame are held."""
        frame, share = self.frame_at(time)
        parts = {key: self._between(key, frame, share) for key in EMPTY}
        if not all(np.isfinite(part).all() for part in parts.values()):
            raise UserError(f"'{self.name}' has values that are not numbers at {time:.4g} s")
        parts["body_orientation"] = normalise_rows(parts["body_orientation"])
        return Pose(**parts)

    def poses(self, times: Floats) -> Pose:
        """The creature at rising times, as one pose with arrays [time, …]."""
        found = [self.frame_at(float(time)) for time in times]
        frame, share = (np.array(column) for column in zip(*found, strict=True))
        parts = {key: self._mix(key, frame, share) for key in EMPTY}
        for values in parts.values():
            is_bad = ~np.isfinite(values.reshape(len(times), -1)).all(axis=1)
            if is_bad.any():
                time = times[int(np.argmax(is_bad))]
                raise UserError(f"'{self.name}' has values that are not numbers at {time:.4g} s")
        length = np.linalg.norm(parts["body_orientation"], axis=-1, keepdims=True)
        parts["body_orientation"] = parts["body_orientation"] / np.maximum(length, 1e-30)
        return Pose(**parts)

    def _mix(self, key: str, frame: NDArray[np.integer], share: Floats) -> Floats:
        """A channel at many moments [moment, …], each a share of the way from a frame on."""
        if key not in self._arrays:
            return np.zeros((len(frame), *EMPTY[key]))
        both = np.stack([frame, np.minimum(frame + 1, len(self.time) - 1)])
        needed, where = np.unique(both, return_inverse=True)
        values = np.asarray(self._arrays[key][needed], dtype=float)
        before, after = values[where.reshape(both.shape)]
        if key == "body_orientation":
            is_far = np.sum(before * after, axis=-1, keepdims=True) < 0
            after = np.where(is_far, -after, after)
        part = share.reshape(-1, *[1] * (values.ndim - 1))
        return np.asarray((1 - part) * before + part * after)

    def _between(self, key: str, frame: int, share: float) -> Floats:
        if key not in self._arrays:
            return np.zeros(EMPTY[key])
        values = np.asarray(self._arrays[key][frame : frame + 2], dtype=float)
        if len(values) == 1 or share == 0.0:
            return values[0]
        if key == "body_orientation":
            side = np.sign(np.sum(values[0] * values[1], axis=-1, keepdims=True))
            values[1] *= np.where(side < 0, -1.0, 1.0)
        return (1 - share) * values[0] + share * values[1]


def stack_poses(poses: list[Pose]) -> Pose:
    """Creatures that have as many parts each, as one pose with arrays [creature, …]."""
    return Pose(**{key: np.stack([getattr(one, key) for one in poses]) for key in EMPTY})


def normalise_rows(values: Floats) -> Floats:
    """Rows scaled to length one."""
    return values / np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-30)


def channel_names(recording: Any) -> set[str]:
    """The names of all channels."""
    return {getattr(channel, "name", channel) for channel in recording.channels}


def open_motions(recording: Any) -> list[Motion]:
    """All creatures of a recording that have a body to show."""
    motions = [Motion(recording, creature) for creature in recording.creatures]
    shown = [motion for motion in motions if motion.has_bodies or motion.has_nodes]
    if not shown:
        raise UserError("the recording has no creature with a body, so there is nothing to show")
    return shown
