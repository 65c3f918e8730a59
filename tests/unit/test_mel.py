"""Maya scripts: run by a small reader of MEL, joints are where the recording has them."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from mel_reader import Joint, Maya
from orders import make_order
from skitter.errors import UserError
from skitter.export.clip import plan_clip
from skitter.export.mel import CHANNELS, export_mel, find_angles, name_rate, unroll
from skitter.look.motion import open_motions
from skitter.look.rig import Rig

FPS, STEP = 30, 2  # and recorded frames for each frame
NAMES = ["scenes/centipede", "scenes/coil", "scenes/swimmer", "species/house_centipede"]


def play(recording, path, **options) -> Maya:
    clip = plan_clip(recording, fps=FPS)
    export_mel(make_order(recording, path, clip=clip, **options))
    maya = Maya()
    maya.run(path.read_text())
    return maya


@pytest.mark.parametrize("name", NAMES)
def test_joints_are_where_they_were_recorded(recorded, tmp_path, name):
    recording = recorded(name)
    maya = play(recording, tmp_path / "clip.mel")
    assert maya.units["linear"] == "cm"
    assert maya.units["angle"] == "degree"
    assert maya.units["time"] == "ntsc"
    assert maya.units["maxTime"] == (len(recording) - 1) // STEP
    for motion in open_motions(recording):
        rig = Rig(motion)
        assert len([one for one in maya.joints if one.startswith(f"{motion.name}:")]) == len(
            rig.names
        )
        bodies = recording[f"{motion.name}.body_position"]
        for frame in (0, 4, maya.units["maxTime"]):
            for k in (0, bodies.shape[1] // 2, bodies.shape[1] - 1):
                found = maya.place_at(f"{motion.name}:seg_{k:02d}", frame)[:3, 3]
                assert np.abs(found - bodies[STEP * frame][k]).max() < 1e-4 * rig.length
            if motion.has_legs:
                ankle = recording[f"{motion.name}.leg_point"][STEP * frame][1, 2]
                found = maya.place_at(f"{motion.name}:seg_01_leg_R_tarsus", frame)[:3, 3]
                assert np.abs(found - ankle).max() < 1e-4 * rig.length


def test_all_joints_follow_the_rig(recorded, tmp_path):
    recording = recorded("scenes/coil")
    maya = play(recording, tmp_path / "clip.mel", scale=2.5)
    for motion in open_motions(recording):
        rig = Rig(motion)
        now = rig.place(motion.pose(float(recording.time[STEP * 6])))
        for k, name in enumerate(rig.names):
            found = maya.place_at(f"{motion.name}:{name}", 6)
            assert np.abs(found[:3, 3] - 2.5 * now.position[k]).max() < 1e-4 * rig.length
            turn = Rotation.from_quat(now.orientation[k], scalar_first=True).as_matrix()
            assert np.abs(found[:3, :3] - turn).max() < 1e-5


def test_joints_that_are_there_get_keys_and_nothing_else(recorded, tmp_path):
    recording = recorded("scenes/coil")
    path = tmp_path / "clip.mel"
    export_mel(make_order(recording, path, clip=plan_clip(recording, fps=FPS)))
    maya, mine = Maya(), Joint("", {"translateX": 7.0, "rotateOrder": 3})
    maya.joints["coil:root"] = mine
    maya.spaces.add("coil")
    maya.run(path.read_text())
    assert maya.joints["coil:root"] is mine
    assert mine.values == {"translateX": 7.0, "rotateOrder": 3}
    assert set(mine.keys) == set(CHANNELS)
    assert any("coil:root" in one for one in maya.warnings)
    below = [name for name, joint in maya.joints.items() if joint.parent == "coil:root"]
    assert below == ["coil:seg_05"]  # the part in the middle


def test_a_rig_without_a_namespace(recorded, tmp_path):
    recording = recorded("scenes/swimmer")
    path = tmp_path / "clip.mel"
    export_mel(make_order(recording, path, clip=plan_clip(recording, fps=FPS)))
    maya = Maya()
    maya.run(path.read_text().replace('$prefix = "eel:"', '$prefix = ""'))
    assert not maya.spaces
    assert "root" in maya.joints


def test_still_channels_have_one_key(recorded, tmp_path):
    maya = play(recorded("scenes/centipede"), tmp_path / "clip.mel")
    tibia = maya.joints["giant_centipede:seg_03_leg_L_tibia"]
    assert len(tibia.keys["translateX"]) == 1
    assert len(tibia.keys["rotateZ"]) > 2


def test_levels_of_detail(recorded, tmp_path):
    recording = recorded("scenes/centipede")
    clip = plan_clip(recording, fps=FPS)
    counts = [
        export_mel(make_order(recording, tmp_path / "clip.mel", clip=clip, level=level))
        .creatures[0]
        .joints
        for level in range(3)
    ]
    assert counts == sorted(counts, reverse=True)


def test_batches_do_not_show(recorded, tmp_path, monkeypatch):
    recording = recorded("scenes/coil")
    clip = replace(plan_clip(recording, fps=FPS), in_place=True)
    one, other = tmp_path / "one.mel", tmp_path / "other.mel"
    export_mel(make_order(recording, one, clip=clip))
    monkeypatch.setattr("skitter.export.clip.BATCH", 3)
    export_mel(make_order(recording, other, clip=clip))
    assert one.read_text().splitlines()[3:] == other.read_text().splitlines()[3:]


def test_angles_are_those_of_the_rotation():
    turns = Rotation.random(200, random_state=4)
    angles = find_angles(turns.as_quat(scalar_first=True))
    again = Rotation.from_euler("xyz", angles, degrees=True)  # lower case: about fixed axes
    assert (again.inv() * turns).magnitude().max() < 1e-7


def test_angles_where_two_axes_are_one():
    for y in (90.0, -90.0):
        turn = Rotation.from_euler("xyz", [20.0, y, 50.0], degrees=True)
        angles = find_angles(turn.as_quat(scalar_first=True))
        again = Rotation.from_euler("xyz", angles, degrees=True)
        assert (again.inv() * turn).magnitude() < 1e-6


def test_unrolled_angles_do_not_jump():
    """Around and around about one axis, with another well turned: no step is larger than needed."""
    count = 400
    spin = np.linspace(0, 5 * 360, count)
    turns = Rotation.from_euler(
        "xyz", np.stack([0 * spin + 10, 0 * spin + 100, spin], axis=1), True
    )
    angles = find_angles(turns.as_quat(scalar_first=True))[:, None]
    smooth = unroll(angles, None)[:, 0]
    assert np.abs(np.diff(smooth, axis=0)).max() < 5.0
    again = Rotation.from_euler("xyz", smooth, degrees=True)
    assert (again.inv() * turns).magnitude().max() < 1e-6


def test_rates_of_maya(recorded, tmp_path):
    assert [name_rate(fps) for fps in (24, 25, 30, 60, 120, 29.97)] == [
        "film",
        "pal",
        "ntsc",
        "ntscf",
        "120fps",
        "29.97fps",
    ]
    recording = recorded("scenes/coil")
    with pytest.raises(UserError, match="Maya has no such rate; valid: 2, 3"):
        export_mel(make_order(recording, tmp_path / "clip.mel", clip=plan_clip(recording, fps=31)))
    assert list(tmp_path.iterdir()) == []
