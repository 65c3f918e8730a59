"""A recording as a GLB: skinned, animated creatures, and the things around them.

Each creature is a node of its name that holds its joints, and a mesh bound to them. A skinned mesh
ignores where its own node is, so that node stands at the top, and all motion is the joints'. Units
are metres, y is up. Joints stand as at rest where no clip plays. All that moves is one animation.

glTF has no surfaces that change freely. A soft block that nothing holds deforms more than joints
can follow, so it has shapes besides: what the joints miss, as a few morph targets (shapes.py).
"""

import tempfile
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.export.clip import Clip, Told, bake, share_progress
from skitter.export.order import Order
from skitter.export.props import IN_PLACE_NOTE, Prop, build_props
from skitter.export.shapes import Shapes, find_shapes
from skitter.export.summary import CreatureSummary, Summary, tell_fit
from skitter.gltf.layout import INDEX_BUFFER
from skitter.gltf.write import GltfWriter
from skitter.look.colour import to_screen
from skitter.look.creature import CreatureSurface
from skitter.look.mesh import Mesh, unit_rows
from skitter.look.rig import Frames, Rig, localise
from skitter.look.skin import SkinPart, build_skin_parts
from skitter.render.output import replacing
from skitter.rotation import quaternion_to_matrix
from skitter.scene.load import take_name

Floats = NDArray[np.floating]
METRE = 0.01  # of a cm
STILL = 3e-7  # of a creature's length, or of a quaternion: what moves less does not move
COLOUR_NOTE = "{name}: the colours of its {kind} stay as at rest; in a .usdc they change"
WATER_NOTE = "water is left out, because glTF has no surface that changes: .usdc has it"


@dataclass
class Actor:
    """A creature on its way into the file."""

    creature: CreatureSurface
    rig: Rig
    parts: list[SkinPart]
    shapes: Shapes | None
    joints: list[int]  # nodes
    mesh: int  # node


def export_glb(order: Order) -> Summary:
    """Write some creatures of a recording, with what is around them."""
    clip, output, unit = order.clip, order.output, METRE * order.scale
    writer = GltfWriter()
    writer.document |= {"scene": 0, "scenes": [{"nodes": []}]}
    writer.document["asset"]["generator"] = "Skitter"
    actors = [add_creature(writer, one, clip, unit, order.level) for one in order.creatures]
    channels: list[dict[str, Any]] = []
    animation: dict[str, Any] = {"name": output.stem, "channels": channels}
    samplers = animation["samplers"] = []
    track = Tracks(writer, clip, channels, samplers)
    for number, actor in enumerate(actors):
        share = share_progress(order.progress, number, len(actors))
        add_motion(track, actor, clip, unit, progress=share)
    notes = add_scenery(writer, track, order.recording, clip, unit) if order.scenery else []
    if channels:
        writer.add("animations", animation)
    with replacing(output) as draft, draft.open("wb") as file:
        writer.write(file)
    told = [CreatureSummary.of(actor.rig, actor.parts) for actor in actors]
    notes += [line for actor in actors for line in tell_skin(actor, clip)]
    return Summary(output, "glb", clip.fps, len(clip.times), told, notes)


def tell_skin(actor: Actor, clip: Clip) -> list[str]:
    """What a user should know of a skin: how near joints bring it, and colours that change."""
    name, parts = actor.rig.motion.name, actor.parts
    notes = [COLOUR_NOTE.format(name=name, kind=p.kind) for p in parts if p.is_recoloured]
    return tell_fit(actor.creature, actor.rig, parts, clip) + notes


def add_scenery(
    writer: GltfWriter, track: "Tracks", recording: Any, clip: Clip, unit: float
) -> list[str]:
    """What is around the creatures; returns what a user should know of it."""
    if clip.in_place:
        return [IN_PLACE_NOTE]
    taken = {node["name"] for node in writer.document["nodes"]}  # one may be called as a thing is
    for prop in build_props(recording, clip):
        add_prop(writer, track, replace(prop, name=take_name(prop.name, taken)), unit)
    return [WATER_NOTE] if recording.scene.get("water") else []


# creatures


