"""GLB: valid by Khronos' validator, and every number in it as recorded."""

from functools import cache

import numpy as np
import pytest

import skitter
from corpus import CORPUS
from oracles import check_glb
from skitter.errors import UserError
from skitter.export.write import choose_creatures, export_recording
from skitter.gltf.read import read_accessor, read_gltf
from skitter.look.creature import build_creatures
from skitter.look.rig import Rig
from skitter.look.skin import exact_points

METRE = 0.01
ENDS = ("seg_00", "seg_20")


class Asset:
    """A GLB that is played: where its joints and points are at a frame."""

    def __init__(self, path) -> None:
        self.document, self.blob = read_gltf(path)
        self.nodes = self.document["nodes"]
        self.array = cache(self.array)
        self.world = cache(self.world)
        self.parent = {c: n for n, one in enumerate(self.nodes) for c in one.get("children", [])}
        animation = self.document["animations"][0]
        self.tracks = {
            (one["target"]["node"], one["target"]["path"]): animation["samplers"][one["sampler"]]
            for one in animation["channels"]
        }

    def array(self, number: int) -> np.ndarray:
        return read_accessor(self.document, self.blob, number)

    def number(self, name: str) -> int:
        return next(k for k, node in enumerate(self.nodes) if node.get("name") == name)

    def value(self, node: int, path: str, frame: int, default) -> np.ndarray:
        sampler = self.tracks.get((node, path))
        if sampler is None:
            return np.array(self.nodes[node].get(path, default), float)
        values = self.array(sampler["output"])
        times = self.array(sampler["input"])
        if len(times) == len(values):
            at = int(np.searchsorted(times, self.time(frame) + 1e-6, side="right")) - 1
            return values[at].astype(float)
        return values.reshape(len(times), -1)[frame].astype(float)

    def time(self, frame: int) -> float:
        longest = max((self.array(one["input"]) for one in self.tracks.values()), key=len)
        return float(longest[frame])

    def world(self, node: int, frame: int) -> np.ndarray:
        matrix = np.eye(4)
        x, y, z, w = self.value(node, "rotation", frame, (0, 0, 0, 1))
        matrix[:3, :3] = turn_matrix(w, x, y, z) * self.value(node, "scale", frame, (1, 1, 1))
        matrix[:3, 3] = self.value(node, "translation", frame, (0, 0, 0))
        above = self.parent.get(node)
        return matrix if above is None else self.world(above, frame) @ matrix

    def points(self, creature: str, frame: int) -> dict[str, np.ndarray]:
        """Where the skin is, by material."""
        node = self.number(f"{creature}_mesh")
        skin = self.document["skins"][self.nodes[node]["skin"]]
        inverse = self.array(skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
        joints = np.stack([self.world(k, frame) for k in skin["joints"]]) @ inverse
        found = {}
        for part in self.document["meshes"][self.nodes[node]["mesh"]]["primitives"]:
            values = {key: self.array(k) for key, k in part["attributes"].items()}
            points = values["POSITION"].astype(float)
            weights = self.value(node, "weights", frame, [0] * len(part.get("targets", [])))
            for weight, target in zip(weights, part.get("targets", []), strict=True):
                points = points + weight * self.array(target["POSITION"])
            whole = np.column_stack([points, np.ones(len(points))])
            mixed = np.einsum("pk,pkij->pij", values["WEIGHTS_0"], joints[values["JOINTS_0"]])
            name = self.document["materials"][part["material"]]["name"]
            found[name.removeprefix(f"{creature}_")] = np.einsum("pij,pj->pi", mixed, whole)[:, :3]
        return found


def turn_matrix(w, x, y, z) -> np.ndarray:
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def test_all_species_and_scenes_are_valid(recorded, tmp_path):
    paths = []
    for name in CORPUS:
        paths.append(tmp_path / f"{name.replace('/', '_')}.glb")
        export_recording(recorded(name), paths[-1])
    check_glb(*paths)


@pytest.mark.parametrize("options", [{"lod": 1}, {"lod": 2}, {"in_place": True}, {"scale": 100}])
def test_options_are_valid(options, recorded, tmp_path):
    export_recording(recorded("scenes/centipede"), tmp_path / "a.glb", **options)
    check_glb(tmp_path / "a.glb")


@pytest.mark.parametrize("name", ["species/giant_centipede", "scenes/swimmer", "scenes/coil"])
def test_joints_and_skin_are_as_recorded(name, recorded, tmp_path):
    recording = recorded(name)
    export_recording(recording, tmp_path / "a.glb", fps=30)
    asset = Asset(tmp_path / "a.glb")
    creature = build_creatures(recording)[0]
    rig = Rig(creature.motion)
    for frame in (0, 7, 12):
        pose = creature.motion.pose(frame / 30)
        wanted = METRE * rig.place(pose).position
        found = [asset.world(asset.number(joint), frame)[:3, 3] for joint in rig.names]
        assert np.abs(wanted - found).max() < 1e-5 * METRE * rig.length
        for kind, points in asset.points(rig.motion.name, frame).items():
            exact = METRE * exact_points(creature, kind, pose)
            gap = np.linalg.norm(points - exact, axis=1).max()
            assert gap < 0.01 * METRE * rig.length, kind


def test_what_joints_cannot_follow_has_shapes(recorded, tmp_path):
    """A jelly is squashed to half its height and more."""
    recording = recorded("scenes/jelly_drop")
    export_recording(recording, tmp_path / "a.glb", fps=60)
    asset = Asset(tmp_path / "a.glb")
    for creature in choose_creatures(recording, None, 0):
        rig = Rig(creature.motion)
        for frame in (0, 13, 24):
            pose = creature.motion.pose(frame / 60)
            points = asset.points(rig.motion.name, frame)["soft"]
            gap = points - METRE * exact_points(creature, "soft", pose)
            assert np.linalg.norm(gap, axis=1).max() < 0.005 * METRE * rig.length


def test_root_stays_in_place(recorded, tmp_path):
    recording = recorded("scenes/centipede")
    export_recording(recording, tmp_path / "free.glb")
    export_recording(recording, tmp_path / "held.glb", in_place=True)
    free, held = Asset(tmp_path / "free.glb"), Asset(tmp_path / "held.glb")
    roots = [one.world(one.number("root"), 12) for one in (free, held)]
    assert np.allclose(roots[1][:3, 3], 0, atol=1e-7)
    assert np.linalg.norm(roots[0][:3, 3]) > 0.02
    # the body is as it was: every part sees the others where it did
    ends = [one.world(one.number(name), 12) for one in (free, held) for name in ENDS]
    seen = [np.linalg.inv(ends[k]) @ ends[k + 1] for k in (0, 2)]
    assert np.allclose(seen[0], seen[1], atol=1e-6)


def test_scale_is_of_everything(recorded, tmp_path):
    recording = recorded("scenes/centipede")
    export_recording(recording, tmp_path / "a.glb")
    export_recording(recording, tmp_path / "b.glb", scale=50.0)
    a, b = Asset(tmp_path / "a.glb"), Asset(tmp_path / "b.glb")
    for name in ("seg_05", "seg_20_leg_L_femur", "obstacle_3", "food_2"):
        if not any(node.get("name") == name for node in a.nodes):
            continue
        one, other = (asset.world(asset.number(name), 9)[:3, 3] for asset in (a, b))
        assert np.allclose(50 * one, other, rtol=1e-4, atol=1e-5)


def test_eaten_food_vanishes(tmp_path):
    scene = {
        "title": "A meal",
        "terrain": [{"shape": "plane"}],
        "creatures": [{"species": "giant_centipede", "name": "one"}],
        "food": [{"at": [1.2, 0.5, 0.0]}, {"at": [30.0, 0.5, 0.0]}],
    }
    recording = skitter.run(scene, seconds=0.5, output=tmp_path / "rec")
    left = np.asarray(recording["food_left"][:])
    export_recording(recording, tmp_path / "a.glb", fps=60)
    check_glb(tmp_path / "a.glb")
    asset = Asset(tmp_path / "a.glb")
    for piece in range(left.shape[1]):
        for frame in (0, 29):
            size = asset.value(asset.number(f"food_{piece}"), "scale", frame, (1, 1, 1))
            assert size[0] == left[frame, piece]


def test_unfit_options_are_refused(recorded, tmp_path):
    recording = recorded("scenes/dropped")
    for options, words in {
        "fbx": ({}, "must end in .glb"),
        "lod": ({"lod": 5}, "--lod 5"),
        "scale": ({"scale": 0.0}, "--scale 0"),
        "nan": ({"scale": float("nan")}, "--scale nan"),
        "start": ({"start": 99.0}, "--start 99"),
        "back": ({"start": 0.3, "end": 0.1}, "the start first"),
        "creature": ({"creature": "nobody"}, "--creature nobody"),
        "soft": ({"soft": "cache"}, "--soft does not apply"),
        "loop": ({"loop": True}, "--loop: is of one creature"),
    }.values():
        suffix = "fbx" if "must end" in words else "glb"
        with pytest.raises(UserError, match=words):
            export_recording(recording, tmp_path / f"a.{suffix}", **options)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_of_an_export_that_fails(recorded, tmp_path):
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    (tmp_path / "a.glb").write_bytes(b"before")
    with pytest.raises(KeyboardInterrupt):
        export_recording(recorded("scenes/centipede"), tmp_path / "a.glb", progress=stop)
    assert [one.name for one in tmp_path.iterdir()] == ["a.glb"]
    assert (tmp_path / "a.glb").read_bytes() == b"before"


def test_same_recording_same_bytes(recorded, tmp_path):
    files = []
    for _ in range(2):
        export_recording(recorded("scenes/swimmer"), tmp_path / "a.glb")
        files.append((tmp_path / "a.glb").read_bytes())
    assert files[0] == files[1]


def test_a_creature_may_be_called_as_a_thing_is(tmp_path):
    scene = {
        "title": "a cube",
        "terrain": [{"shape": "plane"}],
        "creatures": [{"species": "cube", "name": "ground_0", "at": [0, 1, 0]}],
    }
    export_recording(skitter.run(scene, seconds=0.1), tmp_path / "a.glb")
    document, _ = read_gltf(tmp_path / "a.glb")
    names = [document["nodes"][one]["name"] for one in document["scenes"][0]["nodes"]]
    assert sorted(names) == ["ground_0", "ground_0_2", "ground_0_mesh"]
