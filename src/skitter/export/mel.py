"""A recording as a Maya script that sets keyframes on a rig, as in Fang 2015, appendix E.

The script makes the joints that are missing, so it animates a rig of one's own that has them, and
otherwise brings a bare skeleton. Joints are in a namespace named after their creature; the prefix
is one line to be changed at the head of the creature's part. Rotations are Euler angles about x,
then y, then z (rotateOrder xyz), in degrees, without jumps of a turn; joint orients are zero.

Keys are given by joint and channel, frames are baked for all joints at a time: they are turned over
in a file, so that a long recording never lies in memory. A channel that stays as it is has one key.
"""

import tempfile
from collections.abc import Iterator
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from skitter.errors import UserError
from skitter.export.clip import Clip, Told, bake, share_progress
from skitter.export.order import Order
from skitter.export.summary import CreatureSummary, Summary
from skitter.look.rig import Frames, Rig, localise
from skitter.render.output import replacing
from skitter.rotation import quaternion_to_matrix

Floats = NDArray[np.floating]
CHANNELS = ("translateX", "translateY", "translateZ", "rotateX", "rotateY", "rotateZ")
LINE_KEYS = 40  # a line of a script must not be long
STILL = 1e-7  # of a body's length: what moves less does not move
ANGLE_DECIMALS, LEAST_DECIMALS, MOST_DECIMALS = 6, 4, 12
LOCKED = 1e-9  # cosine below which two of three angles turn about one axis
NAMED_RATES = {
    15.0: "game",
    24.0: "film",
    25.0: "pal",
    30.0: "ntsc",
    48.0: "show",
    50.0: "palf",
    60.0: "ntscf",
}
OTHER_RATES: tuple[float, ...] = (
    *(2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 23.976, 29.97, 40, 47.952, 59.94, 75, 80),
    *(100, 120, 125, 150, 200, 240, 250, 300, 375, 400, 500, 600, 750, 1200),
)
HEAD = """\
// Keyframes of a simulated creature, written by Skitter.
// Run it with: source "{name}";
//
// Centimetres, y up; frames 0 to {last}, {fps:g} a second. Rotations are in degrees, rotate order
// xyz, joint orients zero. Joints that are there already get keys; those that are missing are made.
// The line `string $prefix = ...` of a creature says where its joints are: change it for a rig
// in another namespace, or make it "" for one in none.

currentUnit -linear cm -angle degree -time "{rate}";
playbackOptions -minTime 0 -maxTime {last} -animationStartTime 0 -animationEndTime {last};

global proc skitterSpace(string $prefix)
{{
    string $space = `substitute ":$" $prefix ""`;
    if ($space != "" && !`namespace -exists $space`)
        namespace -add $space;
}}

global proc skitterJoint(string $joint, string $parent, float $at[], float $turn[])
{{
    if (`objExists $joint`)
    {{
        if (`getAttr ($joint + ".rotateOrder")` != 0)
            warning ($joint + ": its rotate order should be xyz for these keys");
        return;
    }}
    if ($parent == "")
        createNode joint -name $joint;
    else
        createNode joint -name $joint -parent $parent;
    setAttr ($joint + ".rotateOrder") 0;
    setAttr ($joint + ".segmentScaleCompensate") 0;
    setAttr ($joint + ".translate") -type double3 $at[0] $at[1] $at[2];
    setAttr ($joint + ".rotate") -type double3 $turn[0] $turn[1] $turn[2];
}}

global proc skitterKeys(string $channel, int $first, float $values[])
{{
    int $k;
    int $count = size($values);
    for ($k = 0; $k < $count; $k++)
        setKeyframe -time ($first + $k) -value $values[$k]
            -inTangentType "linear" -outTangentType "linear" $channel;
}}
"""


def export_mel(order: Order) -> Summary:
    """Writes a script with the keys of some creatures of a recording."""
    clip, scale, output = order.clip, order.scale, order.output
    rate = name_rate(clip.fps)
    rigs = [Rig(creature.motion, level=order.level) for creature in order.creatures]
    with replacing(output) as draft, draft.open("w", encoding="ascii", newline="\n") as file:
        last = len(clip.times) - 1
        file.write(HEAD.format(name=to_ascii(output.name), last=last, fps=clip.fps, rate=rate))
        for number, rig in enumerate(rigs):
            file.writelines(write_joints(rig, scale))
            write_keys(file, rig, clip, scale, share_progress(order.progress, number, len(rigs)))
    told = [CreatureSummary(rig.motion.name, len(rig.names), 0, 0) for rig in rigs]
    notes = ["a .mel has joints and keys only: bind a model to them in Maya"]
    return Summary(output, "mel", clip.fps, len(clip.times), told, notes)


def name_rate(fps: float) -> str:
    """What Maya calls so many frames a second."""
    if fps in NAMED_RATES:
        return NAMED_RATES[fps]
    if fps in OTHER_RATES:
        return f"{fps:g}fps"
    valid = ", ".join(f"{rate:g}" for rate in sorted([*NAMED_RATES, *OTHER_RATES]))
    raise UserError(f"--fps {fps:g}: Maya has no such rate; valid: {valid}")


