"""A channel of a recording as an array that stays on the disk until it is sliced."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from skitter.channel import Channel
from skitter.errors import UserError
from skitter.record.chunks import read_frame, read_frames


class FrameArray:
    """All frames of one channel, `[frame, …]`; indexing reads only the frames it names."""

    def __init__(self, folder: Path, channel: Channel, frame_count: int) -> None:
        self.channel = channel
        self.dims = ("time", *channel.dims)
        self.shape = (frame_count, *channel.shape)
        self.ndim = len(self.shape)
        self.dtype = np.dtype(channel.dtype)
        self.unit = channel.unit
        self._folder = folder

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[frame] for frame in range(len(self)))

    def __repr__(self) -> str:
        return f"FrameArray({self.channel.name!r}, shape={self.shape}, {self.dtype}, {self.unit!r})"

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """NumPy's conversion: the whole array."""
        return np.asarray(self[:], dtype)

    def __getitem__(self, key: Any) -> Any:
        """Index like a NumPy array; the first index chooses which frames are read."""
        first, *rest = key if isinstance(key, tuple) and key else (key,)
        if isinstance(first, slice):
            return self._read(np.arange(len(self))[first])[(slice(None), *rest)]
        if isinstance(first, int | np.integer) and not isinstance(first, bool):
            return self._read_one(int(first))[tuple(rest)]
        if isinstance(first, list | np.ndarray) and not _is_mask_of_values(first):
            return self._read_chosen(np.arange(len(self))[first], rest)
        return self[:][key]

    def _read_one(self, frame: int) -> NDArray[Any]:
        """One frame; its number may count from the end."""
        if not -len(self) <= frame < len(self):
            raise IndexError(f"frame {frame} of {self.channel.name}, which has {len(self)} frames")
        with self._explained():
            return read_frame(self._folder, self.channel, frame % len(self))

    def _read_chosen(self, frames: NDArray[np.intp], rest: list[Any]) -> Any:
        """Frames named one by one, in any order; each is read once."""
        needed, where = np.unique(frames, return_inverse=True)
        return self._read(needed)[(where.reshape(frames.shape), *rest)]

    def _read(self, frames: NDArray[np.intp]) -> NDArray[Any]:
        with self._explained():
            return read_frames(self._folder, self.channel, frames)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """A file that went missing after the recording was opened is told in one line."""
        try:
            yield
        except OSError as error:
            name, why = self.channel.name, error.strerror
            raise UserError(f"cannot read {name} of {self._folder}: {why}") from error


def _is_mask_of_values(key: Any) -> bool:
    """Whether the key is a mask over more than the frames."""
    return np.ndim(key) > 1 and np.asarray(key).dtype == bool
