"""Reading glTF, of which nothing is believed: files of users may be damaged, or worse."""

import base64
import binascii
import json
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from skitter.disk import BadFile, parse_json, read_regular
from skitter.errors import UserError
from skitter.gltf.layout import COMPONENTS, LARGEST, MAGIC, VERSION, WIDTHS, Document

FILE_LIMIT = 1 << 28  # bytes of a file, or of one that it names
MOST_ZEROS = 1 << 22  # numbers of an accessor that has no bytes
PACKED = "meshopt_compression"  # in the name of what a view is compressed with
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


def read_gltf(path: Path) -> tuple[Document, bytes]:
    """The document of a .glb or .gltf file, with one buffer that holds all others.

    Buffers without bytes, which stand in for compressed ones, stay behind it.
    """
    try:
        data = read_regular(path, FILE_LIMIT, valid=".glb, .gltf")
    except BadFile as error:
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
        return read_regular(path, FILE_LIMIT)[:most]
    except BadFile as error:
        raise Fault(f"'{cut(uri)}' {error}") from error
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
        document = parse_json(text, parse_constant=_refuse_number, parse_float=_read_float)
    except BadFile as error:
        raise Fault(f"its JSON cannot be read: it {error}") from error
    asset = document.get("asset") if isinstance(document, dict) else None
    if not isinstance(asset, dict) or not str(asset.get("version")).startswith("2."):
        raise Fault("no asset of version 2")
    for kind in LISTS:
        items = document.get(kind, [])
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise Fault(f"'{kind}' is not a list of objects")
    return dict(document)


def _refuse_number(text: str) -> NoReturn:
    raise Fault(f"it holds the number {cut(text, 20)}, and numbers must be finite")


def _read_float(text: str) -> float:
    value = float(text)
    return value if np.isfinite(value) else _refuse_number(text)


def walk(value: Any) -> Iterator[Any]:
    """Everything in a tree of JSON."""
    level = [value]
    while level:
        yield from level
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
    elif count * width > MOST_ZEROS:
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
    if step < row:
        raise Fault(f"a byteStride of {step} is less than the {row} bytes that it steps over")
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
