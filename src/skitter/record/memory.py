"""The last seconds of a running world, with the face of a recording.

What shows or measures a recording can so be used on a world that runs.
"""

import threading
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.channel import Channel, Static

Moment = tuple[float, Mapping[str, NDArray[Any]]]  # a time, and the values of all channels then


class MemoryArray:
    """One channel over some frames; a slice of it is an array, an index one frame's values."""

    def __init__(self, name: str, moments: Sequence[Moment]) -> None:
        self._name, self._moments = name, moments
        first = np.asarray(moments[0][1][name]) if moments else np.zeros(0)
        self.shape = (len(moments), *first.shape)

    def __len__(self) -> int:
        return len(self._moments)

    def __getitem__(self, key: int | slice | tuple[Any, ...]) -> NDArray[Any]:
        if isinstance(key, tuple):
            within = key[1:] if isinstance(key[0], int) else (slice(None), *key[1:])
            return self[key[0]][within]
        if isinstance(key, slice):
            chosen = [values[self._name] for _, values in self._moments[key]]
            return np.array(chosen) if chosen else np.zeros((0, *self.shape[1:]))
        return np.asarray(self._moments[key][1][self._name])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(self[:], dtype)


class MemoryRecording:
    """Some frames of a world, complete in memory."""

    def __init__(
        self,
        attributes: Mapping[str, Any],
        channels: Sequence[Channel],
        statics: Mapping[str, Static],
        moments: Sequence[Moment],
    ) -> None:
        self.attributes, self.channels = attributes, list(channels)
        self.frame_count = len(moments)
        self._statics, self._moments = statics, moments
        self._names = {channel.name for channel in channels}
        self.time = np.array([time for time, _ in moments])

    def __len__(self) -> int:
        return self.frame_count

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __getitem__(self, name: str) -> MemoryArray:
        if name not in self._names:
            raise KeyError(name)
        return MemoryArray(name, self._moments)

    @property
    def scene(self) -> dict[str, Any]:
        return dict(self.attributes["scene"])

    @property
    def creatures(self) -> list[dict[str, Any]]:
        return list(self.attributes["creatures"])

    def static(self, name: str) -> NDArray[Any]:
        return np.asarray(self._statics[name].values)

    def has_static(self, name: str) -> bool:
        return name in self._statics

    def frame(self, index: int) -> Mapping[str, NDArray[Any]]:
        """The value of every channel at one frame."""
        return self._moments[index][1]


class FrameWindow:
    """Keeps the last frames of a world; one thread may append while others take snapshots."""

    def __init__(
        self,
        attributes: Mapping[str, Any],
        channels: Sequence[Channel],
        statics: Sequence[Static],
        *,
        limit: int,
    ) -> None:
        self.attributes, self._channels = attributes, list(channels)
        self._statics = {static.name: static for static in statics}
        self._moments: deque[Moment] = deque(maxlen=limit)
        self._lock = threading.Lock()

    def append(self, time: float, values: Mapping[str, Any]) -> None:
        """Adds a frame, or replaces the last if it is of the same time; the values are copied."""
        copied = {name: np.array(one) for name, one in values.items()}
        with self._lock:
            if self._moments and self._moments[-1][0] == time:
                self._moments.pop()
            self._moments.append((time, copied))

    def snapshot(self, last: int | None = None) -> MemoryRecording:
        """The frames as they are now, or only the last so many."""
        with self._lock:
            moments = list(self._moments) if last is None else list(self._moments)[-last:]
        return MemoryRecording(self.attributes, self._channels, self._statics, moments)
