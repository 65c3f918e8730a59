"""What a recording holds: channels, with one value per frame, and statics, with one for all."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

DTYPES = (
    "bool",
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64"),
)
# A name is also a folder's name; zarr keeps those that begin with "__" for itself.
NAME_PATTERN = re.compile(r"(?!__)[A-Za-z0-9_][A-Za-z0-9_.\-]*")
SIZE_LIMIT = 1 << 26  # bytes of one frame of a channel, or of an array that does not change
TAKEN_NAMES = ("time", "zarr.json", "zarr.json.tmp", "checkpoint.npz", "checkpoint.npz.tmp")


@dataclass(frozen=True)
class Channel:
    """One array per frame: `shape` and `dims` are those of a single frame, without time."""

    name: str
    dims: tuple[str, ...]
    shape: tuple[int, ...]
    dtype: str
    unit: str
    about: str = ""

    def __post_init__(self) -> None:
        """Bring the fields into one form, so that a channel read back equals the one written."""
        object.__setattr__(self, "dims", tuple(self.dims))
        object.__setattr__(self, "shape", tuple(int(size) for size in self.shape))
        object.__setattr__(self, "dtype", np.dtype(self.dtype).name)

    @property
    def file_dtype(self) -> np.dtype[np.generic]:
        """The type as it lies in a file: little endian on every machine."""
        return np.dtype(self.dtype).newbyteorder("<")

    @property
    def frame_items(self) -> int:
        """How many numbers one frame has."""
        return prod(self.shape)  # of Python's numbers, which do not overflow

    @property
    def frame_bytes(self) -> int:
        """How many bytes one frame takes in a chunk file."""
        return self.frame_items * np.dtype(self.dtype).itemsize


@dataclass(frozen=True, eq=False)
class Static:
    """An array that does not change with time, such as masses or the triangles of a surface."""

    name: str
    dims: tuple[str, ...]
    values: NDArray[np.generic]
    unit: str
    about: str = ""

    @property
    def channel(self) -> Channel:
        """The same description without the values."""
        values = np.asarray(self.values)
        return Channel(self.name, self.dims, values.shape, values.dtype.name, self.unit, self.about)


class Recorded(Protocol):
    """What recordings and checkpoints ask of all in a world: creatures, things, water."""

    def list_channels(self) -> list[Channel]:
        """The arrays that each frame adds to a recording."""

    def list_statics(self) -> list[Static]:
        """What a recording keeps once."""

    def read(self) -> dict[str, np.ndarray]:
        """The present values of all channels."""

    def state(self) -> dict[str, np.ndarray]:
        """Everything that changes, as copies: enough to go on from there to the last bit."""

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go back to such a state."""


TIME = Channel("time", (), (), "float64", "s", "simulated time of the frame")


def check_channels(channels: Sequence[Channel], statics: Sequence[Channel]) -> None:
    """Refuse, with ValueError, what could be written but would not open in xarray afterwards."""
    arrays = [*channels, *statics]
    for array in arrays:
        _check_channel(array)
    names = Counter(array.name for array in arrays)
    if repeated := sorted(name for name, uses in names.items() if uses > 1):
        raise ValueError(f"array names used more than once: {', '.join(repeated)}")
    _check_dims(arrays, {array.name for array in channels})


def _check_channel(array: Channel) -> None:
    if not NAME_PATTERN.fullmatch(array.name) or array.name in TAKEN_NAMES:
        raise ValueError(f"{array.name!r} cannot name an array of a recording")
    if array.dtype not in DTYPES:
        raise ValueError(f"{array.name}: dtype {array.dtype}; valid are {', '.join(DTYPES)}")
    if len(array.dims) != len(array.shape):
        raise ValueError(f"{array.name}: dims {array.dims} do not fit shape {array.shape}")
    if array.frame_bytes > SIZE_LIMIT:
        size = f"{array.frame_bytes:,} bytes at a time"
        raise ValueError(f"{array.name} has {size}; valid: at most {SIZE_LIMIT:,}")
    if len(set(array.dims)) < len(array.dims) or "time" in array.dims:
        raise ValueError(f"{array.name}: dims {array.dims} must be distinct and not 'time'")


def _check_dims(arrays: Iterable[Channel], moving: set[str]) -> None:
    """One size per dimension name; an array named like a dimension must be its coordinate."""
    sizes: dict[str, int] = {}
    coordinates = {array.name: array.dims for array in arrays}
    for array in arrays:
        for dim, size in zip(array.dims, array.shape, strict=True):
            if sizes.setdefault(dim, size) != size:
                raise ValueError(f"{array.name}: {dim} is {size} here and {sizes[dim]} elsewhere")
            if coordinates.get(dim, (dim,)) != (dim,) or dim in moving:
                raise ValueError(f"{dim!r} is a dimension of {array.name} and another array's name")
