"""glTF 2.0 files: reading them whole, adding to them, and writing them.

A document stays the dictionary that it is in the file, so that what we do not know of (extensions,
extras, materials) survives. Numbers go to a scratch file until the end: an animation of many
minutes need not lie in memory.
"""

import base64
import binascii
import json
import re
import shutil
import stat
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NoReturn
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from skitter.errors import UserError

Floats = NDArray[np.floating]
Document = dict[str, Any]
MAGIC, VERSION = b"glTF", 2
LARGEST = 2**32 - 1  # bytes of a GLB
FLOAT, UINT, USHORT, UBYTE = 5126, 5125, 5123, 5121  # component types
COMPONENTS: dict[int, str] = {5120: "i1", UBYTE: "u1", 5122: "i2", USHORT: "u2", UINT: "u4"}
COMPONENTS[FLOAT] = "f4"
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
KINDS = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
SMALL = 1 << 24  # bytes
MOST_ZEROS = 1 << 24  # values of an accessor that has no bytes
PACKED = "meshopt_compression"  # in the name of what a view is compressed with
DEEPEST = 100  # levels of JSON
ARRAY_BUFFER, INDEX_BUFFER = 34962, 34963
LISTS = (
    "accessors", "animations", "buffers", "bufferViews", "cameras", "images", "materials",
    "meshes", "nodes", "samplers", "scenes", "skins", "textures",
)  # fmt: skip
FAULTS = (
    ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError, MemoryError,
    RecursionError, struct.error,
)  # fmt: skip


class Fault(ValueError):
    """What is wrong with a file, in words for its author."""


class GltfWriter:
    """A document that is being written; what is added first comes first in the file."""

    def __init__(self, document: Document | None = None, blob: bytes = b"") -> None:
        self.document: Document = {"asset": {"version": "2.0"}} if document is None else document
        # closed with the object; what is small never sees the disk
        self._scratch = tempfile.SpooledTemporaryFile(SMALL)  # noqa: SIM115
        self._size = 0
        self._append(blob)

    def add(self, kind: str, item: Document) -> int:
        """Append to one of the document's lists (`nodes`, `meshes`, …); returns its number."""
        items = self.document.setdefault(kind, [])
        items.append(item)
        return len(items) - 1

    def add_bytes(self, data: bytes, target: int | None = None) -> int:
        """A buffer view over some bytes."""
        view = {"buffer": 0, "byteOffset": self._size, "byteLength": len(data)}
        self._append(data)
        return self.add("bufferViews", view | ({"target": target} if target else {}))

    def add_array(
        self, values: NDArray[Any], *, target: int | None = ARRAY_BUFFER, bounds: bool = False
    ) -> int:
        """An accessor; values [n] or [n, width] of float32, uint8, uint16 or uint32."""
        values = np.ascontiguousarray(values)
        width = 1 if values.ndim == 1 else values.shape[1]
        types = {np.dtype(name): number for number, name in COMPONENTS.items()}
        accessor: Document = {
            "bufferView": self.add_bytes(values.tobytes(), target),
            "componentType": types[values.dtype],
            "count": len(values),
            "type": KINDS[width],
        }
        if bounds:
            low, high = (np.atleast_1d(f(values, axis=0)).tolist() for f in (np.min, np.max))
            accessor |= {"min": low, "max": high}
        return self.add("accessors", accessor)

    def write(self, output: BinaryIO) -> None:
        """The whole as a GLB."""
        others = self.document.get("buffers", [])[1:]  # without bytes of their own
        self.document["buffers"] = [{"byteLength": self._size}, *others]
        text = json.dumps(self.document, separators=(",", ":"), allow_nan=False).encode()
        text += b" " * (-len(text) % 4)
        total = 12 + 8 + len(text) + 8 + self._size
        if total > LARGEST:
            raise UserError(
                f"the file would have {total / 1e9:.1f} GB, and a GLB can have"
                f" {LARGEST / 1e9:.1f}; valid: a shorter stretch, a lower --fps or a higher --lod"
            )
        output.write(MAGIC + struct.pack("<II", VERSION, total))
        output.write(struct.pack("<I4s", len(text), b"JSON") + text)
        output.write(struct.pack("<I4s", self._size, b"BIN\0"))
        self._scratch.seek(0)
        shutil.copyfileobj(self._scratch, output, 1 << 20)

    def _append(self, data: bytes) -> None:
        self._scratch.write(data + b"\0" * (-len(data) % 4))
        self._size += len(data) + -len(data) % 4


