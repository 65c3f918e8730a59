"""How a user's rig lies in its file: which way is up, which way it looks, how large it is."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skitter.errors import UserError
from skitter.export.own.map import Axis, RigMap
from skitter.export.own.source import RigSource

Floats = NDArray[np.floating]
SNAP_DEG = 10.0  # a heading this near to an axis is meant to be along it


@dataclass(frozen=True)
class Axes:
    """From a rig's space to ours: x forward, y up, z to the right."""

    turn: Floats  # [3, 3]

    def to_ours(self, points: Floats) -> Floats:
        """Turned, in the rig's own units."""
        return np.asarray(points) @ self.turn.T


def find_axes(
    source: RigSource, mapping: RigMap | None, ours: dict[str, Floats], theirs: dict[str, Floats]
) -> Axes:
    """As the mapping and the file say; the heading, if nobody says, by the least squares of joints
    of both skeletons about the vertical."""
    up = to_vector((mapping.up if mapping else None) or source.up)
    if mapping is not None and mapping.forward is not None:
        forward = to_vector(mapping.forward)
        if abs(float(forward @ up)) > 0.5:
            raise UserError(
                f"{source.file}: cannot look along {mapping.forward}, which is its up axis;"
                " valid: another forward: or up: in the mapping"
            )
    else:
        forward = find_forward(source, up, ours, theirs)
    turn = np.stack([forward, up, np.cross(forward, up)])
    check_sides(source, turn, ours, theirs)
    return Axes(turn)


def to_vector(axis: Axis) -> Floats:
    """The unit vector of an axis, as `+x`."""
    return (1.0 if axis[0] == "+" else -1.0) * np.eye(3)["xyz".index(axis[1])]


def find_forward(
    source: RigSource, up: Floats, ours: dict[str, Floats], theirs: dict[str, Floats]
) -> Floats:
    """The heading that brings the joints of the rig nearest to ours."""
    names = [name for name in ours if name in theirs]
    a = np.eye(3)[(int(np.argmax(np.abs(up))) + 2) % 3]  # x where up is y
    if len(names) < 2:
        return a
    mine, other = (np.array([one[name] for name in names]) for one in (ours, theirs))
    mine, other = mine - mine.mean(axis=0), other - other.mean(axis=0)
    flat = other - np.outer(other @ up, up)
    if np.linalg.norm(flat) < np.linalg.norm(other @ up):
        raise UserError(
            f"{source.file}: its body stands on end, with up along {tell_axis(up)};"
            " valid: up: in a mapping, the axis that points up"
        )
    b = np.cross(a, up)
    x, z = mine[:, 0], mine[:, 2]
    c, d = x @ (flat @ a) + z @ (flat @ b), x @ (flat @ b) - z @ (flat @ a)
    angle = np.arctan2(d, c)
    return snap(np.cos(angle) * a + np.sin(angle) * b)


def snap(forward: Floats) -> Floats:
    """The axis of the file that is near a direction, if one is."""
    k = int(np.argmax(np.abs(forward)))
    if abs(forward[k]) < np.cos(np.radians(SNAP_DEG)):
        return forward
    return np.sign(forward[k]) * np.eye(3)[k]


def check_sides(
    source: RigSource, turn: Floats, ours: dict[str, Floats], theirs: dict[str, Floats]
) -> None:
    """What is left of our body must be left of theirs."""
    names = [name for name in ours if name in theirs and "_leg_" in name]
    if not names:
        return
    mine, other = (np.array([one[name] for name in names]) for one in (ours, theirs))
    across = (other - other.mean(axis=0)) @ turn[2]
    if (mine[:, 2] - mine[:, 2].mean()) @ across < 0:
        raise UserError(
            f"{source.file}: left and right are swapped, looking along {tell_axis(turn[0])} with"
            f" {tell_axis(turn[1])} up; valid: a mapping with other sides:, forward: or up:"
        )


def tell_axis(direction: Floats) -> str:
    """The axis nearest to a direction, as in "-z"."""
    k = int(np.argmax(np.abs(direction)))
    return f"{'-' if direction[k] < 0 else '+'}{'xyz'[k]}"
