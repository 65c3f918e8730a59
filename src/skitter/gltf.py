"""glTF 2.0 files: reading them whole, adding to them, and writing them.

A document stays the dictionary that it is in the file, so that what we do not know of (extensions,
extras, materials) survives. Numbers go to a scratch file until the end: an animation of many
minutes need not lie in memory.
"""

import base64
import binascii
import json
import shutil
import struct
import tempfile
from pathlib import Path
from typing import Any, BinaryIO
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
ARRAY_BUFFER, INDEX_BUFFER = 34962, 34963


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
        self.document["buffers"] = [{"byteLength": self._size}]
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
    """The document of a .glb or .gltf file, with one buffer that holds all others."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    try:
        document, blob = _split(data)
        return document, _join_buffers(document, blob, path.parent)
    except (ValueError, KeyError, TypeError, IndexError, struct.error, binascii.Error) as error:
        raise UserError(f"{path}: is not a glTF 2.0 file ({error}); valid: .glb, .gltf") from error


def _split(data: bytes) -> tuple[Document, bytes]:
    """The JSON and the binary chunk of a file."""
    if data[:4] != MAGIC:
        return _parse(data), b""
    version, total = struct.unpack("<II", data[4:12])
    if version != VERSION or total > len(data):
        raise ValueError("cut short, or of another version")
    chunks: dict[bytes, bytes] = {}
    at = 12
    while at + 8 <= total:
        length, kind = struct.unpack("<I4s", data[at : at + 8])
        chunks.setdefault(kind, data[at + 8 : at + 8 + length])
        at += 8 + length
    return _parse(chunks[b"JSON"]), chunks.get(b"BIN\0", b"")


def _parse(text: bytes) -> Document:
    document = json.loads(text)
    if not isinstance(document, dict) or not str(document["asset"]["version"]).startswith("2."):
        raise ValueError("no asset of version 2")
    return document


def _join_buffers(document: Document, blob: bytes, folder: Path) -> bytes:
    """All buffers as one; the views are told where theirs begins."""
    parts, starts, size = [], [], 0
    for buffer in document.get("buffers", []):
        data = _read_buffer(buffer, blob, folder)[: buffer["byteLength"]]
        if len(data) < buffer["byteLength"]:
            raise ValueError("a buffer is cut short")
        starts.append(size)
        parts.append(data + b"\0" * (-len(data) % 4))
        size += len(parts[-1])
    for view in document.get("bufferViews", []):
        view["byteOffset"] = view.get("byteOffset", 0) + starts[view["buffer"]]
        view["buffer"] = 0
    return b"".join(parts)


def _read_buffer(buffer: Document, blob: bytes, folder: Path) -> bytes:
    uri = buffer.get("uri")
    if uri is None:
        return blob
    if uri.startswith("data:"):
        return base64.b64decode(uri.split(",", 1)[1])
    try:
        return (folder / unquote(uri)).read_bytes()
    except OSError as error:
        raise ValueError(f"{uri}: {error.strerror}") from error


def read_accessor(document: Document, blob: bytes, number: int) -> NDArray[Any]:
    """The values of an accessor [n] or [n, width]; normalised whole numbers as floats."""
    accessor = document["accessors"][number]
    kind = np.dtype(COMPONENTS[accessor["componentType"]]).newbyteorder("<")
    width, count = WIDTHS[accessor["type"]], accessor["count"]
    values = np.zeros((count, width), kind)
    if "bufferView" in accessor:
        view = document["bufferViews"][accessor["bufferView"]]
        values = _read_view(blob, view, accessor.get("byteOffset", 0), kind, width, count)
    if "sparse" in accessor:
        values = _fill_sparse(document, blob, accessor["sparse"], values)
    if accessor.get("normalized"):
        values = np.maximum(values / np.iinfo(kind).max, -1.0).astype(np.float32)
    return values[:, 0] if width == 1 else values


def _read_view(
    blob: bytes, view: Document, offset: int, kind: np.dtype[Any], width: int, count: int
) -> NDArray[Any]:
    start, step = view.get("byteOffset", 0) + offset, view.get("byteStride")
    row = kind.itemsize * width
    if start + (count - 1) * (step or row) + row > len(blob):
        raise ValueError("an accessor reaches beyond its buffer")
    rows: NDArray[Any] = np.ndarray((count, width), kind, blob, start, (step or row, kind.itemsize))
    return rows.copy()


def _fill_sparse(
    document: Document, blob: bytes, sparse: Document, values: NDArray[Any]
) -> NDArray[Any]:
    views, count = document["bufferViews"], sparse["count"]
    where, what = sparse["indices"], sparse["values"]
    kind = np.dtype(COMPONENTS[where["componentType"]])
    index = _read_view(blob, views[where["bufferView"]], where.get("byteOffset", 0), kind, 1, count)
    values[index[:, 0]] = _read_view(
        blob,
        views[what["bufferView"]],
        what.get("byteOffset", 0),
        values.dtype,
        values.shape[1],
        count,
    )
    return values
