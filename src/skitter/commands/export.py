"""`skitter export`: a recording as a file of another program."""

from contextlib import closing
from pathlib import Path
from typing import Any

from skitter.console import print_json, say
from skitter.errors import UserError
from skitter.export.summary import CreatureSummary, Summary
from skitter.progress import Progress

MANY_JOINTS = 256  # above which Unreal wants 16-bit indices


def export_file(
    folder: Path,
    output: Path,
    *,
    rig: Path | None,
    mapping: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Write the file, and say what is in it."""
    from skitter.export.write import SUFFIXES, export_recording
    from skitter.record import Recording
    from skitter.render.output import check_output

    if rig is None:
        check_output(output, SUFFIXES)
    if mapping is not None and rig is None:
        raise UserError("--map: is of a rig of your own; valid: with --rig")
    recording = Recording.open(folder)
    given = {name: value for name, value in options.items() if value is not None}
    progress = Progress()
    with closing(progress):
        write = export_recording
        summary = write(recording, output, progress=progress.count, **given)
    if as_json:
        print_json({"export": summary.to_dict()})
    else:
        report(summary)


def report(summary: Summary) -> None:
    """What was written, one line for each creature."""
    count, fps = summary.frames, summary.fps
    frames = f"{count} frame{'s' * (count != 1)} at {fps:g} per second"
    say(f"exported {summary.file}: {frames}, {summary.seconds:.4g} s")
    for creature in summary.creatures:
        say(f"  {describe(creature)}")
    for note in summary.notes:
        say(f"  note: {note}")


def describe(creature: CreatureSummary) -> str:
    many = creature.joints > MANY_JOINTS
    hint = f" (more than {MANY_JOINTS}: some engines want --lod 1)" if many else ""
    sizes = f"{creature.points} points, {creature.triangles} triangles"
    return f"{creature.name}: {creature.joints} joints{hint}, {sizes}"
