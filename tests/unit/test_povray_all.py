"""POV-Ray draws every species and scene."""

import numpy as np
import pytest
from PIL import Image

from corpus import CORPUS
from skitter.export.pov import trace


@pytest.mark.parametrize("name", CORPUS)
def test_a_frame_is_drawn(name, recorded, tmp_path, monkeypatch):
    monkeypatch.setattr(trace, "PICTURE_TRIANGLES", 6000)  # more takes longer, and shows no more
    trace.trace_picture(recorded(name), tmp_path / "a.png", size=(128, 72), time=0.3, supersample=1)
    seen = np.asarray(Image.open(tmp_path / "a.png").convert("RGB"), float)
    assert seen.shape == (72, 128, 3)
    assert seen.std(axis=(0, 1)).max() > 4  # light and dark
    assert len(np.unique(seen.reshape(-1, 3), axis=0)) > 200
    assert 15 < seen.mean() < 245
