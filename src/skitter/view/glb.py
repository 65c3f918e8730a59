"""Meshes as GLB bytes, the one form in which the browser takes colours at points and a material.

Colours stay in linear light, as glTF wants them, and normals stay ours. Exports of whole rigs are
in export/glb.py.
"""

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.gltf.layout import INDEX_BUFFER
from skitter.gltf.write import GltfWriter
from skitter.look.mesh import Mesh

Floats = NDArray[np.floating]
REPEAT, LINEAR, MIPMAP = 10497, 9729, 9987


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
    writer = GltfWriter()
    shades = np.broadcast_to(colours, (len(mesh.points), colours.shape[-1]))
    attributes = {
        "POSITION": writer.add_array(np.asarray(mesh.points, np.float32), bounds=True),
        "NORMAL": writer.add_array(np.asarray(mesh.normals, np.float32)),
        "COLOR_0": writer.add_array(np.asarray(shades, np.float32)),
    }
    surface: dict[str, Any] = {"metallicFactor": 0.0, "roughnessFactor": roughness}
    if texture is not None and places is not None:
        attributes["TEXCOORD_0"] = writer.add_array(np.asarray(places, np.float32))
        surface["baseColorTexture"] = {"index": add_texture(writer, texture)}
    material: dict[str, Any] = {"pbrMetallicRoughness": surface, "doubleSided": both_sides}
    if see_through:
        material["alphaMode"] = "BLEND"
    if unlit:
        material["extensions"] = {"KHR_materials_unlit": {}}
        writer.document["extensionsUsed"] = ["KHR_materials_unlit"]
    indices = mesh.triangles.reshape(-1).astype(np.uint32)
    primitive = {
        "attributes": attributes,
        "indices": writer.add_array(indices, target=INDEX_BUFFER),
        "material": writer.add("materials", material),
    }
    return finish(writer, primitive)


def add_texture(writer: GltfWriter, png: bytes) -> int:
    """A picture that repeats."""
    image = {"mimeType": "image/png", "bufferView": writer.add_bytes(png)}
    sampler = {"wrapS": REPEAT, "wrapT": REPEAT, "magFilter": LINEAR, "minFilter": MIPMAP}
    texture = {"source": writer.add("images", image), "sampler": writer.add("samplers", sampler)}
    return writer.add("textures", texture)


def finish(writer: GltfWriter, primitive: dict[str, Any]) -> bytes:
    """The file of a scene with nothing but this in it."""
    node = {"mesh": writer.add("meshes", {"primitives": [primitive]})}
    scene = {"nodes": [writer.add("nodes", node)]}
    writer.document["scene"] = writer.add("scenes", scene)
    data = io.BytesIO()
    writer.write(data)
    return data.getvalue()
