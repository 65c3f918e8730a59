"""USD exports that cannot be: what is told, and that nothing is left."""

import os
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("pxr")

from pxr import UsdUtils
from usd_exports import FPS

from orders import make_order
from skitter.errors import UserError
from skitter.export.clip import plan_clip
from skitter.export.usd import scene as usd_scene
from skitter.export.usd.file import pack
from skitter.export.usd.write import export_usd
from skitter.export.write import export_recording
from skitter.look.creature import build_creatures


@pytest.mark.skipif(os.name != "posix", reason="files have no limit of size")
@pytest.mark.parametrize("suffix", [".usdc", ".usda", ".usdz"])
def test_what_cannot_be_written_is_told_in_plain_words(recorded, suffix, tmp_path):
    recording = recorded("scenes/swimmer")
    path, clip = tmp_path / f"out{suffix}", plan_clip(recording, fps=FPS, end=0.2)
    creatures = build_creatures(recording)
    with small_files(200_000), pytest.raises(UserError) as caught:
        export_usd(make_order(recording, path, clip=clip, creatures=creatures))
    assert str(caught.value) == f"{path}: cannot be written: File too large"
    assert list(tmp_path.iterdir()) == []


def test_a_package_that_is_cut_off_is_no_package(tmp_path, monkeypatch):
    binary, draft = tmp_path / "a.usdc", tmp_path / "a.usdz"
    binary.write_bytes(bytes(1000))
    draft.write_bytes(bytes(500))
    monkeypatch.setattr(UsdUtils, "CreateNewUsdzPackage", lambda *_: True)
    with pytest.raises(OSError, match="USD could not write it"):
        pack(binary, draft)


@contextmanager
def small_files(size: int):
    """No file may grow beyond a size, as on a full disk."""
    import resource

    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, usual[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)


def test_mistakes_are_told(recorded, tmp_path):
    recording = recorded("scenes/coil")
    for name, options, words in (
        ("clip.fbx", {}, r"must end in \.glb or \.usdc or \.usda or \.usd or \.usdz or"),
        ("clip.usdc", {"soft": "melted"}, "valid: cache, skinned"),
        ("none/clip.usdc", {}, "does not exist"),
    ):
        with pytest.raises(UserError, match=words):
            export_recording(recording, tmp_path / name, fps=FPS, **options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that takes no files")
@pytest.mark.parametrize("suffix", ["usdc", "usda"])
def test_a_file_that_cannot_be_written(recorded, suffix):
    recording = recorded("scenes/coil")
    path = Path(f"/proc/self/clip.{suffix}")
    with pytest.raises(UserError, match="cannot be written"):
        export_usd(make_order(recording, path, clip=plan_clip(recording, fps=FPS)))


def test_nothing_is_left_of_an_export_that_fails(recorded, tmp_path, monkeypatch):
    def fail(*_):
        raise UserError("no")

    monkeypatch.setattr(usd_scene, "define_lights", fail)
    recording = recorded("scenes/coil")
    for suffix in ("usdc", "usda"):
        with pytest.raises(UserError):
            export_usd(
                make_order(recording, tmp_path / f"a.{suffix}", clip=plan_clip(recording, fps=FPS))
            )
    assert list(tmp_path.iterdir()) == []