def to_ascii(text: str) -> str:
    """A name that is safe in a comment."""
    return "".join(c if c.isascii() and c.isprintable() else "_" for c in text)


def write_joints(rig: Rig, scale: float) -> Iterator[str]:
    """The joints at rest, each after its parent."""
    local = localise(rig.bind, rig.parents)
    angles = unroll(find_angles(local.orientation)[None], None)[0]
    places, decimals = local.position * scale, choose_decimals(rig, scale)
    yield f"\n// {rig.motion.name}: {len(rig.names)} joints\n"
    yield f'string $prefix = "{rig.motion.name}:";\nskitterSpace($prefix);\n'
    for k, name in enumerate(rig.names):
        parent = rig.parents[k]
        above = '""' if parent < 0 else f'($prefix + "{rig.names[parent]}")'
        at, turn = list_numbers(places[k], decimals), list_numbers(angles[k], ANGLE_DECIMALS)
        yield f'skitterJoint(($prefix + "{name}"), {above}, {at}, {turn});\n'


def write_keys(file: TextIO, rig: Rig, clip: Clip, scale: float, progress: Told | None) -> None:
    """The keys of all joints, joint by joint."""
    decimals, still = choose_decimals(rig, scale), STILL * rig.length * scale
    with tempfile.TemporaryFile() as turned:
        shape = (len(rig.names), len(CHANNELS), len(clip.times))
        values: Floats = np.memmap(turned, np.float64, "w+", shape=shape)
        fill(values, bake(rig, clip, progress=progress), scale)
        for k, name in enumerate(rig.names):
            for number, channel in enumerate(CHANNELS):
                is_angle = number >= 3
                places = ANGLE_DECIMALS if is_angle else decimals
                least = 10.0**-ANGLE_DECIMALS if is_angle else still
                keys = np.asarray(values[k, number])
                if np.ptp(keys) <= least:
                    keys = keys[:1]
                file.writelines(write_channel(f"{name}.{channel}", keys, places))
        del values


def fill(values: Floats, batches: Iterator[Frames], scale: float) -> None:
    """Baked frames, turned over into values [joint, channel, frame], degrees."""
    done, before = 0, None
    for local in batches:
        some = slice(done, done + len(local.position))
        angles = unroll(find_angles(local.orientation), before)
        before, done = angles[-1], some.stop
        values[:, :3, some] = np.moveaxis(local.position * scale, 0, -1)
        values[:, 3:, some] = np.moveaxis(angles, 0, -1)


def write_channel(channel: str, keys: Floats, decimals: int) -> Iterator[str]:
    for first in range(0, len(keys), LINE_KEYS):
        numbers = list_numbers(keys[first : first + LINE_KEYS], decimals)
        yield f'skitterKeys(($prefix + "{channel}"), {first}, {numbers});\n'


def list_numbers(values: Floats, decimals: int) -> str:
    """An array; its numbers have a point each, or Maya would take them for integers."""
    row = ", ".join([f"%.{decimals}f"] * len(values))
    rounded = np.round(values, decimals) + 0.0  # without the sign of a zero
    return "{" + row % tuple(rounded.tolist()) + "}"


def choose_decimals(rig: Rig, scale: float) -> int:
    """So that what is lost of a length is far below what can be seen."""
    needed = int(np.ceil(-np.log10(STILL * rig.length * scale)))
    return int(np.clip(needed, LEAST_DECIMALS, MOST_DECIMALS))


def find_angles(orientation: Floats) -> Floats:
    """Angles [..., 3], degrees, about x, then y, then z of the parent, of quaternions [..., 4]."""
    turn = quaternion_to_matrix(orientation)
    flat = np.hypot(turn[..., 0, 0], turn[..., 1, 0])
    y = np.arctan2(-turn[..., 2, 0], flat)
    is_free = flat > LOCKED
    x = np.where(is_free, np.arctan2(turn[..., 2, 1], turn[..., 2, 2]), 0.0)
    z = np.where(
        is_free,
        np.arctan2(turn[..., 1, 0], turn[..., 0, 0]),
        np.arctan2(-turn[..., 0, 1], turn[..., 1, 1]),
    )
    return np.degrees(np.stack([x, y, z], axis=-1))


def unroll(angles: Floats, before: Floats | None) -> Floats:
    """The same rotations [frame, joint, 3], each by those angles that are nearest to the last.

    A rotation has two triples of angles, and each of its angles may have any number of turns.
    """
    near = np.zeros_like(angles[0]) if before is None else before
    found = np.empty_like(angles)
    for frame, these in enumerate(angles):
        others = np.stack([these[:, 0] + 180, 180 - these[:, 1], these[:, 2] + 180], axis=-1)
        choices = [one - 360 * np.round((one - near) / 360) for one in (these, others)]
        far = [np.abs(one - near).sum(axis=-1) for one in choices]
        near = np.where((far[1] < far[0])[:, None], choices[1], choices[0])
        found[frame] = near
    return found
