"""Writing glTF. Numbers go to a scratch file until the end: an animation of many minutes need not
lie in memory.
"""

import json
import shutil
import struct
import tempfile
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from skitter.errors import UserError
from skitter.gltf.layout import ARRAY_BUFFER, COMPONENTS, KINDS, LARGEST, MAGIC, VERSION, Document

SMALL = 1 << 24  # bytes that are kept in memory


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
