"""The metadata of a recording: `zarr.json` of the folder and of every array (Zarr format 3).

The folder's own file repeats the metadata of all arrays ("consolidated"), with the number of
frames in it. It is the one file that decides which frames exist, and it is replaced as a whole.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import metadata
from platform import python_version
from typing import Any

from skitter.channel import TIME, Channel

FORMAT = 1
CHUNK_FRAMES = 64
ROOT_FILE = "zarr.json"
COUNT_MARK = "@frame_count@"

Document = dict[str, Any]


def build_document(
    channels: Sequence[Channel],
    statics: Sequence[Channel],
    attributes: Mapping[str, Any],
    frame_rate: float,
) -> Document:
    """The content of the folder's `zarr.json`, with no frame in it yet."""
    arrays = {c.name: describe_moving(c) for c in [TIME, *channels]}
    arrays |= {c.name: describe_static(c) for c in statics}
    facts = {**_conventions(), **attributes, "format": FORMAT, "frame_rate": float(frame_rate)}
    return {
        "zarr_format": 3,
        "node_type": "group",
        "attributes": {"skitter": facts},
        "consolidated_metadata": {"kind": "inline", "must_understand": False, "metadata": arrays},
    }


def _conventions() -> Document:
    """Units, axes and versions; the caller's attributes of the same name win."""
    return {
        "units": {"length": "cm", "mass": "g", "time": "s", "angle": "rad"},
        "axes": {"x": "forward", "y": "up", "z": "right", "handedness": "right"},
        "quaternion": ["w", "x", "y", "z"],
        "versions": {"python": python_version(), **_package_versions()},
    }


@cache
def _package_versions() -> dict[str, str]:
    found = {}
    for name in ("skitter", "numpy", "numba"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def describe_moving(channel: Channel) -> Document:
    """Zarr metadata of a channel, with no frame in it yet."""
    dims, shape = ("time", *channel.dims), (0, *channel.shape)
    return _describe_array(channel, dims, shape, (CHUNK_FRAMES, *channel.shape))


def describe_static(channel: Channel) -> Document:
    """Zarr metadata of an array that does not change with time."""
    return _describe_array(channel, channel.dims, channel.shape, channel.shape)


def _describe_array(
    channel: Channel, dims: Sequence[str], shape: Sequence[int], chunk: Sequence[int]
) -> Document:
    """Zarr metadata of an array whose chunk files hold plain little-endian numbers."""
    bytes_codec: Document = {"name": "bytes"}
    if channel.file_dtype.itemsize > 1:
        bytes_codec["configuration"] = {"endian": "little"}
    fill = {"f": "NaN", "b": False}.get(channel.file_dtype.kind, 0)
    grid = {"chunk_shape": [max(1, size) for size in chunk]}
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(shape),
        "data_type": channel.dtype,
        "chunk_grid": {"name": "regular", "configuration": grid},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "."}},
        "fill_value": fill,
        "codecs": [bytes_codec],
        "attributes": {"units": channel.unit, "long_name": channel.about},
        "dimension_names": list(dims),
    }


class CountedText:
    """A JSON document as bytes, ready for any number of frames without encoding it again."""

    def __init__(self, marked_document: Document) -> None:
        text = json.dumps(marked_document, ensure_ascii=False, allow_nan=False)
        self._pieces = text.encode().split(f'"{COUNT_MARK}"'.encode())

    def at(self, frame_count: int) -> bytes:
        """The document of a recording with this many frames."""
        return str(frame_count).encode().join(self._pieces)


def build_root_text(document: Document) -> CountedText:
    """The folder's `zarr.json`."""
    inline = document["consolidated_metadata"]
    marked = {name: _mark_count(array) for name, array in inline["metadata"].items()}
    return CountedText({**document, "consolidated_metadata": {**inline, "metadata": marked}})


def build_array_texts(document: Document) -> dict[str, CountedText]:
    """The `zarr.json` of every array, by name."""
    arrays = document["consolidated_metadata"]["metadata"]
    return {name: CountedText(_mark_count(array)) for name, array in arrays.items()}


def is_moving(array: Document) -> bool:
    """Whether the array has one value per frame."""
    return bool(array["dimension_names"][:1] == ["time"])


def _mark_count(array: Document) -> Document:
    if not is_moving(array):
        return array
    return {**array, "shape": [COUNT_MARK, *array["shape"][1:]]}
