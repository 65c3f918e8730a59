"""A user's glTF file written again, with our animation before all others.

Nothing else in it is touched, but that pictures beside the file go into it.
"""

from pathlib import Path
from typing import Any

import numpy as np

from skitter.export.clip import Clip
from skitter.export.glb import STILL, Tracks, to_xyzw
from skitter.export.own.drop import drop_animations
from skitter.export.own.gltf import read_transform, sort_nodes
from skitter.export.own.map import describe_missing
from skitter.export.own.source import Floats, RigSource
from skitter.export.own.tracks import LocalTracks
from skitter.gltf.layout import Document
from skitter.gltf.read import Fault, cut, read_beside, read_gltf
from skitter.gltf.write import GltfWriter
from skitter.render.output import replacing
from skitter.rotation import matrix_to_quaternion
from skitter.scene.describe import quote

PICTURES = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg"}  # by how they begin


def write_gltf_rig(
    source: RigSource,
    tracks: LocalTracks,
    output: Path,
    *,
    clip: Clip,
    name: str,
    replace: bool,
) -> list[str]:
    """The user's file with one more animation, or with that one alone; returns notes."""
    document, blob = read_gltf(source.file)
    order, _ = sort_nodes(document["nodes"])
    if replace:
        blob = drop_animations(document, blob)
    writer = GltfWriter(document, blob)
    notes = embed_pictures(writer, source.file.parent)
    channels: list[dict[str, Any]] = []
    samplers: list[dict[str, Any]] = []
    track = Tracks(writer, clip, channels, samplers)
    for joint, position, orientation in tracks:
        node = document["nodes"][order[joint]]
        split_node(node)
        add_tracks(track, order[joint], node, position, orientation)
    if channels:
        notes += tell_kept(document.get("animations", []))
        animation = {"name": name, "channels": channels, "samplers": samplers}
        document["animations"] = [animation, *document.get("animations", [])]
    with replacing(output) as draft, draft.open("wb") as file:
        writer.write(file)
    return notes


def tell_kept(animations: list[Document]) -> list[str]:
    """Animations that the file has already."""
    if not animations:
        return []
    names = [quote(str(one.get("name", f"number {k}"))) for k, one in enumerate(animations)]
    verb = "animations {} are" if len(names) > 1 else "animation {} is"
    told = verb.format(describe_missing(names))
    return [
        f"your rig's {told} kept behind it; --replace drops {'them' * (len(names) > 1) or 'it'}"
    ]


def embed_pictures(writer: GltfWriter, folder: Path) -> list[str]:
    """Puts pictures that lie beside the file into it; tells of those that stay outside."""
    notes = []
    for image in writer.document.get("images", []):
        uri = image.get("uri")
        if not isinstance(uri, str) or uri.startswith("data:"):
            continue
        try:
            data = read_beside(folder, uri)
            kind = next((PICTURES[start] for start in PICTURES if data.startswith(start)), None)
            if kind is None:
                raise Fault(f"'{cut(uri)}' is neither PNG nor JPEG")
        except Fault as fault:
            notes.append(f"a picture of the rig stays outside the file: {fault}")
            continue
        del image["uri"]
        image.update({"mimeType": kind, "bufferView": writer.add_bytes(data)})
    return notes


def split_node(node: Document) -> None:
    """A node that moves has no matrix, by the standard."""
    if "matrix" in node:
        translation, turn, scale = read_transform(node)
        del node["matrix"]
        node["translation"], node["scale"] = translation.tolist(), scale.tolist()
        node["rotation"] = to_xyzw(matrix_to_quaternion(turn)).tolist()


def add_tracks(
    track: Tracks, number: int, node: Document, position: Floats, orientation: Floats
) -> None:
    """Where a node is and how it is turned, unless that is as at rest."""
    moved = np.abs(position - node.get("translation", [0.0, 0.0, 0.0])).max()
    if moved > STILL * np.abs(position).max():
        track.add(number, "translation", position)
    rest, turned = np.array(node.get("rotation", [0.0, 0.0, 0.0, 1.0])), to_xyzw(orientation)
    same = np.where(turned @ rest < 0, -1.0, 1.0)[:, None] * rest
    if np.abs(turned - same).max() > STILL:
        track.add(number, "rotation", turned)
