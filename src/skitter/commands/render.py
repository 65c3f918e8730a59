"""`skitter render`: a picture, a film or a gait panel of a recording."""

import re
from collections.abc import Callable
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skitter.console import say
from skitter.errors import UserError
from skitter.progress import Progress

if TYPE_CHECKING:
    from skitter.record import Recording


USUAL_SIZE = "1280x720"
UNUSED = {  # options that a kind of file cannot use
    "film": ("time",),
    "picture": ("fps", "start", "end"),
    "gait": ("fps", "start", "end", "supersample", "panel", "camera"),
}
OF_POVRAY = ("panel", "seconds", "creature")  # that it cannot use
OF_PANELS = ("seconds", "creature")


def render_file(
    folder: Path,
    output: Path,
    *,
    size: str | None,
    gait: bool = False,
    povray: bool = False,
    **options: Any,
) -> None:
    """Render to a picture or a film, by the file's ending; options left out are None."""
    from skitter.record import Recording
    from skitter.record.doubt import doubting

    given = {name: value for name, value in options.items() if value is not None}
    if povray:
        check_povray(given, gait=gait)
    kind, draw = choose_kind(output, gait=gait, povray=povray)
    check_options(kind, output, given)
    if size is not None or not gait:  # a gait panel can be as high as its legs need
        given["size"] = parse_size(size or USUAL_SIZE)
    recording = Recording.open(folder)
    if recording.frame_count == 0:
        raise UserError(f"{folder}: holds no frame yet; valid: a recording with frames")
    with doubting(recording, "rendered"):
        draw(recording, output, **given)
    say(f"rendered {output}")


def choose_kind(output: Path, *, gait: bool, povray: bool) -> tuple[str, Callable[..., None]]:
    """What a file will be, and what draws it; refuses one that cannot be made."""
    from skitter.render.output import FILMS, PICTURES

    if gait:
        check_output_file(output, PICTURES)
        return "gait", draw_gait
    check = check_output_file if povray else check_file
    check(output, (*PICTURES, *FILMS))
    if output.suffix.lower() in FILMS:
        return "film", trace_film if povray else draw_film
    return "picture", trace_picture if povray else draw_picture


def check_options(kind: str, output: Path, given: dict[str, Any]) -> None:
    """Refuse an option that would do nothing."""
    where = "gait panels" if kind == "gait" else f"{output.suffix} files"
    for name in UNUSED[kind]:
        if name in given:
            raise UserError(f"--{name} does not apply to {where}; valid: without it")
    for name in OF_PANELS:
        if name in given and kind != "gait" and "panel" not in given:
            raise UserError(f"--{name} is of gait panels; valid: with --gait or --panel")


def check_povray(given: dict[str, Any], *, gait: bool) -> None:
    """Refuse what POV-Ray cannot draw, or all if it is not there."""
    from skitter.export.pov.trace import find_povray

    for name in ("gait",) if gait else OF_POVRAY:
        if gait or name in given:
            raise UserError(f"--{name} does not apply to --povray; valid: without one of them")
    find_povray()


def check_output_file(path: Path, suffixes: tuple[str, ...]) -> None:
    """Refuse a picture that cannot be written, before any work is done."""

    from skitter.render.output import INSTALL, check_output

    check_output(path, suffixes)
    if find_spec("PIL") is None:
        raise UserError(f"{path}: pictures need pillow; valid: {INSTALL}")


def check_file(path: Path, suffixes: tuple[str, ...]) -> None:
    """Refuse a file that cannot be made, before any work is done."""
    from skitter.render.output import INSTALL, check_output

    check_output(path, suffixes)
    if find_spec("vtkmodules") is None:
        raise UserError(f"{path}: pictures and films need vtk; valid: {INSTALL}")


def parse_size(given: str) -> tuple[int, int]:
    """`1280x720` as width and height in pixels."""
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", given, re.ASCII)
    if match is None:
        raise UserError(f"--size {given}: is not understood; valid: WIDTHxHEIGHT, as 1280x720")
    return int(match[1]), int(match[2])


def draw_picture(recording: "Recording", output: Path, **options: Any) -> None:
    from skitter.render import render_picture

    render_picture(recording, output, **options)


def draw_gait(recording: "Recording", output: Path, **options: Any) -> None:
    from skitter.render.gait import render_gait

    render_gait(recording, output, **options)


def draw_film(recording: "Recording", output: Path, **options: Any) -> None:
    """Render a film with its progress shown."""
    from skitter.render import render_video

    progress = Progress()
    with closing(progress):
        render_video(recording, output, progress=progress.count, **options)


def trace_picture(recording: "Recording", output: Path, **options: Any) -> None:
    """Trace a picture with its progress shown."""
    from skitter.export.pov.trace import trace_picture as trace

    progress = Progress(what="%")
    with closing(progress):
        progress.start(0, 100, 1.0)
        trace(recording, output, progress=lambda done, _: progress.update(done), **options)


def trace_film(recording: "Recording", output: Path, **options: Any) -> None:
    """Trace a film with its progress shown."""
    from skitter.export.pov.trace import trace_film as trace

    progress = Progress()
    with closing(progress):
        trace(recording, output, progress=progress.count, **options)
