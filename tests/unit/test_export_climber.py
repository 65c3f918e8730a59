"""Climbers in the files of other programs: sound, and where the recording has them."""

import numpy as np
import pytest
from test_glb import METRE, Asset

from climber_recordings import EVERYTHING, TARANTULA, build_bodies, write_climber
from oracles import check_glb
from skitter.export.write import export_recording
from skitter.look.creature import build_creatures
from usd_check import check_usd

FPS = 30
FOOT, NUMBER = "leg_1_R_tarsus", 2 + 7 + 6  # behind thorax, abdomen and the left leg


@pytest.fixture(scope="module")
def spider(tmp_path_factory):
    return write_climber(tmp_path_factory.mktemp("climber") / "spider", seconds=0.3)


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    return write_climber(tmp_path_factory.mktemp("climber") / "all", EVERYTHING, seconds=0.1)


def test_glb_is_valid(spider, everything, tmp_path):
    export_recording(spider, tmp_path / "a.glb", fps=FPS)
    export_recording(everything, tmp_path / "b.glb", fps=FPS, lod=2, in_place=True)
    check_glb(*(tmp_path / f"{name}.glb" for name in "ab"))


def test_joints_of_a_glb_are_where_bodies_bend(spider, tmp_path):
    told = export_recording(spider, tmp_path / "a.glb", fps=FPS)
    bodies = build_bodies(TARANTULA, np.array([0.0, 6 / FPS]))
    asset = Asset(tmp_path / "a.glb")
    for k, frame in enumerate((0, 6)):
        joint = bodies.places[NUMBER][k] + bodies.turns[NUMBER][k] @ bodies.joint[NUMBER]
        found = asset.world(asset.number(FOOT), frame)[:3, 3]
        assert found == pytest.approx(METRE * joint, abs=1e-6)
    assert told.creatures[0].joints == len(bodies.size) + 1


def test_skin_of_a_glb_is_where_the_body_is(spider, tmp_path):
    export_recording(spider, tmp_path / "a.glb", fps=FPS)
    surface = build_creatures(spider)[0]
    exact = METRE * surface.rigid.at(surface.motion.pose(3 / FPS)).points
    assert np.abs(Asset(tmp_path / "a.glb").points("climber", 3)["body"] - exact).max() < 1e-6


@pytest.mark.parametrize("options", [{}, {"in_place": True}])
def test_usd_is_sound(options, everything, tmp_path):
    export_recording(everything, tmp_path / "a.usdc", fps=FPS, **options)
    assert check_usd(tmp_path / "a.usdc") == []
