"""Users' rigs in glTF files.

All nodes are joints here, those above the skeleton too, so that whatever an editor puts there (a
scale of 0.01, a quarter turn) is accounted for.
"""

import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.errors import UserError
from skitter.export.own.source import Floats, Ints, RigSource, Surface, compose
from skitter.gltf.layout import Document
from skitter.gltf.read import (
    FAULTS,
    Fault,
    cut,
    describe_fault,
    has_bytes,
    read_accessor,
    read_gltf,
    take,
    take_whole,
)
from skitter.rotation import quaternion_to_matrix

TRIANGLES, STRIP, FAN = 4, 5, 6  # modes of primitives
LARGEST_NUMBER = 1e30
DRACO = {"KHR_draco_mesh_compression"}


def read_gltf_rig(path: Path) -> RigSource:
    """The nodes of a file, and the points of its skinned meshes."""
    document, blob = read_gltf(path)
    try:
        with np.errstate(all="ignore"):
            return build_source(path, document, blob)
    except FAULTS as error:
        problem = f"is not a sound glTF 2.0 file ({describe_fault(error)})"
        raise UserError(f"{path}: {problem}; valid: one that glTF validators accept") from error


def build_source(path: Path, document: Document, blob: bytes) -> RigSource:
    """The rig of a file's document; glTF is in metres, y up."""
    nodes = document.get("nodes", [])
    order, parents = sort_nodes(nodes)
    place = {node: k for k, node in enumerate(order)}
    parts = [read_transform(nodes[node], label_node(nodes, node)) for node in order]
    local = np.array([build_matrix(*part) for part in parts]).reshape(-1, 4, 4)
    above = np.array([place.get(parents.get(node, -1), -1) for node in order], dtype=np.int64)
    bound = {joint for skin in document.get("skins", []) for joint in list_joints(document, skin)}
    world = compose(local, above, np.eye(4))
    primitives = list_primitives(document)
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
        point_count=sum(count_points(document, primitive) for _, primitive in primitives),
        triangle_count=sum(count_triangles(document, primitive) for _, primitive in primitives),
        notes=tell_compressed(document, primitives),
    )


# nodes


def sort_nodes(nodes: list[Document]) -> tuple[list[int], dict[int, int]]:
    """Nodes with parents first, and the parent of each."""
    parents: dict[int, int] = {}
    for number in range(len(nodes)):
        for child in list_children(nodes, number):
            if child in parents:
                raise Fault(f"the node {label_node(nodes, child)} has two parents")
            parents[child] = number
    order = [k for k in range(len(nodes)) if k not in parents]
    for node in order:  # grows as it goes
        order += list_children(nodes, node)
    if len(order) < len(nodes):
        raise Fault("nodes are their own parents")
    return order, parents


def list_children(nodes: list[Document], number: int) -> list[int]:
    """The children of a node, which must be nodes."""
    children = nodes[number].get("children", [])
    if not isinstance(children, list):
        raise Fault(f"the children of {label_node(nodes, number)} are no list")
    for child in children:
        take({"nodes": nodes}, "nodes", child)
    return children


def label_node(nodes: list[Document], number: int) -> str:
    return f"'{cut(str(nodes[number].get('name', f'node_{number}')))}'"


def list_joints(document: Document, skin: Document) -> list[int]:
    """The nodes of a skin."""
    joints = skin["joints"]
    if not isinstance(joints, list):
        raise Fault("the joints of a skin are no list")
    for joint in joints:
        take(document, "nodes", joint)
    return joints


def read_transform(node: Document, label: str = "") -> tuple[Floats, Floats, Floats]:
    """Translation, turn [3, 3] and scale of a node."""
    if "matrix" in node:
        return split_matrix(read_numbers(node, "matrix", [0.0] * 16, label).reshape(4, 4).T)
    x, y, z, w = read_numbers(node, "rotation", [0.0, 0.0, 0.0, 1.0], label)
    quaternion = np.array([w, x, y, z], float)
    return (
        read_numbers(node, "translation", [0.0, 0.0, 0.0], label),
        quaternion_to_matrix(quaternion / max(float(np.linalg.norm(quaternion)), 1e-30)),
        read_numbers(node, "scale", [1.0, 1.0, 1.0], label),
    )


def read_numbers(node: Document, key: str, usual: list[float], label: str) -> Floats:
    """As many numbers as usual, of a size that can be reckoned with."""
    values = node.get(key, usual)
    if not isinstance(values, list) or len(values) != len(usual):
        raise Fault(f"the {key} of {label} is not {len(usual)} numbers")
    if not all(isinstance(one, int | float) and abs(one) < LARGEST_NUMBER for one in values):
        raise Fault(f"the {key} of {label} has what is no number, or too large")
    return np.array(values, float)


def split_matrix(matrix: Floats) -> tuple[Floats, Floats, Floats]:
    """Translation, turn and scale of a matrix; one that mirrors has a negative first scale."""
    scale = np.linalg.norm(matrix[:3, :3], axis=0)
    if np.linalg.det(matrix[:3, :3]) < 0:
        scale = scale * [-1.0, 1.0, 1.0]
    u, _, v = np.linalg.svd(matrix[:3, :3] / np.where(scale == 0, 1.0, scale))
    return matrix[:3, 3].copy(), u @ v, scale


