"""What Blender makes of an exported file: where its bones and vertices are, and how it looks.

Runs in Blender's own Python, not in ours:

    .venv-blender/bin/python inspect_file.py file.glb --fps 30 --frames 0,3,11 --output found.npz
    .venv-blender/bin/python inspect_file.py file.usdc --fps 30 --picture seen.png --frame 12
    .venv-blender/bin/python inspect_file.py file.usdc --fps 30 --picture rig.png --bones

Frames are those of the clip, the first is 0. The output holds `bones/<armature>` [frame, bone, 3]
(heads), `bone_names/<armature>`, `points/<mesh>` [frame, vertex, 3], `triangles/<mesh>`, and
`about`, a JSON text that says the rest. Places are in the world, in metres and y up, as glTF has
them.
"""

import argparse
import json
import math
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector

SIZE, SAMPLES = (640, 360), 16
VIEW = Vector((0.55, -0.65, 0.5))  # from the creature to the camera, z up


def main() -> None:
    given = parse_arguments()
    load_file(given.file, fps=given.fps)
    if given.output:
        write_findings(given.output, given.frames)
    if given.picture:
        draw(given.picture, given.frame, bones=given.bones, own_camera=given.own_camera)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help=".glb, .usdc, .usda or .usdz")
    parser.add_argument("--fps", type=int, default=30, help="of the clip")
    parser.add_argument("--frames", type=read_frames, default=[0], help="of the clip: 0,3,11")
    parser.add_argument("--output", type=Path, help=".npz to write")
    parser.add_argument("--picture", type=Path, help=".png to draw")
    parser.add_argument("--frame", type=int, default=0, help="of the clip, to draw")
    parser.add_argument("--bones", action="store_true", help="draw bones instead of skins")
    parser.add_argument("--own-camera", action="store_true", help="the file's, if it has one")
    return parser.parse_args()


def read_frames(text: str) -> list[int]:
    return [int(word) for word in text.split(",")]


# --- loading


def load_file(path: Path, *, fps: int) -> None:
    """An empty scene with the file in it; a frame of the scene is a frame of the clip.

    The rate comes first: the import of glTF turns seconds into frames, and the one of USD takes
    time codes as they are but leaves the scene's rate alone. Both begin at frame 0, while a new
    scene of Blender's begins to play at frame 1.
    """
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base, scene.frame_start = fps, 1.0, 0
    if path.suffix == ".glb":
        bpy.ops.import_scene.gltf(filepath=str(path.absolute()), disable_bone_shape=True)
    else:
        bpy.ops.wm.usd_import(filepath=str(path.absolute()))


def objects_of(kind: str) -> list[bpy.types.Object]:
    return [one for one in bpy.context.scene.objects if one.type == kind]


# --- measuring


def write_findings(path: Path, frames: list[int]) -> None:
    armatures, meshes = objects_of("ARMATURE"), objects_of("MESH")
    heads: dict[str, list[np.ndarray]] = {one.name: [] for one in armatures}
    points: dict[str, list[np.ndarray]] = {one.name: [] for one in meshes}
    triangles = {}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        for one in armatures:
            heads[one.name].append(read_heads(one.evaluated_get(graph)))
        for one in meshes:
            at, triangles[one.name] = read_mesh(one.evaluated_get(graph))
            points[one.name].append(at)
    found = {f"bones/{name}": np.stack(rows) for name, rows in heads.items()}
    found |= {f"bone_names/{one.name}": np.array(one.pose.bones.keys(), str) for one in armatures}
    found |= {f"points/{name}": np.stack(rows) for name, rows in points.items()}
    found |= {f"triangles/{name}": rows for name, rows in triangles.items()}
    np.savez(path, about=json.dumps(describe(armatures, meshes)), **found)


def read_heads(armature: bpy.types.Object) -> np.ndarray:
    """Places of the bones' heads [bone, 3]."""
    heads = [armature.matrix_world @ bone.head for bone in armature.pose.bones]
    return turn_up(np.array(heads, float).reshape(-1, 3))


def read_mesh(thing: bpy.types.Object) -> tuple[np.ndarray, np.ndarray]:
    """Vertices [vertex, 3] after all that deforms them, and triangles [triangle, 3]."""
    mesh = thing.to_mesh()
    mesh.calc_loop_triangles()
    local = np.empty((len(mesh.vertices), 3), np.float32)
    triangles = np.empty((len(mesh.loop_triangles), 3), np.int32)
    mesh.vertices.foreach_get("co", local.reshape(-1))
    mesh.loop_triangles.foreach_get("vertices", triangles.reshape(-1))
    thing.to_mesh_clear()
    world = np.array(thing.matrix_world, float)
    return turn_up(local @ world[:3, :3].T + world[:3, 3]), triangles


def turn_up(points: np.ndarray) -> np.ndarray:
    """From Blender's z up to y up."""
    return np.stack([points[:, 0], points[:, 2], -points[:, 1]], axis=1)


def describe(armatures: list[bpy.types.Object], meshes: list[bpy.types.Object]) -> dict:
    scene = bpy.context.scene
    return {
        "blender": bpy.app.version_string,
        "fps": scene.render.fps,
        "scene_frames": [scene.frame_start, scene.frame_end],
        "objects": {one.name: one.type for one in scene.objects},
        "ancestors": {one.name: list_ancestors(one) for one in scene.objects},
        "actions": {one.name: list(one.frame_range) for one in bpy.data.actions},
        "armatures": {one.name: describe_armature(one) for one in armatures},
        "meshes": {one.name: describe_mesh(one) for one in meshes},
    }