def read_gltf(path: Path) -> tuple[Document, bytes]:
    """The document of a .glb or .gltf file, with one buffer that holds all others.

    Buffers without bytes, which stand in for compressed ones, stay behind it.
    """
    try:
        data = read_regular(path, LARGEST)
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise UserError(f"{path}: {error}") from error
    try:
        document, blob = _split(data)
        return document, _join_buffers(document, blob, path.parent)
    except FAULTS as error:
        problem = f"is not a glTF 2.0 file ({describe_fault(error)})"
        raise UserError(f"{path}: {problem}; valid: .glb, .gltf") from error


def describe_fault(error: BaseException) -> str:
    """What a reader of the file is told; never Python's own words."""
    if isinstance(error, Fault):
        return str(error)
    if isinstance(error, KeyError) and error.args and isinstance(error.args[0], str):
        return f"a part of it lacks '{error.args[0]}'"
    if isinstance(error, MemoryError):
        return "it asks for more memory than there is"
    return "a part of it is not as the standard has it"


def read_regular(path: Path, most: int) -> bytes:
    """At most so many bytes of a regular file; devices and pipes could go on for ever."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise Fault("is not a regular file")
    with path.open("rb") as file:
        return file.read(min(most, path.stat().st_size))


def read_beside(folder: Path, uri: str, most: int = LARGEST) -> bytes:
    """The bytes of a file that a document names; it must lie in its folder, or below."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", uri):
        _refuse_uri(uri, "is an address")
    name = unquote(uri)
    if "\0" in name:
        _refuse_uri(uri, "is no name of a file")
    try:
        path, inside = (folder / name).resolve(), folder.resolve()
        if Path(name).is_absolute() or not path.is_relative_to(inside):
            _refuse_uri(uri, "lies elsewhere")
        if not path.is_file():
            _refuse_uri(uri, "is not a regular file" if path.exists() else "is not there")
        return read_regular(path, most)
    except (OSError, RuntimeError) as error:
        raise Fault(f"'{cut(uri)}' cannot be read") from error


def _refuse_uri(uri: str, problem: str) -> NoReturn:
    raise Fault(f"'{cut(uri)}' {problem}, and only files beside it are read")


def cut(text: str, limit: int = 60) -> str:
    return text if len(text) <= limit else f"{text[:limit]}…"


def _split(data: bytes) -> tuple[Document, bytes]:
    """The JSON and the binary chunk of a file."""
    if data[:4] != MAGIC:
        return _parse(data), b""
    if len(data) < 12:
        raise Fault("cut short")
    version, total = struct.unpack("<II", data[4:12])
    if version != VERSION or total > len(data):
        raise Fault("cut short, or of another version")
    chunks: dict[bytes, bytes] = {}
    at = 12
    while at + 8 <= total:
        length, kind = struct.unpack("<I4s", data[at : at + 8])
        chunks.setdefault(kind, data[at + 8 : at + 8 + length])
        at += 8 + length
    if b"JSON" not in chunks:
        raise Fault("no JSON in it")
    return _parse(chunks[b"JSON"]), chunks.get(b"BIN\0", b"")


