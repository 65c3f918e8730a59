"""Reading a recording: what measures, pictures and exports see of a run."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from skitter.channel import TIME, Static
from skitter.errors import UserError
from skitter.record.chunks import check_chunks, read_static
from skitter.record.frames import FrameArray
from skitter.record.layout import Layout, read_layout

if TYPE_CHECKING:
    import xarray

TIME_SPAN = 100  # as many times as long as its frames may a recording say that it is
TIME_LIMIT = 1e9  # s


class Recording:
    """A recording as it was when it was opened; frames appended later are not seen.

    Frames are read from the chunk files directly: a fraction of a millisecond each, without the
    second that importing zarr and xarray takes.
    """

    def __init__(self, folder: Path, layout: Layout) -> None:
        self.path = folder
        self.is_temporary = False  # the folder goes when this object does
        self.attributes = layout.attributes
        self.frame_count = layout.frame_count
        self.channels = layout.channels
        self._statics = {static.name: static for static in layout.statics}
        self._arrays = {
            channel.name: FrameArray(folder, channel, layout.frame_count)
            for channel in [TIME, *layout.channels]
        }

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Open a recording, also one that is still being written or whose run was killed."""
        folder = Path(path).absolute()
        layout = read_layout(folder)
        check_chunks(folder, layout)
        return cls(folder, layout)

    def __repr__(self) -> str:
        return f"Recording({str(self.path)!r}, {self.frame_count} frames)"

    def __len__(self) -> int:
        return self.frame_count

    def __contains__(self, name: object) -> bool:
        return name in self._arrays

    def __getitem__(self, name: str) -> FrameArray:
        """A channel, or `time`, over all frames; nothing is read until it is sliced."""
        if name not in self._arrays:
            raise _unknown("channel", name, self._arrays)
        return self._arrays[name]

    @cached_property
    def time(self) -> NDArray[np.float64]:
        """Simulated time of every frame, in seconds."""
        time = np.asarray(self._arrays[TIME.name][:], np.float64)
        latest = time[:1] + TIME_SPAN * max(len(time), 1) / self.frame_rate
        is_sound = np.isfinite(time) & (np.diff(time, prepend=-np.inf) >= 0)
        is_sound &= np.abs(time) < TIME_LIMIT
        if not (is_sound & (time <= latest)).all():
            first = int(np.argmin(is_sound & (time <= latest)))
            raise UserError(
                f"the recording {self.path} is damaged: the time of frame {first} is"
                f" {time[first]:g}; valid: times that never go back, and fit the frame rate"
            )
        return time

    @property
    def frame_rate(self) -> float:
        """Frames per simulated second."""
        return float(self.attributes["frame_rate"])

    @property
    def seed(self) -> int:
        """The seed of the run."""
        return int(self.attributes.get("seed", 0))

    @property
    def scene(self) -> dict[str, Any]:
        """The scene that was run, complete enough to run it again."""
        return dict(self.attributes.get("scene", {}))

    @property
    def creatures(self) -> list[dict[str, Any]]:
        """Name, species, kind and look of every creature."""
        return list(self.attributes.get("creatures", []))

    @property
    def statics(self) -> list[Static]:
        """All arrays that do not change with time."""
        return [
            Static(s.name, s.dims, read_static(self.path, s), s.unit, s.about)
            for s in self._statics.values()
        ]

    def static(self, name: str) -> NDArray[Any]:
        """The values of an array that does not change with time."""
        if name not in self._statics:
            raise _unknown("static", name, self._statics)
        return read_static(self.path, self._statics[name])

    def has_static(self, name: str) -> bool:
        """Whether there is such an array."""
        return name in self._statics

    def frame(self, index: int) -> dict[str, NDArray[Any]]:
        """The value of every channel at one frame, by name, as the running world gives it."""
        return {channel.name: self._arrays[channel.name][index] for channel in self.channels}

    def dataset(self) -> "xarray.Dataset":
        """Everything as an xarray.Dataset with units, loaded when used (at once if temporary)."""
        try:
            import xarray
            import zarr  # noqa: F401
        except ImportError as error:
            raise UserError(
                f"a dataset needs {error.name}, which is not installed:"
                " pip install 'skitter[tables]'"
            ) from error
        opened: xarray.Dataset = xarray.open_zarr(self.path, chunks=None, consolidated=True)
        finished = opened.isel(time=slice(self.frame_count))
        return finished.load() if self.is_temporary else finished


def _unknown(what: str, name: object, valid: dict[str, Any]) -> UserError:
    names = ", ".join(valid) or "none"
    return UserError(f"the recording has no {what} {name!r}; it has: {names}")