def build_matrix(translation: Floats, turn: Floats, scale: Floats) -> Floats:
    """[4, 4] of a move, a turn [3, 3] and a scale [3]."""
    matrix = np.eye(4)
    matrix[:3, :3] = turn * scale
    matrix[:3, 3] = translation
    return matrix


# meshes


def list_primitives(document: Document) -> list[tuple[int, Document]]:
    """All parts of meshes, each with the node that shows it."""
    found = []
    for number, node in enumerate(document.get("nodes", [])):
        if "mesh" in node:
            parts = take(document, "meshes", node["mesh"])["primitives"]
            if not isinstance(parts, list) or not all(isinstance(one, dict) for one in parts):
                raise Fault("the primitives of a mesh are no list of objects")
            found += [(number, part) for part in parts]
    return found


def count_points(document: Document, primitive: Document) -> int:
    """Points of a part of a mesh."""
    return take_whole(take(document, "accessors", primitive["attributes"]["POSITION"]), "count")


def count_triangles(document: Document, primitive: Document) -> int:
    """As the standard has modes: lists of triangles, strips and fans."""
    count = count_points(document, primitive)
    if "indices" in primitive:
        count = take_whole(take(document, "accessors", primitive["indices"]), "count")
    mode = primitive.get("mode", TRIANGLES)
    return count // 3 if mode == TRIANGLES else max(count - 2, 0) * (mode in (STRIP, FAN))


def is_compressed(document: Document, number: int, primitive: Document) -> bool:
    """Whether the points that a node shows are packed in a way that is not read here."""
    keys = ("POSITION", "JOINTS_0", "WEIGHTS_0")
    used = [primitive["attributes"][key] for key in keys if key in primitive["attributes"]]
    node = document["nodes"][number]
    skin = take(document, "skins", node["skin"]) if "skin" in node else {}
    used += [skin["inverseBindMatrices"]] if "inverseBindMatrices" in skin else []
    if not DRACO & set(primitive.get("extensions", {})):
        used = [k for k in used if "bufferView" in take(document, "accessors", k)]
    return not all(has_bytes(document, number) for number in used)


def tell_compressed(document: Document, primitives: list[tuple[int, Document]]) -> list[str]:
    """What a user should know of meshes that cannot be read."""
    if not any(is_compressed(document, number, primitive) for number, primitive in primitives):
        return []
    used = document.get("extensionsUsed", [])
    how = [str(one) for one in used if re.search("draco|meshopt", str(one))]
    told = f" ({', '.join(how)})" if how else ""
    return [f"the meshes are compressed{told}: they are kept as they are, and were not measured"]


def read_surface(document: Document, blob: bytes, place: dict[int, int], world: Floats) -> Surface:
    """Points of all meshes: those of skins as their joints bend them, others with their node."""
    points: list[Floats] = [np.zeros((0, 3))]
    owners: list[NDArray[np.integer]] = [np.zeros(0, np.int64)]
    for number, primitive in list_primitives(document):
        if is_compressed(document, number, primitive):
            continue
        keys, node = primitive["attributes"], document["nodes"][number]
        at = read_rows(document, blob, keys["POSITION"], 3)
        if "skin" in node and "JOINTS_0" in keys:
            skin = take(document, "skins", node["skin"])
            found = bend(document, blob, skin, keys, at, place, world)
        else:
            here = place[number]
            found = apply(world[here], at), np.full(len(at), here)
        points.append(found[0])
        owners.append(found[1])
    surface = Surface(np.concatenate(points), np.concatenate(owners))
    if not np.isfinite(surface.points).all():
        raise Fault("points of its meshes are not finite")
    return surface


def read_rows(
    document: Document, blob: bytes, number: Any, width: int, count: int | None = None
) -> Floats:
    """Numbers [count, width]."""
    values = read_accessor(document, blob, number)
    if values.ndim != 2 or values.shape[1] != width or count not in (None, len(values)):
        raise Fault("the points of a mesh have too many or too few numbers")
    return np.asarray(values, float)


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
    joints = np.array([place[joint] for joint in list_joints(document, skin)], np.int64)
    matrix = world[joints] @ read_inverse(document, blob, skin, len(joints))
    which = read_rows(document, blob, keys["JOINTS_0"], 4, len(at)).astype(np.int64)
    weight = read_rows(document, blob, keys["WEIGHTS_0"], 4, len(at))
    if which.size and not 0 <= which.min() <= which.max() < len(joints):
        raise Fault("points follow joints that their skin has not")
    points = np.zeros_like(at)
    for k in range(4):
        moved = np.einsum("pij,pj->pi", matrix[which[:, k], :3, :3], at)
        points += weight[:, k : k + 1] * (moved + matrix[which[:, k], :3, 3])
    most = which[np.arange(len(which)), np.argmax(weight, axis=1)]
    return points, joints[most]


def read_inverse(document: Document, blob: bytes, skin: Document, count: int) -> Floats:
    """From the space of a skin to that of each joint [joint, 4, 4]."""
    number = skin.get("inverseBindMatrices")
    if number is None:
        return np.tile(np.eye(4), (count, 1, 1))
    rows = read_rows(document, blob, number, 16)
    if len(rows) < count:
        raise Fault("a skin has fewer inverseBindMatrices than joints")
    return np.swapaxes(rows[:count].reshape(-1, 4, 4), 1, 2)


def apply(matrix: Floats, points: Floats) -> Floats:
    """Points [point, 3] moved by a matrix [4, 4]."""
    return points @ matrix[:3, :3].T + matrix[:3, 3]
