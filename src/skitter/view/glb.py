"""Meshes as GLB bytes, the one form in which the browser takes colours at points and a material.

Written here because it is thirty lines for exactly the few things shown: colours stay in linear
light, as glTF wants them, and normals stay ours. The exports of whole rigs are another matter.
"""

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.look.mesh import Mesh

Floats = NDArray[np.floating]
FLOAT, UINT = 5126, 5125  # component types of glTF
KINDS = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4"}
ARRAY_BUFFER, INDEX_BUFFER = 34962, 34963
REPEAT, LINEAR, MIPMAP = 10497, 9729, 9987


class GlbParts:
    """Collects the binary pieces of a GLB."""

    def __init__(self) -> None:
        self.blob = bytearray()
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def add_bytes(self, data: bytes, target: int | None = None) -> int:
        view = {"buffer": 0, "byteOffset": len(self.blob), "byteLength": len(data)}
        self.views.append(view | ({"target": target} if target else {}))
        self.blob += data + b"\0" * (-len(data) % 4)
        return len(self.views) - 1

    def add_array(self, values: NDArray[Any], *, is_index: bool = False) -> int:
        """An accessor; values [n] or [n, width]."""
        values = np.ascontiguousarray(values, np.uint32 if is_index else np.float32)
        view = self.add_bytes(values.tobytes(), INDEX_BUFFER if is_index else ARRAY_BUFFER)
        width = 1 if values.ndim == 1 else values.shape[1]
        accessor: dict[str, Any] = {
            "bufferView": view,
            "componentType": UINT if is_index else FLOAT,
            "count": len(values),
            "type": KINDS[width],
        }
        if width == 3:  # asked for with positions, and harmless elsewhere
            accessor |= {"min": values.min(axis=0).tolist(), "max": values.max(axis=0).tolist()}
        self.accessors.append(accessor)
        return len(self.accessors) - 1


def write_glb(
    mesh: Mesh,
    colours: Floats,
    *,
    roughness: float = 0.55,
    unlit: bool = False,
    see_through: bool = False,
    both_sides: bool = False,
    texture: bytes | None = None,
    places: Floats | None = None,
) -> bytes:
    """A mesh with colours [point, 3 or 4] in linear light; a PNG repeats at places [point, 2]."""
    parts = GlbParts()
    attributes = {
        "POSITION": parts.add_array(mesh.points),
        "NORMAL": parts.add_array(mesh.normals),
        "COLOR_0": parts.add_array(np.broadcast_to(colours, (len(mesh.points), colours.shape[-1]))),
    }
    surface: dict[str, Any] = {"metallicFactor": 0.0, "roughnessFactor": roughness}
    document: dict[str, Any] = {"asset": {"version": "2.0"}}
    if texture is not None and places is not None:
        attributes["TEXCOORD_0"] = parts.add_array(places)
        image = {"mimeType": "image/png", "bufferView": parts.add_bytes(texture)}
        sampler = {"wrapS": REPEAT, "wrapT": REPEAT, "magFilter": LINEAR, "minFilter": MIPMAP}
        document |= {"images": [image], "samplers": [sampler]}
        document |= {"textures": [{"source": 0, "sampler": 0}]}
        surface["baseColorTexture"] = {"index": 0}
    material: dict[str, Any] = {"pbrMetallicRoughness": surface, "doubleSided": both_sides}
    if see_through:
        material["alphaMode"] = "BLEND"
    if unlit:
        material["extensions"] = {"KHR_materials_unlit": {}}
        document["extensionsUsed"] = ["KHR_materials_unlit"]
    primitive = {
        "attributes": attributes,
        "indices": parts.add_array(mesh.triangles.reshape(-1), is_index=True),
        "material": 0,
    }
    document |= {
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [primitive]}],
        "materials": [material],
        "accessors": parts.accessors,
        "bufferViews": parts.views,
        "buffers": [{"byteLength": len(parts.blob)}],
    }
    return _pack(document, bytes(parts.blob))


def _pack(document: dict[str, Any], blob: bytes) -> bytes:
    """The container: a header, a chunk of JSON and a chunk of bytes."""
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    chunks = b"".join(
        len(data).to_bytes(4, "little") + kind + data
        for kind, data in ((b"JSON", text), (b"BIN\0", blob))
    )
    return b"glTF" + (2).to_bytes(4, "little") + (12 + len(chunks)).to_bytes(4, "little") + chunks
