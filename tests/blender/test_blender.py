"""What an animator gets: exports opened in Blender show the recorded animal, joint by joint."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from contract import METRE, body_length, expect_joints
from findings import Findings, inspect
from surfaces import build_seen, distance_to

from corpus import CORPUS
from skitter.look.creature import SKIN_TRIANGLES, build_creatures
from skitter.look.mesh import Mesh, join_meshes
from skitter.record import Recording

pytestmark = pytest.mark.blender
STEP = 2  # recorded frames for each frame of the clip
COUNT = 10  # frames looked at for joints; surfaces cost more
SURFACE_COUNT = 3
JOINT_NEAR, SURFACE_NEAR = 1e-4, 0.01  # of the body's length
SOME = [
    "species/centipede18",
    "species/house_centipede",  # its legs differ much in length
    "species/millipede",  # most joints
    "species/robot",
    "species/ceiling_light",  # branches, no legs
    "species/jelly_cube",  # soft only
    "species/cube",  # rigid only
    "scenes/dropped",  # several creatures of one species
    "scenes/coil",  # soft blocks that bend far
    "scenes/swimmer",  # one skin over all, in water
    "scenes/worm",  # a spine, in a body a millimetre long
]
NAMES = CORPUS if os.environ.get("ALL") else SOME
KINDS = ["glb", "usdc"]


@dataclass(frozen=True)
class Opened:
    """An export, what was said of it, and what Blender found in it."""

    recording: Recording
    report: dict[str, Any]
    frames: list[int]
    found: Findings

    @property
    def fps(self) -> int:
        return choose_rate(self.recording)


def choose_rate(recording: Recording) -> int:
    """Of a clip, so that its frames are recorded ones."""
    return round(recording.frame_rate / STEP)


@pytest.fixture(scope="module", params=[(n, k) for n in NAMES for k in KINDS], ids="-".join)
def opened(request, recorded, tmp_path_factory) -> Opened:
    name, kind = request.param
    recording = recorded(name)
    path = tmp_path_factory.mktemp("export") / f"clip.{kind}"
    report = export(recording, path)
    frames = choose_frames(report["frames"])
    return Opened(
        recording, report, frames, inspect(path, fps=choose_rate(recording), frames=frames)
    )


def export(recording: Recording, path: Path) -> dict[str, Any]:
    """By the command that users run."""
    rate = str(choose_rate(recording))
    command = ["export", str(recording.path), "-o", str(path), "--fps", rate, "--json"]
    done = subprocess.run([sys.executable, "-m", "skitter", *command], capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)["export"]


def choose_frames(count: int) -> list[int]:
    """The ends of the clip and random frames between."""
    between = np.random.default_rng(7).permutation(np.arange(1, count - 1))[: COUNT - 2]
    return [0, count - 1, *between.tolist()]


def test_clip_is_as_long_as_the_recording(opened):
    assert opened.report["fps"] == opened.fps
    assert opened.report["frames"] == (len(opened.recording) - 1) // STEP + 1
    for first, last in opened.found.about["actions"].values():
        assert (first, last) == (0, opened.report["frames"] - 1)


def test_every_creature_has_its_joints(opened):
    names = [one["name"] for one in opened.recording.creatures]
    assert [one["name"] for one in opened.report["creatures"]] == names
    for one in opened.report["creatures"]:
        armature = opened.found.about["armatures"][opened.found.find_armature(one["name"])]
        assert armature["bones"] == one["joints"]
        assert [bone for bone, parent in armature["parents"].items() if not parent] == ["root"]
        assert armature["bone_scale_error"] < 1e-5


def test_joints_are_where_they_were_recorded(opened):
    for one in opened.recording.creatures:
        heads = opened.found.bones(opened.found.find_armature(one["name"]))
        expected = expect_joints(opened.recording, one["name"])
        assert not sorted(expected.keys() - heads.keys())
        length = body_length(opened.recording, one["name"])
        rows = [STEP * frame for frame in opened.frames]
        off = {joint: np.abs(heads[joint] - expected[joint][rows]).max() for joint in expected}
        worst = max(off, key=lambda joint: off[joint], default="")
        share = off.get(worst, 0.0) / length
        assert share < JOINT_NEAR, f"{one['name']}: {worst} is {share:.2g} of its length off"


def test_skins_are_where_they_were_seen(opened):
    """Every point of a skin lies on the surface that pictures show, and none of that is missing."""
    limit = SKIN_TRIANGLES * len(opened.recording.creatures)  # as fine as if each were alone
    for creature in build_creatures(opened.recording, triangle_limit=limit):
        length = body_length(opened.recording, creature.motion.name) / METRE
        for row, frame in enumerate(opened.frames[:SURFACE_COUNT]):
            seen = build_seen(creature, float(opened.recording.time[STEP * frame]))
            skin = build_skin(opened.found, creature.motion.name, row)
            what = f"{creature.motion.name}, frame {frame}"
            check_near(f"{what}: the skin", distance_to(seen, skin.points) / length)
            check_near(f"{what}: what is seen", distance_to(skin, seen.points[::5]) / length)


def build_skin(found: Findings, name: str, row: int) -> Mesh:
    """All meshes of a creature as one, cm."""
    meshes = found.find_meshes(name)
    assert meshes
    points = [found.points(mesh)[row] / METRE for mesh in meshes]
    return join_meshes(
        [Mesh(p, p, found.triangles(m)) for p, m in zip(points, meshes, strict=True)]
    )


def check_near(what: str, off: np.ndarray) -> None:
    far = int((off > SURFACE_NEAR).sum())
    assert far == 0, f"{what} is off by up to {off.max():.2%} of the length at {far} points"


def test_at_most_four_weights(opened):
    for mesh in opened.found.about["meshes"].values():
        assert mesh["weights_at_most"] <= 4
