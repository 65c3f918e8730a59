"""The words and numbers of glTF 2.0 that reading and writing share."""

from typing import Any

Document = dict[str, Any]
MAGIC, VERSION = b"glTF", 2
LARGEST = 2**32 - 1  # bytes of a GLB
FLOAT, UINT, USHORT, UBYTE = 5126, 5125, 5123, 5121  # component types
COMPONENTS: dict[int, str] = {5120: "i1", UBYTE: "u1", 5122: "i2", USHORT: "u2", UINT: "u4"}
COMPONENTS[FLOAT] = "f4"
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
KINDS = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
ARRAY_BUFFER, INDEX_BUFFER = 34962, 34963
