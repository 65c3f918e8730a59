"""Files: nothing half-written ever bears the name that was asked for."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from skitter.errors import SkitterError, UserError

Image = NDArray[np.uint8]  # [row, column, 3]
PICTURES = (".png", ".jpg", ".jpeg")
FILMS = (".mp4", ".gif")
INSTALL = "pip install 'skitter[render]'"


def check_output(path: Path, suffixes: tuple[str, ...]) -> None:
    """Refuses a file that cannot be made before any work is done."""
    if path.suffix.lower() not in suffixes:
        raise UserError(f"{path}: must end in {' or '.join(suffixes)}")
    if path.is_dir():
        raise UserError(f"{path}: is a directory; valid: a file")
    if not path.absolute().parent.is_dir():
        raise UserError(f"{path}: its directory does not exist")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A name to write to; what is there takes the place of `path` only when all went well."""
    draft = path.with_name(f".{path.stem}.{os.getpid()}{path.suffix.lower()}")
    try:
        yield draft
        draft.replace(path)
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def write_picture(path: Path, image: Image) -> None:
    """A .png or .jpg file."""
    try:
        from PIL import Image as Pillow
    except ImportError as error:
        raise UserError(f"pictures need pillow, which is not installed: {INSTALL}") from error
    picture = Pillow.fromarray(image)
    with replacing(path) as draft:
        if path.suffix.lower() == ".png":
            picture.save(draft, compress_level=6)
        else:
            picture.save(draft, quality=95, subsampling=0)


class Film:
    """A film that grows by one image at a time, encoded in a process of its own."""

    def __init__(self, path: Path, size: tuple[int, int], fps: float) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  closed by abandon
        source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}"]
        command = [_find_ffmpeg(), "-y", "-loglevel", "error", *source, "-r", f"{fps:g}"]
        command += ["-i", "-", *_encoding(path.suffix.lower()), str(path)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self._errors
        )

    def add(self, image: Image) -> None:
        """Appends an image."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(np.ascontiguousarray(image).data)
        except BrokenPipeError:
            self.finish()

    def finish(self) -> None:
        """Waits for the encoder and asks how it went."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        if self._process.wait() != 0:
            self._errors.seek(0)
            lines = self._errors.read().decode(errors="replace").strip().splitlines()
            raise SkitterError(f"the film could not be encoded: {lines[-1] if lines else '?'}")

    def abandon(self) -> None:
        """Ends the encoder, if it still runs, and forgets the film."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._errors.close()


def _encoding(suffix: str) -> list[str]:
    if suffix == ".gif":
        palette = "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=sierra2_4a"
        return ["-filter_complex", palette, "-f", "gif"]
    # BT.709, said and meant: otherwise players guess, and amber turns to orange
    colours = [f"-{key}" for key in ("colorspace", "color_primaries", "color_trc")]
    return [
        *("-vf", "scale=out_color_matrix=bt709:out_range=tv", "-pix_fmt", "yuv420p"),
        *(part for key in colours for part in (key, "bt709")),
        *("-c:v", "libx264", "-preset", "medium", "-crf", "17"),
        *("-movflags", "+faststart", "-f", "mp4"),
    ]


def _find_ffmpeg() -> str:
    try:
        from imageio_ffmpeg import get_ffmpeg_exe
    except ImportError as error:
        raise UserError(f"films need imageio-ffmpeg, which is not installed: {INSTALL}") from error
    try:
        return str(get_ffmpeg_exe())
    except RuntimeError as error:
        raise UserError(f"films need ffmpeg, and none was found; {INSTALL}") from error


@contextmanager
def filming(path: Path, size: tuple[int, int], fps: float) -> Iterator[Film]:
    """A film that is there when all went well, and leaves no trace otherwise."""
    with replacing(path) as draft:
        film = Film(draft, size, fps)
        try:
            yield film
            film.finish()
        finally:
            film.abandon()
