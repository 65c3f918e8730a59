"""A creature's motion on a rig of the user's own, and a species with the sizes of that rig.

Fang 2015 appendix E bought meshes, rigged them, measured segments and legs by hand and set those in
the simulation; then keys were set on the rig. Here a file says which joint is which, `skitter rig`
measures, and `skitter export --rig` sets the keys.
"""

import re
from pathlib import Path
from typing import Any

import numpy as np

from skitter.errors import UserError, make_one_line
from skitter.export.clip import Clip, Told
from skitter.export.order import choose_names
from skitter.export.own.check import check_rig, tell_misplaced, tell_still
from skitter.export.own.fit import fit_rig
from skitter.export.own.map import TIP, describe_missing, read_map
from skitter.export.own.match import check_needed, list_needed, match_joints
from skitter.export.own.source import GLTF, USD, RigSource, read_rig
from skitter.export.own.tracks import LocalTracks, build_tracks
from skitter.export.summary import CreatureSummary, Summary
from skitter.look.motion import Motion, open_motions
from skitter.look.rig import Rig
from skitter.render.output import check_output


@np.errstate(all="ignore")  # what a strange rig comes to is checked
def animate_rig(
    recording: Any,
    rig_file: Path,
    output: Path,
    *,
    mapping: Path | None = None,
    clip: Clip,
    creature: str | None = None,
    level: int = 0,
    replace: bool = False,
    progress: Told | None = None,
) -> Summary:
    """Write the user's file again with one creature's motion in it.

    `replace` drops the animations that the file has. A .glb or .gltf becomes a .glb, a USD file a
    USD file.
    """
    check_pair(rig_file, output)
    motion = choose_motion(recording, creature)
    source, table = read_rig(rig_file), read_map(mapping)
    rig = Rig(motion, level=level)
    ours = list_ours(rig)
    match = match_joints(source, table, ours, mapping)
    needed = list_needed(rig.names, has_legs=motion.has_legs)
    check_needed(match, needed, source, mapping, f"'{motion.name}'")
    check_rig(source, match)
    fit = fit_rig(rig, source, match, table)
    tracks = build_tracks(rig, source, match.joint, fit, clip, progress)
    notes = write_rig(source, tracks, output, clip=clip, replace=replace)
    notes = source.notes + match.notes + tell_misplaced(source, match) + fit.notes + notes
    notes += tell_still(source, table, ours, mapping) + tell_leaning(source, tracks)
    sizes = (len(tracks.joints), source.point_count, source.triangle_count)
    told = [CreatureSummary(motion.name, *sizes)]
    kind = "glb" if rig_file.suffix.lower() in GLTF else "usd"
    lines = [make_one_line(note) for note in notes]
    return Summary(output, kind, clip.fps, len(clip.times), told, lines)


def write_rig(
    source: RigSource, tracks: LocalTracks, output: Path, *, clip: Clip, replace: bool
) -> list[str]:
    """The user's file with an animation named after the new one; returns notes."""
    if source.file.suffix.lower() in GLTF:
        from skitter.export.own.gltf_out import write_gltf_rig as write
    else:
        from skitter.export.own.usd import write_usd_rig as write
    return write(source, tracks, output, clip=clip, name=output.stem, replace=replace)


def check_pair(rig_file: Path, output: Path) -> None:
    """A rig is written in the format that it came in."""
    suffix = rig_file.suffix.lower()
    if suffix not in GLTF + USD:
        raise UserError(f"--rig {rig_file}: must end in {', '.join(GLTF + USD)}")
    allowed = (".glb",) if suffix in GLTF else USD
    if output.suffix.lower() not in allowed:
        valid = " or ".join(allowed)
        raise UserError(f"{output}: must end in {valid}, because the rig {rig_file} is a {suffix}")
    check_output(output, allowed)
    if output.exists() and rig_file.exists() and output.samefile(rig_file):
        raise UserError(f"{output}: is the rig itself; valid: another file")


def choose_motion(recording: Any, name: str | None) -> Motion:
    """The creature of a name, or the only one."""
    names = choose_names(recording, name)
    if len(names) > 1:
        valid = ", ".join(names)
        raise UserError(f"--rig: moves one creature; valid: with --creature, one of {valid}")
    return next(one for one in open_motions(recording) if one.name == names[0])


def list_ours(rig: Rig) -> list[str]:
    """The joints that a mapping may name: ours, and the tips of legs."""
    legs = dict.fromkeys(m[0] for name in rig.names if (m := re.match(r"seg_\d+_leg_[LR]", name)))
    return [*rig.names, *(f"{leg}_{TIP}" for leg in legs)]


def tell_leaning(source: RigSource, tracks: LocalTracks) -> list[str]:
    """Joints below an uneven scale."""
    if not tracks.leaning:
        return []
    names = describe_missing([source.names[joint] for joint in sorted(tracks.leaning)])
    return [f"scales that differ by axis stand above {names}, which cannot follow exactly"]
