"""`skitter render`: a picture or a film of a recording."""

import re
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skitter.console import say
from skitter.errors import UserError
from skitter.progress import Progress

if TYPE_CHECKING:
    from skitter.record import Recording


def render_file(folder: Path, output: Path, *, size: str, **options: Any) -> None:
    """Render to a picture or a film, by the file's ending; options left out are None."""
    from skitter.record import Recording
    from skitter.render.output import FILMS, PICTURES

    check_file(output, (*PICTURES, *FILMS))
    is_film = output.suffix.lower() in FILMS
    unused = ["time"] if is_film else ["fps", "start", "end"]
    given = {name: value for name, value in options.items() if value is not None}
    for name in unused:
        if name in given:
            raise UserError(f"--{name} does not apply to {output.suffix} files; valid: without it")
    given["size"] = parse_size(size)
    recording = Recording.open(folder)
    if recording.frame_count == 0:
        raise UserError(f"{folder}: holds no frame yet; valid: a recording with frames")
    draw_film(recording, output, **given) if is_film else draw_picture(recording, output, **given)
    say(f"rendered {output}")


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


def draw_film(recording: "Recording", output: Path, **options: Any) -> None:
    """Render a film with its progress shown."""
    from skitter.render import render_video

    progress = Progress()
    with closing(progress):
        render_video(recording, output, progress=progress.count, **options)
