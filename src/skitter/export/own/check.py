"""What is refused, and what is told, once the joints of a rig are known."""

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from skitter.errors import UserError
from skitter.export.own.map import RigMap, expand, list_all_names
from skitter.export.own.match import Match, Names
from skitter.export.own.source import RigSource
from skitter.look.rig import LINKS
from skitter.scene.describe import count, quote

FLAT = 1e-8  # a transform that makes one way so much shorter than another cannot be undone
POINT = 1e-9  # of its distance from the origin: a rig so small has no size
BODY, LEG = re.compile(r"seg_\d+"), re.compile(r"seg_\d+_leg_[LR]")


def check_rig(source: RigSource, match: Match) -> None:
    """Joints that follow must have a size, and transforms that can be undone."""
    joints = list(match.joint.values())
    for joint in list_above(source, joints):
        stretch = np.linalg.svd(source.local[joint][:3, :3], compute_uv=False)
        if not stretch[-1] > FLAT * stretch[0]:
            raise UserError(
                f"{source.file}: the joint {quote(source.names[joint])} is scaled to nothing;"
                " valid: a scale that is not 0"
            )
    places = source.position[joints]
    if not np.ptp(places, axis=0).max() > POINT * np.abs(places).max():
        raise UserError(
            f"{source.file}: its joints all lie at one point; valid: a rig that has a length"
        )


def list_above(source: RigSource, joints: Iterable[int]) -> list[int]:
    """Some joints, and all above them."""
    found: set[int] = set()
    for joint in joints:
        while joint >= 0 and joint not in found:
            found.add(joint)
            joint = int(source.parents[joint])
    return sorted(found)


def tell_misplaced(source: RigSource, match: Match) -> list[str]:
    """Legs that hang below another body than the one they are mapped to."""
    body_of = {joint: name for name, joint in match.joint.items() if BODY.fullmatch(name)}
    wrong = []
    for name, joint in match.joint.items():
        stem = LEG.match(name)
        if stem is None or name not in (stem[0], f"{stem[0]}_{LINKS[0]}"):
            continue
        above = find_above(source, joint, body_of)
        if above >= 0 and body_of[above] != name[: name.index("_leg_")]:
            wrong.append((name, joint, above))
    if not wrong:
        return []
    name, joint, above = wrong[0]
    here, there = quote(source.names[joint]), quote(source.names[above])
    more = f" (and {count(len(wrong) - 1, 'more leg')})" if len(wrong) > 1 else ""
    return [
        f"{here} is mapped as {name}, but hangs below {there}, which is mapped as"
        f" {body_of[above]}{more}; are the numbers of segments off by one?"
    ]


def find_above(source: RigSource, joint: int, wanted: Iterable[int]) -> int:
    """The nearest of some joints above another, or -1."""
    joint = int(source.parents[joint])
    while joint >= 0 and joint not in wanted:
        joint = int(source.parents[joint])
    return joint


def tell_still(
    source: RigSource, mapping: RigMap | None, ours: list[str], map_file: Path | None
) -> list[str]:
    """Segments and legs of the rig that the creature has not."""
    names, own = Names(source), {stem for name in ours if (stem := find_stem(name))}
    other = [name for name in list_all_names() if (stem := find_stem(name)) and stem not in own]
    pairs = [(name, name) for name in other]
    if mapping is not None:
        pairs += [(one.ours, one.theirs) for one in expand(mapping, other, str(map_file))]
    stems = {find_stem(name) for name, theirs in pairs if names.has(theirs)}
    bodies = sum(1 for stem in stems if BODY.fullmatch(stem))
    parts = [(bodies, "segment"), (len(stems) - bodies, "leg")]
    still = " and ".join(count(number, noun) for number, noun in parts if number)
    verb = "stays" if len(stems) == 1 else "stay"
    return [f"{still} of the rig {verb} still: the creature has no such"] if stems else []


def find_stem(name: str) -> str:
    """The segment or the leg that a joint belongs to, if it is of one."""
    found = LEG.match(name) or BODY.fullmatch(name)
    return found[0] if found else ""