def add_creature(
    writer: GltfWriter, creature: CreatureSurface, clip: Clip, unit: float, level: int
) -> Actor:
    """Joints, skin and mesh of a creature, at rest."""
    rig = Rig(creature.motion, level=level)
    parts = build_skin_parts(creature, rig)
    shapes = find_shapes(creature, rig, parts[0], clip) if rig.is_free else None
    name = rig.motion.name
    joints = add_joints(writer, rig, unit)
    top = writer.add("nodes", {"name": name, "children": [joints[0]]})
    skin = {"name": name, "joints": joints, "skeleton": joints[0]}
    skin["inverseBindMatrices"] = writer.add_array(invert_bind(rig, unit), target=None)
    mesh: dict[str, Any] = {"name": f"{name}_skin"}
    mesh["primitives"] = [add_skinned(writer, name, part, shapes, unit) for part in parts]
    if shapes is not None:
        mesh["weights"] = shapes.at_rest
        mesh["extras"] = {"targetNames": shapes.names}
    node = {"name": f"{name}_mesh", "mesh": writer.add("meshes", mesh)}
    node["skin"] = writer.add("skins", skin)
    number = writer.add("nodes", node)
    writer.document["scenes"][0]["nodes"] += [top, number]
    return Actor(creature, rig, parts, shapes, joints, number)


def add_joints(writer: GltfWriter, rig: Rig, unit: float) -> list[int]:
    """A node for each joint, where it is at rest."""
    local = localise(rig.bind, rig.parents)
    first = len(writer.document.get("nodes", []))
    for k, name in enumerate(rig.names):
        node: dict[str, Any] = {"name": name}
        node["translation"] = (unit * local.position[k]).tolist()
        node["rotation"] = to_xyzw(local.orientation[k]).tolist()
        children = [first + int(child) for child in np.flatnonzero(rig.parents == k)]
        writer.add("nodes", node | ({"children": children} if children else {}))
    return list(range(first, first + len(rig.names)))


def invert_bind(rig: Rig, unit: float) -> NDArray[np.float32]:
    """From the skin at rest to each joint [joint, 16], column by column."""
    back = np.swapaxes(quaternion_to_matrix(rig.bind.orientation), -1, -2)
    matrix = np.tile(np.eye(4), (len(back), 1, 1))
    matrix[:, :3, :3] = back
    matrix[:, :3, 3] = -unit * np.einsum("jik,jk->ji", back, rig.bind.position)
    return np.swapaxes(matrix, 1, 2).reshape(-1, 16).astype(np.float32)


def to_xyzw(quaternion: Floats) -> Floats:
    """As glTF has them."""
    return np.roll(quaternion, -1, axis=-1)


def add_skinned(
    writer: GltfWriter, name: str, part: SkinPart, shapes: Shapes | None, unit: float
) -> dict[str, Any]:
    """A primitive of a creature: coloured, bound to its joints, with its shapes."""
    primitive = add_mesh(writer, part.mesh, unit)
    colours = np.asarray(part.colours, np.float32)
    primitive["attributes"]["COLOR_0"] = writer.add_array(np.clip(colours, 0, 1))
    kind = np.uint8 if part.joints.max() < 256 else np.uint16
    primitive["attributes"]["JOINTS_0"] = writer.add_array(part.joints.astype(kind))
    weights = part.weights.astype(np.float32)
    weights[:, 0] = 1 - weights[:, 1:].sum(axis=1)
    primitive["attributes"]["WEIGHTS_0"] = writer.add_array(weights)
    label, white = f"{name}_{part.kind}", np.ones(3)
    primitive["material"] = add_material(writer, label, white, part.roughness, part.opacity)
    if shapes is not None:
        primitive["targets"] = [
            {"POSITION": writer.add_array((unit * offset).astype(np.float32), bounds=True)}
            for offset in shapes.offset
        ]
    return primitive


def add_mesh(writer: GltfWriter, mesh: Mesh, unit: float) -> dict[str, Any]:
    """A primitive with positions and normals."""
    normals = unit_rows(np.asarray(mesh.normals, float))
    normals = np.where(np.any(normals, axis=1, keepdims=True), normals, [0.0, 1.0, 0.0])
    points = (unit * mesh.points).astype(np.float32)
    triangles = mesh.triangles.astype(np.uint32).reshape(-1)
    return {
        "attributes": {
            "POSITION": writer.add_array(points, bounds=True),
            "NORMAL": writer.add_array(normals.astype(np.float32)),
        },
        "indices": writer.add_array(triangles, target=INDEX_BUFFER),
    }


def add_material(
    writer: GltfWriter, name: str, colour: Floats, roughness: float, opacity: float = 1.0
) -> int:
    """A material of a colour in linear light."""
    surface = {
        "baseColorFactor": [*(float(c) for c in colour), opacity],
        "metallicFactor": 0.0,
        "roughnessFactor": roughness,
    }
    material: dict[str, Any] = {"name": name, "pbrMetallicRoughness": surface}
    if opacity < 1:
        material |= {"alphaMode": "BLEND", "doubleSided": True}
    return writer.add("materials", material)


def share_material(writer: GltfWriter, prop: Prop) -> int:
    """One material for all things of a kind that have a colour."""
    tone = "".join(f"{value:02x}" for value in to_screen(prop.colour))
    name = f"{prop.kind}_{tone}"
    made = [one["name"] for one in writer.document.get("materials", [])]
    if name in made:
        return made.index(name)
    return add_material(writer, name, prop.colour, prop.roughness)


