"""Chunk files: the plain numbers of 64 frames of one array, written and read in place.

A chunk has its full size from the moment it exists, because Zarr expects that; the part that
is not written yet is a hole in the file. Frame i of an array lies in chunk i // 64 at row i % 64.
"""

import os
import re
from collections.abc import Iterator
from io import FileIO
from itertools import pairwise
from pathlib import Path
from stat import S_ISREG

import numpy as np
from numpy.typing import NDArray

from skitter.channel import TIME, Channel, Static
from skitter.errors import UserError
from skitter.record.files import (
    discard_file,
    is_own_file,
    open_in_place,
    read_whole,
    resize_file,
    write_whole,
)
from skitter.record.layout import Layout
from skitter.record.metadata import CHUNK_FRAMES

Values = NDArray[np.generic]
HOLES_LIMIT = 1 << 25  # bytes that may be read without a look at what is written
ZEROED_BYTES = 1 << 22  # that are looked at together
HOLES_SHARE = 1 / 128  # of a chunk; half of what one frame is


def chunk_name(channel: Channel, chunk: int) -> str:
    """A channel's chunk within the recording: Zarr's default chunk key encoding with dots."""
    return f"{channel.name}/c.{chunk}{'.0' * len(channel.dims)}"


def static_name(static: Channel) -> str:
    """The only chunk of an array that does not change."""
    return f"{static.name}/c{'.0' * len(static.dims)}"


def list_chunks(folder: Path, channel: Channel) -> list[tuple[int, Path]]:
    """Numbers and paths of all chunk files that a channel has; nothing else in its folder."""
    pattern = re.compile(rf"c\.([0-9]{{1,18}}){re.escape('.0' * len(channel.dims))}")
    array = folder / channel.name
    found = [(pattern.fullmatch(path.name), path) for path in array.iterdir() if is_own_file(path)]
    return [(int(match[1]), path) for match, path in found if match]


def write_static(folder: Path, static: Static) -> None:
    """Write the values of an array that does not change."""
    channel = static.channel
    values = np.ascontiguousarray(static.values, channel.file_dtype)
    if values.size:
        with open_in_place(folder / static_name(channel)) as file:
            resize_file(file, values.nbytes)
            write_whole(file, values.reshape(-1).view(np.uint8))


def read_static(folder: Path, static: Channel) -> Values:
    """Read the values of an array that does not change."""
    return read_numbers(f"{folder}/{static_name(static)}", static, (), 0)


def read_frame(folder: Path, channel: Channel, frame: int) -> Values:
    """One frame of a channel."""
    chunk, row = divmod(frame, CHUNK_FRAMES)
    return read_numbers(f"{folder}/{chunk_name(channel, chunk)}", channel, (), row)


def read_frames(folder: Path, channel: Channel, frames: NDArray[np.intp]) -> Values:
    """The given frames of a channel, in the given order; reads no chunk that is not needed."""
    check_filled(folder, channel, frames)
    out = np.empty((len(frames), *channel.shape), channel.dtype)
    chunks = frames // CHUNK_FRAMES
    edges = np.flatnonzero(np.diff(chunks, prepend=-1, append=-1)) if out.size else ()
    for start, stop in pairwise(edges):
        rows = frames[start:stop] % CHUNK_FRAMES
        first, last = int(rows.min()), int(rows.max())
        path = f"{folder}/{chunk_name(channel, int(chunks[start]))}"
        out[start:stop] = read_numbers(path, channel, (last + 1 - first,), first)[rows - first]
    return out


def read_numbers(path: str, channel: Channel, count: tuple[int, ...], row: int) -> Values:
    """`count` frames, `()` being one without an axis of its own, from a row of a chunk on."""
    out = np.empty((*count, *channel.shape), channel.file_dtype)
    if out.size:
        with FileIO(path) as file:
            file.seek(row * channel.frame_bytes)
            read_whole(file, out.reshape(-1).view(np.uint8))
    return out.astype(channel.dtype, copy=False)