def _parse(text: bytes) -> Document:
    try:
        document = json.loads(text, parse_constant=_refuse_number, parse_float=_read_float)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise Fault(f"its JSON cannot be read from {place} on") from error
    except UnicodeDecodeError as error:
        raise Fault("its JSON is not UTF-8 text") from error
    except RecursionError as error:
        raise Fault("its JSON is nested too deeply") from error
    asset = document.get("asset") if isinstance(document, dict) else None
    if not isinstance(asset, dict) or not str(asset.get("version")).startswith("2."):
        raise Fault("no asset of version 2")
    for kind in LISTS:
        items = document.get(kind, [])
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise Fault(f"'{kind}' is not a list of objects")
    for _ in walk(document):
        pass
    return dict(document)


def _refuse_number(text: str) -> NoReturn:
    raise Fault(f"it holds the number {cut(text, 20)}, and numbers must be finite")


def _read_float(text: str) -> float:
    value = float(text)
    return value if np.isfinite(value) else _refuse_number(text)


def walk(value: Any) -> Iterator[Any]:
    """Everything in a tree of JSON, which may not be endlessly deep."""
    level, depth = [value], 0
    while level:
        yield from level
        depth += 1
        if depth > DEEPEST:
            raise Fault("its JSON is nested too deeply")
        level = [item for one in level for item in _list_items(one)]


