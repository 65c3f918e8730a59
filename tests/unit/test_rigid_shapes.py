"""Where rigid bodies are tested for contact."""

import numpy as np
import pytest

from skitter.rigid.shapes import box_probes, capsule_probes

SIZE = np.array([2.0, 3.0, 5.0])


@pytest.mark.parametrize("points", [2, 3, 4])
def test_probes_of_a_box_are_all_over_its_surface(points):
    """A grid without its inside; the eight corners come first."""
    probes = box_probes(SIZE, points)
    share = probes[:, :3] / SIZE
    assert np.abs(share).max(axis=1) == pytest.approx(0.5)
    assert np.abs(share[:8]) == pytest.approx(0.5)
    assert len(np.unique(share.round(9), axis=0)) == len(probes) == points**3 - (points - 2) ** 3
    assert share.mean(axis=0) == pytest.approx(np.zeros(3), abs=1e-12)
    assert not probes[:, 3].any()


@pytest.mark.parametrize("points", [2, 3, 5])
def test_probes_of_a_capsule_are_balls_along_it(points):
    probes = capsule_probes(0.4, 3.0, points)
    assert probes[:2, 0].tolist() == [-1.5, 1.5]
    assert np.sort(probes[:, 0]) == pytest.approx(np.linspace(-1.5, 1.5, points))
    assert not probes[:, 1:3].any() and (probes[:, 3] == 0.4).all()
