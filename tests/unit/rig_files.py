"""Rigs as a user might bring them: other names, axes, units and poses than ours, built by hand."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from skitter.creatures.plan import build_plan
from skitter.gltf.write import GltfWriter
from skitter.rotation import matrix_to_quaternion
from skitter.species.myriapod import MyriapodSpec
from skitter.species.stance import LegShape

LINKS = ("femur", "tibia", "tarsus")
UP_IS_Z = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # forward +y, up +z
FACES_MINUS_Z = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])


@dataclass
class Bones:
    """Joints by our names, in our axes, cm, and points that follow one joint each."""

    position: dict[str, np.ndarray] = field(default_factory=dict)
    parent: dict[str, str] = field(default_factory=dict)
    points: list[np.ndarray] = field(default_factory=list)
    owners: list[str] = field(default_factory=list)

    def add(self, name: str, at: np.ndarray, parent: str = "") -> None:
        self.position[name], self.parent[name] = at, parent

    def dress(self, name: str, points: np.ndarray) -> None:
        self.points += list(points)
        self.owners += [name] * len(points)


def build_bones(
    species: MyriapodSpec, *, pose: str = "spread", pivot: float = 0.0, tips: bool = True
) -> Bones:
    """The joints of a species; a `spread` leg is straight and level, else it stands.

    `pivot` is how far before its middle a segment has its joint, of its length.
    """
    bones = Bones()
    bones.add("root", np.array([3.0, 0.0, 0.0]))
    parts = build_plan(species).rigid
    for number, part in enumerate(parts):
        name, parent = f"seg_{number:02d}", f"seg_{number - 1:02d}" if number else "root"
        bones.add(name, part.centre + pivot * part.size * [1, 0, 0], parent)
        corners = np.array(np.meshgrid(*[[-0.5, 0.5]] * 3)).reshape(3, -1).T
        bones.dress(name, part.centre + corners * part.size)
    for number in range(species.segments):
        for side, sign in (("L", -1.0), ("R", 1.0)):
            add_leg(bones, species, parts[number + 1], number, side, sign, pose, tips)
    add_antennae(bones, species, parts[0].size)
    return bones


def add_leg(bones, species, part, number, side, sign, pose, tips) -> None:
    leg, scale, body = species.leg, species.leg_scale_of(number), f"seg_{number + 1:02d}"
    root = part.centre + part.size * [0, leg.root_height / 2, sign * 0.46]
    links = np.array(leg.links) * scale
    rise = np.zeros(3)
    if pose != "spread":
        shape = LegShape(*links, np.radians(leg.ankle_deg))
        down = -species.root_height(number)
        alpha, beta = shape.bend_to(leg.foot * links.sum(), down)
        rise = np.array([alpha, alpha - beta, alpha - beta - np.radians(leg.ankle_deg)])
    steps = links[:, None] * np.stack([0 * rise, np.sin(rise), sign * np.cos(rise)], axis=1)
    points = root + np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
    parent = body
    for link, start, end in zip(LINKS, points, points[1:], strict=False):
        name = f"{body}_leg_{side}_{link}"
        bones.add(name, start, parent)
        bones.dress(name, np.stack([start, end]))
        parent = name
    if tips:
        bones.add(f"{body}_leg_{side}_tip", points[-1], parent)


def add_antennae(bones: Bones, species: MyriapodSpec, head: np.ndarray) -> None:
    antenna = species.antenna
    for side, sign in (("L", -1.0), ("R", 1.0)):
        parent, at = "seg_00", head * [0.48, 0.2, sign * 0.28]
        step = np.array([0.8, 0.0, 0.6 * sign]) * antenna.length / antenna.links
        for number in range(antenna.links):
            name = f"seg_00_antenna_{side}_{number + 1}"
            bones.add(name, at, parent)
            bones.dress(name, np.stack([at, at + step]))
            parent, at = name, at + step


def write_rig(
    path: Path,
    bones: Bones,
    rename=lambda name: name,
    *,
    turn: np.ndarray = FACES_MINUS_Z,
    unit: float = 0.01,
    armature: float = 1.0,
    skin: bool = True,
    as_matrix: bool = False,
) -> None:
    """A GLB with joints turned at random; `unit` is what a cm is there.

    The joints hang on a node that is scaled, and turned as Blender does it.
    """
    rng, world = np.random.default_rng(5), {}
    blender = np.array([[1.0, 0, 0], [0, 0, 1.0], [0, -1.0, 0]])
    world[""] = np.eye(4)
    world[""][:3, :3] = armature * blender
    for name, at in bones.position.items():
        axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        axes[:, 0] *= np.linalg.det(axes)
        world[name] = np.eye(4)
        world[name][:3, :3], world[name][:3, 3] = armature * axes, unit * turn @ at
    writer, number = GltfWriter(), {name: k for k, name in enumerate(bones.position)}
    for name in bones.position:
        local = np.linalg.solve(world[bones.parent[name]], world[name])
        node = {"name": rename(name), **describe_matrix(local, as_matrix)}
        children = [number[other] for other, above in bones.parent.items() if above == name]
        writer.add("nodes", node | ({"children": children} if children else {}))
    tops = [number[name] for name, above in bones.parent.items() if not above]
    top = {"name": "Armature", "children": tops, **describe_matrix(world[""], False)}
    roots = [writer.add("nodes", top)]
    if skin:
        roots.append(add_skin(writer, bones, world, number, unit, turn))
    writer.document |= {"scene": 0, "scenes": [{"nodes": roots}]}
    writer.document["extras"] = {"author": "someone"}
    with path.open("wb") as file:
        writer.write(file)


def describe_matrix(matrix: np.ndarray, as_matrix: bool) -> dict:
    if as_matrix:
        return {"matrix": matrix.T.ravel().tolist()}
    scale = float(np.linalg.norm(matrix[:3, 0]))
    turn = np.roll(matrix_to_quaternion(matrix[:3, :3] / scale), -1)
    found = {"translation": matrix[:3, 3].tolist(), "rotation": turn.tolist()}
    return found | ({} if abs(scale - 1) < 1e-9 else {"scale": [scale] * 3})


def add_skin(writer: GltfWriter, bones: Bones, world, number, unit, turn) -> int:
    inverse = np.array([np.linalg.inv(world[name]).T.ravel() for name in number])
    joints = np.zeros((len(bones.owners), 4), np.uint16)
    joints[:, 0] = [number[name] for name in bones.owners]
    weights = np.tile(np.array([1, 0, 0, 0], np.float32), (len(joints), 1))
    points = (unit * np.array(bones.points) @ turn.T).astype(np.float32)
    attributes = {
        "POSITION": writer.add_array(points, bounds=True),
        "JOINTS_0": writer.add_array(joints),
        "WEIGHTS_0": writer.add_array(weights),
    }
    matrices = writer.add_array(inverse.astype(np.float32), target=None)
    skin = {"joints": list(number.values()), "inverseBindMatrices": matrices}
    material = writer.add("materials", {"name": "Chitin", "extras": {"gloss": 3}})
    primitive = {"attributes": attributes, "mode": 0, "material": material}
    mesh = writer.add("meshes", {"primitives": [primitive]})
    return writer.add("nodes", {"name": "Body", "mesh": mesh, "skin": writer.add("skins", skin)})


def add_usd_skin(stage, bones: Bones, joints: list[str], turn: np.ndarray) -> None:
    """A mesh of a square and a triangle, whose points follow one joint each."""
    from pxr import UsdGeom, UsdSkel, Vt

    mesh = UsdGeom.Mesh.Define(stage, "/Asset/Skin")
    points = (np.array(bones.points) @ turn.T).astype(np.float32)
    mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(points))
    mesh.CreateFaceVertexCountsAttr([4, 3])
    mesh.CreateFaceVertexIndicesAttr(list(range(7)))
    binding = UsdSkel.BindingAPI.Apply(mesh.GetPrim())
    owners = [joints.index(name) for name in bones.owners]
    binding.CreateJointIndicesPrimvar(False, 1).Set(owners)
    binding.CreateJointWeightsPrimvar(False, 1).Set([1.0] * len(owners))
    binding.CreateSkeletonRel().SetTargets(["/Asset/Rig"])


def write_usd_rig(path: Path, bones: Bones, rename=lambda name: name, *, skin: bool = True) -> None:
    """A USD file of a rig in mm with z up, below a root that is moved and turned."""
    from pxr import Gf, Usd, UsdGeom, UsdSkel, Vt

    stage = Usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 0.001)
    root = UsdSkel.Root.Define(stage, "/Asset")
    root.AddRotateZOp().Set(90.0)  # the skeleton faces -x, and so +y becomes its heading
    skeleton = UsdSkel.Skeleton.Define(stage, "/Asset/Rig")
    paths: dict[str, str] = {}
    for name in bones.position:
        parent = bones.parent[name]
        paths[name] = (f"{paths[parent]}/" if parent else "") + re.sub(r"\W", "_", rename(name))
    rng, world = np.random.default_rng(7), {}
    turn = np.linalg.inv([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]) @ UP_IS_Z
    for name, at in bones.position.items():
        axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        axes[:, 0] *= np.linalg.det(axes)
        world[name] = np.eye(4)
        world[name][:3, :3], world[name][:3, 3] = axes, 10 * turn @ at
    local = [
        np.linalg.solve(world.get(bones.parent[name], np.eye(4)), world[name]) for name in paths
    ]
    skeleton.CreateJointsAttr(list(paths.values()))
    skeleton.CreateBindTransformsAttr(
        Vt.Matrix4dArray([Gf.Matrix4d(world[name].T.tolist()) for name in paths])
    )
    skeleton.CreateRestTransformsAttr(
        Vt.Matrix4dArray([Gf.Matrix4d(one.T.tolist()) for one in local])
    )
    if skin:
        add_usd_skin(stage, bones, list(paths), 10 * turn)
    stage.SetDefaultPrim(root.GetPrim())
    stage.GetRootLayer().Save()
