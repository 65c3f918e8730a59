"""`skitter export`: a recording as a file of another program."""

from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from skitter.console import print_json, say
from skitter.errors import UserError
from skitter.export.summary import CreatureSummary, Summary
from skitter.progress import Progress

MANY_JOINTS = 256  # above which Unreal wants 16-bit indices


OF_RIGS = ("mapping", "replace")  # options that only a rig of the user's own has
NOT_OF_RIGS = ("scale", "soft", "scenery")


def export_file(
    folder: Path, output: Path, *, rig: Path | None, as_json: bool, **options: Any
) -> None:
    """Write the file, and say what is in it; options left out are None."""
    given = {name: value for name, value in options.items() if value is not None}
    check_rig_options(rig, given)
    progress = Progress()
    with closing(progress):
        write = write_export if rig is None else partial(write_own_rig, rig=rig)
        summary = write(folder, output, progress=progress.count, **given)
    if as_json:
        print_json({"export": summary.to_dict()})
    else:
        report(summary)


def check_rig_options(rig: Path | None, given: dict[str, Any]) -> None:
    """Refuse what would do nothing."""
    unused = OF_RIGS if rig is None else NOT_OF_RIGS
    flags = {"mapping": "map", "scenery": "no-scenery"}
    for name in unused:
        if name in given:
            when = "with --rig" if rig is None else "without --rig"
            raise UserError(f"--{flags.get(name, name)}: does nothing here; valid: {when}")


def write_export(folder: Path, output: Path, **options: Any) -> Summary:
    """A file with the creatures of a recording."""

    from skitter.export.formats import SUFFIXES
    from skitter.export.write import export_recording
    from skitter.record import Recording
    from skitter.render.output import check_output

    check_output(output, SUFFIXES)
    return export_recording(Recording.open(folder), output, **options)


def write_own_rig(
    folder: Path,
    output: Path,
    *,
    rig: Path,
    lod: int = 0,
    mapping: Path | None = None,
    **options: Any,
) -> Summary:
    """The user's own file with the motion in it."""
    from skitter.export.clip import plan_clip
    from skitter.export.own.animate import animate_rig
    from skitter.export.write import FPS, choose_creatures, shape_clip
    from skitter.record import Recording
    from skitter.record.doubt import doubting

    recording = Recording.open(folder)
    stretch = {key: options.pop(key, None) for key in ("start", "end")}
    with doubting(recording, "exported"):
        clip = plan_clip(recording, fps=options.pop("fps", FPS), **stretch)
        creatures = choose_creatures(recording, options.get("creature"), 0)
        how = {key: options.pop(key, False) for key in ("in_place", "loop")}
        clip, notes = shape_clip(clip, creatures, recording.frame_rate, **how)
    told = animate_rig(recording, rig, output, mapping=mapping, clip=clip, level=lod, **options)
    return replace(told, notes=notes + told.notes)


def measure_own_rig(
    rig: Path, output: Path, *, mapping: Path | None, like: str, length: float | None, as_json: bool
) -> None:
    """A species with the sizes of the user's rig."""
    from skitter.export.own.calibrate import calibrate_species

    found = calibrate_species(rig, output, mapping=mapping, like=like, length=length)
    if as_json:
        print_json({"rig": found.to_dict()})
        return
    segments = found.species.segments
    say(f"measured {rig}: {segments} segments with legs, {found.length:.3g} cm long")
    say(f"wrote {found.file}; name it as the species of a creature in a scene")
    for note in found.notes:
        say(f"  note: {note}")


def report(summary: Summary) -> None:
    """What was written, one line for each creature."""
    count, fps = summary.frames, summary.fps
    frames = f"{count} frame{'s' * (count != 1)} at {fps:g} per second"
    size = summary.file.stat().st_size / 1e6
    say(f"exported {summary.file}: {frames}, {summary.seconds:.4g} s, {size:.3g} MB")
    for creature in summary.creatures:
        say(f"  {describe(creature)}")
    for note in summary.notes:
        say(f"  note: {note}")


def describe(creature: CreatureSummary) -> str:
    """What there is of it; a script has no points, and a scene of POV-Ray no joints."""
    many = creature.joints > MANY_JOINTS
    hint = f" (more than {MANY_JOINTS}: some engines want --lod 1)" if many else ""
    counts = {f"joints{hint}": creature.joints}
    counts |= {"points": creature.points, "triangles": creature.triangles}
    return f"{creature.name}: " + ", ".join(f"{n} {what}" for what, n in counts.items() if n)
