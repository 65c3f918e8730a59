"""Users' rigs in glTF files: read, and written again with one more animation.

All nodes are joints here, those above the skeleton too, so that whatever an editor puts there (a
scale of 0.01, a quarter turn) is accounted for. Nothing else in the file is touched.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.errors import UserError
from skitter.export.clip import Clip
from skitter.export.glb import STILL, Tracks, to_xyzw
from skitter.export.own.source import Floats, Ints, RigSource, Surface, compose
from skitter.export.own.tracks import LocalTracks
from skitter.gltf import Document, GltfWriter, read_accessor, read_gltf
from skitter.render.output import replacing
from skitter.rotation import matrix_to_quaternion, quaternion_to_matrix

FAULTS = (KeyError, IndexError, TypeError, ValueError)


def read_gltf_rig(path: Path) -> RigSource:
    """The nodes of a file, and the points of its skinned meshes."""
    document, blob = read_gltf(path)
    try:
        return build_source(path, document, blob)
    except FAULTS as error:
        raise UserError(f"{path}: is not a sound glTF 2.0 file ({error})") from error


def build_source(path: Path, document: Document, blob: bytes) -> RigSource:
    nodes = document.get("nodes", [])
    order, parents = sort_nodes(nodes)
    place = {node: k for k, node in enumerate(order)}
    parts = [read_transform(nodes[node]) for node in order]
    local = np.array([build_matrix(*part) for part in parts]).reshape(-1, 4, 4)
    above = np.array([place.get(parents.get(node, -1), -1) for node in order], dtype=np.int64)
    bound = {joint for skin in document.get("skins", []) for joint in skin["joints"]}
    world = compose(local, above, np.eye(4))
    return RigSource(
        file=path,
        names=[str(nodes[node].get("name", f"node_{node}")) for node in order],
        parents=above,
        local=local,
        top=np.eye(4),
        scale=np.array([part[2] for part in parts]).reshape(-1, 3),
        is_bound=np.array([node in bound for node in order], dtype=bool),
        unit=1.0,
        up="+y",
        surface=read_surface(document, blob, place, world),
    )


def sort_nodes(nodes: list[Document]) -> tuple[list[int], dict[int, int]]:
    """Nodes with parents first, and the parent of each."""
    parents = {child: k for k, node in enumerate(nodes) for child in node.get("children", [])}
    order = [k for k in range(len(nodes)) if k not in parents]
    for node in order:  # grows as it goes
        order += nodes[node].get("children", [])
        if len(order) > len(nodes):
            raise ValueError("a node has two parents")
    if len(order) < len(nodes):
        raise ValueError("nodes are their own parents")
    return order, parents


def read_transform(node: Document) -> tuple[Floats, Floats, Floats]:
    """Translation, turn [3, 3] and scale of a node."""
    if "matrix" in node:
        return split_matrix(np.array(node["matrix"], float).reshape(4, 4).T)
    x, y, z, w = node.get("rotation", [0.0, 0.0, 0.0, 1.0])
    quaternion = np.array([w, x, y, z], float)
    return (
        np.array(node.get("translation", [0.0, 0.0, 0.0]), float),
        quaternion_to_matrix(quaternion / max(float(np.linalg.norm(quaternion)), 1e-30)),
        np.array(node.get("scale", [1.0, 1.0, 1.0]), float),
    )


def split_matrix(matrix: Floats) -> tuple[Floats, Floats, Floats]:
    """Translation, turn and scale of a matrix; one that mirrors has a negative first scale."""
    scale = np.linalg.norm(matrix[:3, :3], axis=0)
    if np.linalg.det(matrix[:3, :3]) < 0:
        scale = scale * [-1.0, 1.0, 1.0]
    u, _, v = np.linalg.svd(matrix[:3, :3] / np.where(scale == 0, 1.0, scale))
    return matrix[:3, 3].copy(), u @ v, scale


def build_matrix(translation: Floats, turn: Floats, scale: Floats) -> Floats:
    matrix = np.eye(4)
    matrix[:3, :3] = turn * scale
    matrix[:3, 3] = translation
    return matrix


def read_surface(document: Document, blob: bytes, place: dict[int, int], world: Floats) -> Surface:
    """Points of all meshes: those of skins as their joints bend them, others with their node."""
    points: list[Floats] = [np.zeros((0, 3))]
    owners: list[NDArray[np.integer]] = [np.zeros(0, np.int64)]
    for number, node in enumerate(document.get("nodes", [])):
        if "mesh" not in node:
            continue
        for primitive in document["meshes"][node["mesh"]]["primitives"]:
            keys = primitive["attributes"]
            at = np.asarray(read_accessor(document, blob, keys["POSITION"]), float)
            if "skin" in node and "JOINTS_0" in keys:
                skin = document["skins"][node["skin"]]
                found = bend(document, blob, skin, keys, at, place, world)
            else:
                here = place[number]
                found = apply(world[here], at), np.full(len(at), here)
            points.append(found[0])
            owners.append(found[1])
    return Surface(np.concatenate(points), np.concatenate(owners))


def bend(
    document: Document,
    blob: bytes,
    skin: Document,
    keys: Document,
    at: Floats,
    place: dict[int, int],
    world: Floats,
) -> tuple[Floats, Ints]:
    """Points of a skin where its joints have them, and the joint that each follows most."""
    joints = np.array([place[joint] for joint in skin["joints"]])
    matrix = world[joints]
    if "inverseBindMatrices" in skin:
        inverse = read_accessor(document, blob, skin["inverseBindMatrices"])
        matrix = matrix @ np.swapaxes(np.asarray(inverse, float).reshape(-1, 4, 4), 1, 2)
    which, weight = (read_accessor(document, blob, keys[key]) for key in ("JOINTS_0", "WEIGHTS_0"))
    points = np.zeros_like(at)
    for k in range(4):
        moved = np.einsum("pij,pj->pi", matrix[which[:, k], :3, :3], at)
        points += weight[:, k : k + 1] * (moved + matrix[which[:, k], :3, 3])
    most = which[np.arange(len(which)), np.argmax(weight, axis=1)]
    return points, joints[most]


def apply(matrix: Floats, points: Floats) -> Floats:
    return points @ matrix[:3, :3].T + matrix[:3, 3]


def write_gltf_rig(
    source: RigSource,
    tracks: LocalTracks,
    output: Path,
    *,
    clip: Clip,
    name: str,
    replace: bool,
) -> None:
    """The user's file with one more animation, or with that one alone."""
    document, blob = read_gltf(source.file)
    order, _ = sort_nodes(document["nodes"])
    if replace:
        document.pop("animations", None)
    writer = GltfWriter(document, blob)
    channels: list[dict[str, Any]] = []
    samplers: list[dict[str, Any]] = []
    animation = {"name": name, "channels": channels, "samplers": samplers}
    track = Tracks(writer, clip, channels, samplers)
    for joint, position, orientation in tracks:
        node = document["nodes"][order[joint]]
        split_node(node)
        add_tracks(track, order[joint], node, position, orientation)
    if channels:
        writer.add("animations", animation)
    with replacing(output) as draft, draft.open("wb") as file:
        writer.write(file)


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
