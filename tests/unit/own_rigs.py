"""Names of a user's own rig and the mapping that explains them, and its motion read back."""

import re
from pathlib import Path

from skitter.export.own.gltf import build_source
from skitter.gltf.read import read_accessor, read_gltf
from skitter.look.motion import open_motions
from skitter.look.rig import Rig
from skitter.scene.load import load_scene
from skitter.species.myriapod import MyriapodSpec

GIANT = "giant_centipede"
MAP = """
joints:
  seg_00: Head
  seg_{n:02}: Spine.{n-1:03}
  seg_{n:02}_leg_{side}_femur: "{side}_Leg_{n}_a"
  seg_{n:02}_leg_{side}_tibia: "{side}_Leg_{n}_b"
  seg_{n:02}_leg_{side}_tarsus: "{side}_Leg_{n}_c"
  seg_{n:02}_leg_{side}_tip: "{side}_Leg_{n}_end"
  seg_00_antenna_{side}_{n}: Feeler{side}{n}
sides: {L: Left, R: Right}
"""
PART = {"femur": "a", "tibia": "b", "tarsus": "c", "tip": "end"}
SIDE = {"L": "Left", "R": "Right"}


def rename(name: str) -> str:
    """As MAP has it."""
    if leg := re.fullmatch(r"seg_(\d+)_leg_([LR])_(\w+)", name):
        return f"{SIDE[leg[2]]}_Leg_{int(leg[1])}_{PART[leg[3]]}"
    if feeler := re.fullmatch(r"seg_00_antenna_([LR])_(\d+)", name):
        return f"Feeler{SIDE[feeler[1]]}{feeler[2]}"
    if body := re.fullmatch(r"seg_(\d+)", name):
        return f"Spine.{int(body[1]) - 1:03d}" if int(body[1]) else "Head"
    return "Armature|top" if name == "root" else f"Other_{name}"


def write_map(folder: Path) -> Path:
    """A file with the mapping."""
    path = folder / "map.yaml"
    path.write_text(MAP)
    return path


def load(name: str, **changes) -> MyriapodSpec:
    scene = load_scene({"title": "t", "creatures": [{"species": name, "with": changes}]})
    species = scene.species[0]
    assert isinstance(species, MyriapodSpec)
    return species


def play(path: Path, frame: int, animation: int = 0):
    """The rig in a GLB at a frame, read without what wrote it."""
    document, blob = read_gltf(path)
    clip = document["animations"][animation]
    for channel in clip["channels"]:
        values = read_accessor(document, blob, clip["samplers"][channel["sampler"]]["output"])
        node = document["nodes"][channel["target"]["node"]]
        assert "matrix" not in node
        node[channel["target"]["path"]] = [float(one) for one in values[frame]]
    return build_source(path, document, blob)


def place_ours(recording, clip):
    """Names and positions [frame, joint, 3] of our joints, cm, and the tips of legs."""
    motion = open_motions(recording)[0]
    rig, pose = Rig(motion), motion.poses(clip.times)
    return rig, rig.place(pose), pose
