"""An animal of links in the files of other programs: sound, and where the recording has it."""

import numpy as np
import pytest
from test_glb import METRE, Asset

from articulated_recordings import FRAME_RATE, build_roach, place_bodies, write_roach, write_wire
from mel_reader import Maya
from oracles import check_glb
from skitter.export.write import export_recording
from skitter.look.creature import build_creatures
from usd_check import check_usd

FPS = 30
FOOT = "leg_2_L_tarsus"


@pytest.fixture(scope="module")
def roach(tmp_path_factory):
    return write_roach(tmp_path_factory.mktemp("roach") / "whole")


@pytest.fixture(scope="module")
def wire(tmp_path_factory):
    return write_wire(tmp_path_factory.mktemp("wire") / "five")


def foot_joint(frame: int) -> np.ndarray:
    """Where the joint of a foot must be, cm."""
    body = build_roach()
    number = 3 + 4 * 2 + 3  # behind the trunk and the front legs
    places, turns = place_bodies(body, frame / FPS)
    return places[number] + turns[number] @ body.joint[number]


def test_glb_is_valid_and_joints_are_where_links_bend(roach, wire, tmp_path):
    told = export_recording(roach, tmp_path / "a.glb", fps=FPS)
    export_recording(roach, tmp_path / "b.glb", fps=FPS, lod=2, in_place=True)
    export_recording(wire, tmp_path / "c.glb", fps=FPS, scale=10)
    check_glb(*(tmp_path / f"{name}.glb" for name in "abc"))
    asset = Asset(tmp_path / "a.glb")
    for frame in (0, 7):
        found = asset.world(asset.number(FOOT), frame)[:3, 3]
        assert found == pytest.approx(METRE * foot_joint(frame), abs=1e-6)
    assert told.creatures[0].joints == 28


def test_skin_of_a_glb_is_where_the_body_is(roach, tmp_path):
    export_recording(roach, tmp_path / "a.glb", fps=FPS)
    surface = build_creatures(roach)[0]
    exact = METRE * surface.rigid.at(surface.motion.pose(6 / FPS)).points
    assert np.abs(Asset(tmp_path / "a.glb").points("roach", 6)["body"] - exact).max() < 1e-6


@pytest.mark.parametrize("options", [{}, {"in_place": True}])
def test_usd_is_sound(options, roach, wire, tmp_path):
    for recording, name in ((roach, "a"), (wire, "b")):
        export_recording(recording, tmp_path / f"{name}.usdc", fps=FPS, **options)
        assert check_usd(tmp_path / f"{name}.usdc") == []


def test_mel_keys_are_where_links_bend(roach, tmp_path):
    export_recording(roach, tmp_path / "a.mel", fps=FPS)
    maya = Maya()
    maya.run((tmp_path / "a.mel").read_text())
    for frame in (0, 7):
        found = maya.place_at(f"roach:{FOOT}", frame)[:3, 3]
        assert found == pytest.approx(foot_joint(frame), abs=1e-4)


def test_povray_has_every_frame(roach, tmp_path):
    export_recording(roach, tmp_path / "a.pov", fps=10)  # of half a second
    assert len(list((tmp_path / "a_frames").glob("frame_*.inc"))) == 5


def test_loop_is_one_cycle_of_the_gait(tmp_path):
    recording = write_roach(tmp_path / "long", seconds=2.0)
    told = export_recording(recording, tmp_path / "a.glb", loop=True, in_place=True, fps=FRAME_RATE)
    assert told.seconds == pytest.approx(0.25, abs=0.02)