def list_ancestors(thing: bpy.types.Object) -> list[str]:
    """Names, from its parent upwards."""
    return [thing.parent.name, *list_ancestors(thing.parent)] if thing.parent else []


def describe_armature(armature: bpy.types.Object) -> dict:
    scales = [[*bone.scale] for bone in armature.pose.bones]
    return {
        "bones": len(armature.pose.bones),
        "parents": {b.name: b.parent.name if b.parent else None for b in armature.pose.bones},
        "scale": [*armature.matrix_world.to_scale()],
        "bone_scale_error": float(np.abs(np.array(scales or [[1.0]]) - 1).max()),
    }


def describe_mesh(thing: bpy.types.Object) -> dict:
    armature = thing.find_armature()
    groups = [len(vertex.groups) for vertex in thing.data.vertices]
    return {
        "armature": armature.name if armature else None,
        "vertices": len(thing.data.vertices),
        "modifiers": [one.type for one in thing.modifiers],
        "colours": [f"{one.name} {one.domain}" for one in thing.data.color_attributes],
        "materials": [slot.material.name for slot in thing.material_slots if slot.material],
        "weights_at_most": max(groups, default=0),
    }


# --- drawing


def draw(path: Path, frame: int, *, bones: bool, own_camera: bool) -> None:
    """A picture by Cycles, which needs no graphics card; lit plainly unless the file has lights."""
    scene = bpy.context.scene
    scene.frame_set(frame)
    scene.render.engine = "CYCLES"
    scene.cycles.device, scene.cycles.samples = "CPU", SAMPLES
    scene.render.resolution_x, scene.render.resolution_y = SIZE
    scene.view_settings.view_transform = "Standard"
    if bones:
        show_bones()
    if not (own_camera and choose_camera()):
        add_camera(*find_ball())
    if not objects_of("LIGHT"):
        add_sun()
    if not scene.world:
        add_sky()
    scene.render.filepath = str(path.absolute())
    bpy.ops.render.render(write_still=True)


def choose_camera() -> bool:
    """The camera of the file; false if there is none."""
    cameras = objects_of("CAMERA")
    bpy.context.scene.camera = cameras[0] if cameras else None
    return bool(cameras)


def show_bones() -> None:
    """Spindles from head to tail, as Blender draws bones, in place of the skins."""
    skins = objects_of("MESH")
    graph = bpy.context.evaluated_depsgraph_get()
    for armature in objects_of("ARMATURE"):
        posed = armature.evaluated_get(graph)
        ends = [(bone.head.copy(), bone.tail.copy()) for bone in posed.pose.bones]
        add_spindles(armature, ends)
    for skin in skins:
        bpy.data.objects.remove(skin)


def add_spindles(armature: bpy.types.Object, ends: list[tuple[Vector, Vector]]) -> None:
    points, faces = [], []
    for head, tail in ends:
        along = tail - head
        across = 0.1 * along.length * along.orthogonal().normalized()
        other = 0.1 * along.length * along.cross(across).normalized()
        girth = head + 0.2 * along
        ring = [girth + across, girth + other, girth - across, girth - other]
        start = len(points)
        points += [head, *ring, tail]
        faces += [
            (start + end, start + 1 + k, start + 1 + (k + 1) % 4)
            for k in range(4)
            for end in (0, 5)
        ]
    mesh = bpy.data.meshes.new("spindles")
    mesh.from_pydata(points, [], faces)
    spindles = bpy.data.objects.new("spindles", mesh)
    spindles.matrix_world = armature.matrix_world
    bpy.context.scene.collection.objects.link(spindles)


def find_ball() -> tuple[Vector, float]:
    """Middle and radius of the creatures as they are in this frame; without any, of all."""
    graph = bpy.context.evaluated_depsgraph_get()
    seen = [one for one in objects_of("MESH") if is_creature(one)] or objects_of("MESH")
    posed = [one.evaluated_get(graph) for one in seen]
    corners = np.array([one.matrix_world @ Vector(c) for one in posed for c in one.bound_box])
    low, high = corners.min(axis=0), corners.max(axis=0)
    return Vector((low + high) / 2), float(np.linalg.norm(high - low) / 2)


def is_creature(mesh: bpy.types.Object) -> bool:
    """Whether an armature moves it, or lies beside it as it does beside a cached skin."""
    beside = mesh.parent.children if mesh.parent else ()
    return bool(mesh.find_armature()) or any(one.type == "ARMATURE" for one in beside)


def add_camera(middle: Vector, radius: float) -> None:
    scene, camera = bpy.context.scene, bpy.data.cameras.new("camera")
    distance = 0.85 * radius / math.sin(camera.angle * SIZE[1] / SIZE[0] / 2)
    camera.clip_start, camera.clip_end = distance / 100, distance * 100
    place = bpy.data.objects.new("camera", camera)
    place.location = middle + distance * VIEW.normalized()
    place.rotation_euler = (-VIEW).to_track_quat("-Z", "Y").to_euler()
    scene.collection.objects.link(place)
    scene.camera = place


def add_sun() -> None:
    scene, sun = bpy.context.scene, bpy.data.lights.new("sun", "SUN")
    sun.energy, sun.angle = 3.0, 0.2
    place = bpy.data.objects.new("sun", sun)
    place.rotation_euler = (0.6, 0.3, 0.4)
    scene.collection.objects.link(place)


def add_sky() -> None:
    scene = bpy.context.scene
    scene.world = bpy.data.worlds.new("sky")
    scene.world.use_nodes = True
    colour, strength = scene.world.node_tree.nodes["Background"].inputs[:2]
    colour.default_value, strength.default_value = (0.75, 0.8, 0.85, 1), 0.6


if __name__ == "__main__":
    main()
