"""Pictures and films by POV-Ray: a recording is exported to a folder that goes away again."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from skitter.errors import SkitterError, UserError
from skitter.export.pov.write import export_moment, export_povray
from skitter.look.creature import build_creatures
from skitter.look.shots import choose_moment
from skitter.render.output import FILMS, PICTURES, Image, check_output, filming, write_picture
from skitter.render.pictures import Progress, check_film, check_size
from skitter.render.plan import Size

INSTALL = (
    "on Debian and Ubuntu: apt install povray; on a Mac: brew install povray;"
    " elsewhere: povray.org/download"
)
SCENE, PICTURE = "scene.pov", "picture.png"
DONE = re.compile(rb"Rendered \d+ of \d+ pixels \((\d+)%\)")
KEPT = 20_000  # bytes of what POV-Ray says; its complaints come last
PICTURE_TRIANGLES = 120_000  # of the skins; a single picture may be finer than a film


def find_povray() -> str:
    """Where the program is."""
    found = shutil.which("povray")
    if found is None:
        raise UserError(f"--povray needs POV-Ray, which is not installed; {INSTALL}")
    return found


def trace_picture(
    recording: Any,
    path: str | Path,
    *,
    size: Size = (1280, 720),
    time: float | None = None,
    supersample: int = 2,
    progress: Progress | None = None,
    **view: Any,
) -> None:
    """Writes a .png or .jpg of one moment, s, as `render_picture` does; `view` is the camera.

    Its progress is in percent.
    """
    path = Path(path)
    check_output(path, PICTURES)
    check_size(size, 1)
    program = find_povray()
    moment = choose_moment(build_creatures(recording)) if time is None else time
    with scratch_folder() as folder:
        view |= {"size": size, "triangles": PICTURE_TRIANGLES}
        export_moment(recording, folder / SCENE, time=moment, **view)
        image = trace(program, folder, size, supersample, frame=0, frames=1, progress=progress)
        write_picture(path, image)


def trace_film(
    recording: Any,
    path: str | Path,
    *,
    size: Size = (1280, 720),
    fps: float = 30,
    supersample: int = 1,
    progress: Progress | None = None,
    **view: Any,
) -> None:
    """Writes an .mp4 or .gif, as `render_video` does; `view` is start, end and camera."""
    path = Path(path)
    check_output(path, FILMS)
    check_size(size, 1)
    check_film(path, size)
    program = find_povray()
    with scratch_folder() as folder:
        _, _, written = export_povray(recording, folder / SCENE, size=size, fps=fps, **view)
        frames = len(list(written.glob("frame_*.inc")))
        with filming(path, size, fps) as film:
            for frame in range(frames):
                film.add(trace(program, folder, size, supersample, frame=frame, frames=frames))
                if progress is not None:
                    progress(frame + 1, frames)


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="skitter-") as name:
        yield Path(name)


def trace(
    program: str,
    folder: Path,
    size: Size,
    supersample: int,
    *,
    frame: int,
    frames: int,
    progress: Progress | None = None,
) -> Image:
    """The image of one frame of the scene in a folder."""
    command = [program, SCENE, f"+W{size[0]}", f"+H{size[1]}", "-D"]
    command += [f"+A{0.2 / supersample:.3g}", "+AM1", f"+R{max(supersample, 2)}"]
    command += ["+KFI0", f"+KFF{frames - 1}", f"+SF{frame}", f"+EF{frame}", "+FN8", f"+O{PICTURE}"]
    code, words = run_povray(command, folder, progress)
    drawn = sorted(folder.glob(f"{Path(PICTURE).stem}*.png"))
    if code != 0 or len(drawn) != 1:
        raise SkitterError(f"POV-Ray could not draw frame {frame}: {find_complaint(words)}")
    image = read_image(drawn[0])
    drawn[0].unlink()
    return image


def run_povray(
    command: list[str], folder: Path, progress: Progress | None = None
) -> tuple[int, str]:
    """How it ended, and the last of what it said; meanwhile it says how far it is."""
    said = b""
    with subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stderr is not None
        try:
            while piece := process.stderr.read1(4096):  # type: ignore[attr-defined]
                said = (said + piece)[-KEPT:]
                if progress is not None and (share := find_share(said)) > 0:
                    progress(share, 100)
        except BaseException:
            process.kill()
            raise
        return process.wait(), said.decode(errors="replace")


def find_share(said: bytes) -> int:
    """Percent of the picture that is done, by the last words about it."""
    found = DONE.findall(said)
    return int(found[-1]) if found else 0


def find_complaint(words: str) -> str:
    """The line of POV-Ray's output that says what went wrong."""
    lines = [line.strip() for line in re.split(r"[\r\n]+", words) if line.strip()]
    return next((line for line in lines if "Error" in line), lines[-1] if lines else "?")


def read_image(path: Path) -> Image:
    from PIL import Image as Pillow

    with Pillow.open(path) as picture:
        return np.asarray(picture.convert("RGB"))