def _list_items(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def take(document: Document, kind: str, number: Any) -> Document:
    """One of a list of the document; the file must have it."""
    items = document.get(kind, [])
    if not is_whole(number) or number >= len(items):
        shown = cut(str(number), 20)
        raise Fault(f"it names number {shown} of its {kind}, and there are {len(items)}")
    item: Document = items[number]
    return item


def is_whole(value: Any) -> bool:
    """Whether it is a whole number, not less than 0."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def take_whole(item: Document, key: str, usual: int | None = None) -> int:
    """A count or an offset."""
    value = item[key] if usual is None else item.get(key, usual)
    if not is_whole(value):
        raise Fault(
            f"'{key}' is {cut(json.dumps(value), 20)}, and must be a whole number from 0 on"
        )
    return int(value)


# buffers


def _join_buffers(document: Document, blob: bytes, folder: Path) -> bytes:
    """All buffers as one; the views are told where theirs begins."""
    parts: list[bytes] = []
    places: list[tuple[int, int]] = []  # of each buffer: its new number, and where it begins
    empty: list[Document] = []
    size = 0
    for number, buffer in enumerate(document.get("buffers", [])):
        if _is_stand_in(buffer, is_first=number == 0, blob=blob):
            empty.append(buffer)
            places.append((len(empty), 0))
            continue
        data = _read_buffer(buffer, blob, folder)
        places.append((0, size))
        parts.append(data + b"\0" * (-len(data) % 4))
        size += len(parts[-1])
    for view in document.get("bufferViews", []):
        _move_view(document, view, places)
        for extension in list_extensions(view):  # EXT_meshopt_compression
            if "buffer" in extension:
                _move_view(document, extension, places)
    if empty or "buffers" in document:
        document["buffers"] = [{"byteLength": size}, *empty]
    return b"".join(parts)


def _is_stand_in(buffer: Document, *, is_first: bool, blob: bytes) -> bool:
    """Whether a buffer has no bytes: views of it are compressed ones elsewhere."""
    if "uri" in buffer:
        return False
    told = any(extension.get("fallback") is True for extension in list_extensions(buffer))
    return not is_first or (told and not blob)


def list_extensions(item: Document) -> list[Document]:
    """What extensions say about a part of a document."""
    found = item.get("extensions")
    values = found.values() if isinstance(found, dict) else []
    return [value for value in values if isinstance(value, dict)]


def _move_view(document: Document, view: Document, places: list[tuple[int, int]]) -> None:
    take(document, "buffers", view["buffer"])
    take_whole(view, "byteLength")
    number, start = places[view["buffer"]]
    view["byteOffset"], view["buffer"] = take_whole(view, "byteOffset", 0) + start, number


def _read_buffer(buffer: Document, blob: bytes, folder: Path) -> bytes:
    """Its bytes, as many as it says."""
    uri, length = buffer.get("uri"), take_whole(buffer, "byteLength")
    if uri is None:
        data = blob
    elif not isinstance(uri, str):
        raise Fault("the uri of a buffer is no text")
    elif uri.startswith("data:"):
        data = _decode(uri)
    else:
        data = read_beside(folder, uri, length)
    if len(data) < length:
        raise Fault("a buffer is cut short")
    return data[:length]


def _decode(uri: str) -> bytes:
    kind, _, text = uri.partition(",")
    try:
        if kind.endswith(";base64"):
            return base64.b64decode(unquote(text))
    except (binascii.Error, ValueError):
        pass
    raise Fault("a data: uri of a buffer is not base64")


# accessors


def has_bytes(document: Document, number: Any) -> bool:
    """Whether the values of an accessor are in the file as they are, and not compressed."""
    accessor = take(document, "accessors", number)
    if "bufferView" not in accessor:
        return "sparse" in accessor
    view = take(document, "bufferViews", accessor["bufferView"])
    needed = document.get("extensionsRequired", [])
    packed = [name for name in view.get("extensions", {}) if PACKED in name and name in needed]
    return view["buffer"] == 0 and not packed


def read_accessor(document: Document, blob: bytes, number: Any) -> NDArray[Any]:
    """The values of an accessor [n] or [n, width]; normalised whole numbers as floats."""
    accessor = take(document, "accessors", number)
    kind = _take_kind(accessor)
    if accessor.get("type") not in WIDTHS:
        raise Fault("an accessor has no type that is known")
    width, count = WIDTHS[accessor["type"]], take_whole(accessor, "count")
    if "bufferView" in accessor:
        values = _read_view(document, blob, accessor, kind, width, count)
    elif count > MOST_ZEROS:
        raise Fault(f"an accessor of {count} values has no bytes")
    else:
        values = np.zeros((count, width), kind)
    if "sparse" in accessor:
        values = _fill_sparse(document, blob, accessor["sparse"], values)
    if accessor.get("normalized") and kind.kind in "iu":
        values = np.maximum(values / np.iinfo(kind).max, -1.0).astype(np.float32)
    return values[:, 0] if width == 1 else values


def _take_kind(accessor: Document) -> np.dtype[Any]:
    number = accessor.get("componentType")
    if not is_whole(number) or number not in COMPONENTS:
        raise Fault("an accessor has no componentType that is known")
    return np.dtype(COMPONENTS[number]).newbyteorder("<")


def _read_view(
    document: Document, blob: bytes, place: Document, kind: np.dtype[Any], width: int, count: int
) -> NDArray[Any]:
    """Rows [count, width] from where `place` says; nothing is allocated that is not there."""
    view = take(document, "bufferViews", place["bufferView"])
    start = take_whole(view, "byteOffset", 0) + take_whole(place, "byteOffset", 0)
    row = kind.itemsize * width
    step = take_whole(view, "byteStride", 0) or row
    if count == 0:
        return np.zeros((0, width), kind)
    if view["buffer"] != 0 or start + (count - 1) * step + row > len(blob):
        raise Fault("an accessor reaches beyond its buffer")
    rows: NDArray[Any] = np.ndarray((count, width), kind, blob, start, (step, kind.itemsize))
    return rows.copy()


def _fill_sparse(
    document: Document, blob: bytes, sparse: Document, values: NDArray[Any]
) -> NDArray[Any]:
    count, where = take_whole(sparse, "count"), sparse["indices"]
    index = _read_view(document, blob, where, _take_kind(where), 1, count)[:, 0]
    if count and (index.min() < 0 or index.max() >= len(values)):
        raise Fault("a sparse accessor changes values that it has not")
    width = values.shape[1]
    values[index] = _read_view(document, blob, sparse["values"], values.dtype, width, count)
    return values
