"""A worm in the files of other programs: sound, and where the recording has it."""

import numpy as np
import pytest
from test_glb import METRE, Asset

from mel_reader import Maya
from oracles import check_glb
from skitter.export.write import export_recording
from skitter.look.creature import build_creatures
from usd_check import check_usd
from worm_recordings import LENGTH, RADIUS, write_worm

FPS = 25


@pytest.fixture(scope="module")
def worm(tmp_path_factory):
    return write_worm(tmp_path_factory.mktemp("worm") / "plain", seconds=0.4)


@pytest.fixture(scope="module")
def strong(tmp_path_factory):
    folder = tmp_path_factory.mktemp("worm") / "muscles"
    return write_worm(folder, seconds=0.4, look={"muscles": True})


def midline(recording, frame: int, count: int = 24) -> np.ndarray:
    """Where its joints must be: every so many points of the recorded midline, cm."""
    line = recording["worm.midline"][round(frame * 50 / FPS)]
    step = (len(line) - 1) // count
    return line[step // 2 :: step]


def test_glb_is_valid_and_its_joints_are_on_the_midline(worm, strong, tmp_path):
    told = export_recording(worm, tmp_path / "a.glb", fps=FPS)
    export_recording(strong, tmp_path / "b.glb", fps=FPS, lod=1, in_place=True)
    export_recording(worm, tmp_path / "c.glb", fps=FPS, lod=2, scale=100)
    check_glb(*(tmp_path / f"{name}.glb" for name in "abc"))
    asset = Asset(tmp_path / "a.glb")
    for frame in (0, 5, 10):
        found = [asset.world(asset.number(f"spine_{k:02d}"), frame)[:3, 3] for k in range(24)]
        assert np.abs(found - METRE * midline(worm, frame)).max() < 1e-5 * METRE * LENGTH
    assert "24 joints along its spine" in told.notes[0]
    assert told.creatures[0].joints == 25


def test_skin_of_a_glb_is_near_the_body(worm, tmp_path):
    export_recording(worm, tmp_path / "a.glb", fps=FPS)
    asset = Asset(tmp_path / "a.glb")
    surface = build_creatures(worm)[0]
    exact = METRE * surface.soft.at(surface.motion.pose(0.2)).points
    gap = np.linalg.norm(asset.points("worm", 5)["soft"] - exact, axis=1)
    assert np.sqrt(np.mean(gap**2)) < 0.05 * METRE * RADIUS
    assert gap.max() < 0.15 * METRE * RADIUS


def test_ground_of_a_glb_goes_by_the_size_of_the_worm(worm, tmp_path):
    export_recording(worm, tmp_path / "a.glb", fps=FPS)
    asset = Asset(tmp_path / "a.glb")
    number = asset.nodes[asset.number("ground_0")]["mesh"]
    primitive = asset.document["meshes"][number]["primitives"][0]
    size = np.ptp(asset.array(primitive["attributes"]["POSITION"]), axis=0).max()
    assert 2 * METRE * LENGTH < size < 40 * METRE * LENGTH


@pytest.mark.parametrize("options", [{}, {"lod": 1}, {"soft": "skinned"}, {"in_place": True}])
def test_usd_is_sound(options, strong, tmp_path):
    export_recording(strong, tmp_path / "a.usdc", fps=FPS, **options)
    assert check_usd(tmp_path / "a.usdc") == []


def test_usd_has_the_exact_surface_and_colours_that_change(strong, tmp_path):
    from pxr import Usd, UsdGeom

    export_recording(strong, tmp_path / "a.usdc", fps=FPS)
    stage = Usd.Stage.Open(str(tmp_path / "a.usdc"))
    surface = build_creatures(strong)[0]
    pose = surface.motion.pose(0.2)
    skin = UsdGeom.Mesh.Get(stage, "/World/worm/worm_soft")
    points = np.array(skin.GetPointsAttr().Get(5))
    assert np.abs(points - surface.soft.at(pose).points).max() < 1e-5 * LENGTH
    variants = stage.GetPrimAtPath("/World/worm").GetVariantSets()
    for variant in ("cache", "skinned"):
        variants.SetSelection("soft", variant)
        made = UsdGeom.Mesh.Get(stage, "/World/worm/worm_muscles").GetDisplayColorPrimvar()
        colours = np.array(made.Get(5))
        assert colours == pytest.approx(surface.organs[0].colours_at(pose), abs=1e-6)
        assert np.abs(colours - np.array(made.Get(0))).max() > 0.1


def test_mel_keys_lie_on_the_midline(worm, tmp_path):
    export_recording(worm, tmp_path / "a.mel", fps=FPS)
    maya = Maya()
    maya.run((tmp_path / "a.mel").read_text())
    for frame in (0, 10):
        found = [maya.place_at(f"worm:spine_{k:02d}", frame)[:3, 3] for k in range(24)]
        assert np.abs(found - midline(worm, frame)).max() < 1e-5 * LENGTH


def test_povray_has_agar_a_clear_skin_and_muscles_that_change(strong, tmp_path):
    export_recording(strong, tmp_path / "a.pov", fps=5)
    script = (tmp_path / "a.pov").read_text()
    assert "Agar(<" in script
    first, last = ((tmp_path / "a_frames" / f"frame_000{k}.inc").read_text() for k in (0, 1))
    assert first.count("Glass(") == 1
    assert first.count("mesh2") == 2  # muscles and skin
    assert first.split("faces_")[1][:8] != last.split("faces_")[1][:8]  # other colours


def test_loop_of_a_crawl(tmp_path):
    """A period of its wave: what a game repeats."""
    recording = write_worm(tmp_path / "long", seconds=6.0)
    told = export_recording(recording, tmp_path / "a.glb", loop=True, in_place=True, fps=30)
    wave = LENGTH / 1.5 / 0.03  # s, that the head takes from crest to crest
    assert told.seconds == pytest.approx(wave, rel=0.05)