# motion


class Tracks:
    """The channels of the animation."""

    def __init__(
        self,
        writer: GltfWriter,
        clip: Clip,
        channels: list[dict[str, Any]],
        samplers: list[dict[str, Any]],
    ) -> None:
        self._writer, self._clip = writer, clip
        self._channels, self._samplers = channels, samplers
        self._all: int | None = None  # the accessor of all times

    def add(
        self,
        node: int,
        path: str,
        values: Floats,
        *,
        frames: NDArray[np.integer] | None = None,
        held: bool = False,
    ) -> None:
        """A track of values [key, …], at all frames or at some; `held` ones jump."""
        sampler = {
            "input": self._times(frames),
            "output": self._writer.add_array(np.asarray(values, np.float32), target=None),
            "interpolation": "STEP" if held else "LINEAR",
        }
        self._samplers.append(sampler)
        target = {"node": node, "path": path}
        self._channels.append({"sampler": len(self._samplers) - 1, "target": target})

    def _times(self, frames: NDArray[np.integer] | None) -> int:
        if frames is not None:
            return self._write_times(frames)
        if self._all is None:
            self._all = self._write_times(np.arange(len(self._clip.times)))
        return self._all

    def _write_times(self, frames: NDArray[np.integer]) -> int:
        times = (frames / self._clip.fps).astype(np.float32)
        return self._writer.add_array(times, target=None, bounds=True)


def add_motion(
    track: Tracks, actor: Actor, clip: Clip, unit: float, *, progress: Told | None
) -> None:
    """The tracks of all joints, and of shapes; a joint that stays as at rest has none."""
    rig, count, joints = actor.rig, len(clip.times), len(actor.rig.names)
    rest = localise(rig.bind, rig.parents)
    with tempfile.TemporaryFile() as file:
        values = np.memmap(file, np.float32, "w+", shape=(joints, count, 7))
        weights = np.zeros((count, 0 if actor.shapes is None else len(actor.shapes.offset)))
        done = 0
        for local in bake(rig, clip, progress=progress):
            some = slice(done, done + len(local.position))
            values[:, some, :3] = unit * np.swapaxes(local.position, 0, 1)
            values[:, some, 3:] = np.swapaxes(to_xyzw(local.orientation), 0, 1)
            if actor.shapes is not None:
                weights[some] = actor.shapes.weigh(clip.times[some])
            done = some.stop
        for k, node in enumerate(actor.joints):
            add_joint_tracks(track, node, values[k], k, rest, unit * rig.length, unit)
        del values
    if actor.shapes is not None:
        track.add(actor.mesh, "weights", weights.reshape(-1))


def add_joint_tracks(
    track: Tracks, node: int, values: Floats, k: int, rest: Frames, length: float, unit: float
) -> None:
    """Where a joint is and how it is turned [frame, 7], unless that is as at rest."""
    position, orientation = np.asarray(values[:, :3]), np.asarray(values[:, 3:])
    if np.abs(position - unit * rest.position[k]).max() > STILL * length:
        track.add(node, "translation", position)
    still = to_xyzw(rest.orientation[k])
    gap = np.minimum(
        np.abs(orientation - still).max(axis=1), np.abs(orientation + still).max(axis=1)
    )
    if gap.max() > STILL:
        track.add(node, "rotation", orientation)


# things


def add_prop(writer: GltfWriter, track: Tracks, prop: Prop, unit: float) -> None:
    """A node with a mesh; one that moves or vanishes has tracks."""
    primitive = add_mesh(writer, prop.mesh, unit)
    primitive["material"] = share_material(writer, prop)
    node: dict[str, Any] = {
        "name": prop.name,
        "mesh": writer.add("meshes", {"name": prop.name, "primitives": [primitive]}),
    }
    if prop.track is not None:
        first = int(np.argmax(prop.track.is_there))
        node["translation"] = (unit * prop.track.position[first]).tolist()
        node["rotation"] = to_xyzw(prop.track.orientation[first]).tolist()
    number = writer.add("nodes", node)
    writer.document["scenes"][0]["nodes"].append(number)
    if prop.track is None:
        return
    if prop.track.moves:
        track.add(number, "translation", unit * prop.track.position)
        track.add(number, "rotation", to_xyzw(prop.track.orientation))
    if prop.track.vanishes:
        there = prop.track.is_there.astype(float)
        frames = np.flatnonzero(np.diff(there, prepend=1 - there[0]))
        sizes = np.tile(there[frames, None], (1, 3))
        track.add(number, "scale", sizes, frames=frames, held=True)