def check_filled(folder: Path, channel: Channel, frames: NDArray[np.intp]) -> None:
    """Refuse to fill much memory from files that are nearly all holes, as no run leaves them."""
    size = len(frames) * channel.frame_bytes
    if size <= HOLES_LIMIT:
        return
    chunks = np.unique(frames // CHUNK_FRAMES)
    paths = [folder / chunk_name(channel, int(chunk)) for chunk in chunks]
    filled = sum(512 * getattr(path.stat(), "st_blocks", size) for path in paths)
    if filled < HOLES_SHARE * size:
        raise UserError(
            f"the recording {folder} is damaged: {channel.name} would take {size:,} bytes, and"
            f" {filled:,} are written"
        )


def check_chunks(folder: Path, layout: Layout) -> None:
    """Refuse a recording in which a chunk file is missing, is a link or has the wrong size."""
    damaged = f"the recording {folder} is damaged"
    for array in [TIME, *layout.channels, *layout.statics]:
        if (folder / array.name).is_symlink():
            raise UserError(f"{damaged}: {array.name} is a link; valid: a folder of its own")
    for name, expected in _expected_sizes(layout):
        try:
            found = (folder / name).lstat()
        except OSError:
            raise UserError(f"{damaged}: {name} is missing") from None
        if not S_ISREG(found.st_mode):
            raise UserError(f"{damaged}: {name} is not a regular file")
        if found.st_size != expected:
            raise UserError(f"{damaged}: {name} has {found.st_size} bytes instead of {expected}")


def _expected_sizes(layout: Layout) -> Iterator[tuple[str, int]]:
    for static in layout.statics:
        if static.frame_bytes:
            yield static_name(static), static.frame_bytes
    chunk_count = -(-layout.frame_count // CHUNK_FRAMES)
    for channel in [TIME, *layout.channels]:
        size = CHUNK_FRAMES * channel.frame_bytes
        for chunk in range(chunk_count if size else 0):
            yield chunk_name(channel, chunk), size


class Track:
    """The writing side of one channel: puts frames into its chunk files."""

    def __init__(self, folder: Path, channel: Channel, *, keep_open: bool) -> None:
        self.channel = channel
        self._folder = folder
        self._dtype = channel.file_dtype
        self._chunk_bytes = CHUNK_FRAMES * channel.frame_bytes
        self._keep_open = keep_open
        self._chunk = -1
        self._file: FileIO | None = None

    def pack(self, values: object) -> Values:
        """The values of one frame as they go into the file."""
        packed = np.asarray(values)
        if packed.shape != self.channel.shape:
            name, shape = self.channel.name, self.channel.shape
            raise ValueError(f"{name} has shape {packed.shape} in this frame instead of {shape}")
        packed = packed.astype(self._dtype, order="C", casting="same_kind", copy=False)
        return packed.reshape(-1).view(np.uint8)

    def write(self, frame: int, packed: Values) -> None:
        """Put a packed frame in its place."""
        if packed.size:
            chunk, row = divmod(frame, CHUNK_FRAMES)
            file = self._open_chunk(chunk)
            file.seek(row * packed.size)
            write_whole(file, packed)
            if not self._keep_open:
                self.close()

    def holds(self, frame: int, packed: Values) -> bool:
        """Whether the files have exactly these bytes for the frame."""
        chunk, row = divmod(frame, CHUNK_FRAMES)
        found = read_numbers(self._path(chunk), self.channel, (), row)
        return found.astype(self._dtype, copy=False).tobytes() == packed.tobytes()

    def clear_from(self, frame_count: int) -> None:
        """Make the files what they are if only `frame_count` frames were ever written."""
        self.close()
        chunk, row = divmod(frame_count, CHUNK_FRAMES)
        if row and self.channel.frame_bytes:
            self._zero_rows(chunk, row)
        for number, path in list_chunks(self._folder, self.channel):
            if number >= chunk + (row > 0):
                discard_file(path)

    def close(self) -> None:
        """Let go of the open chunk file."""
        if self._file is not None:
            self._file.close()
        self._file, self._chunk = None, -1

    def _zero_rows(self, chunk: int, row: int) -> None:
        """Zero what lies behind the last frame, without filling holes that read as zeros."""
        step = max(1, ZEROED_BYTES // self.channel.frame_bytes)
        for start in range(row, CHUNK_FRAMES, step):
            count = min(step, CHUNK_FRAMES - start)
            tail = read_numbers(self._path(chunk), self.channel, (count,), start)
            if tail.reshape(-1).view(np.uint8).any():
                with open_in_place(self._path(chunk)) as file:
                    file.seek(start * self.channel.frame_bytes)
                    write_whole(file, bytes(tail.nbytes))

    def _open_chunk(self, chunk: int) -> FileIO:
        """The chunk's file, made at full size if it is new."""
        if self._file is None or self._chunk != chunk:
            self.close()
            path = self._path(chunk)
            self._file, self._chunk = open_in_place(path), chunk
            if os.fstat(self._file.fileno()).st_size != self._chunk_bytes:
                resize_file(self._file, self._chunk_bytes)
        return self._file

    def _path(self, chunk: int) -> str:
        return f"{self._folder}/{chunk_name(self.channel, chunk)}"
