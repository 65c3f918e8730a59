"""Links are in the same places for those who build a body and for those who step it."""

import numpy as np
import pytest

from skitter.creatures.articulated.plan import build_plan
from skitter.creatures.articulated.pose import pose_links
from skitter.rigid.tree.model import build_tree
from skitter.scene.load import load_scene
from skitter.species.articulated import ArticulatedSpec


@pytest.mark.parametrize("name", ["roach", "wire"])
def test_plain_poses_are_those_of_the_kernels(name):
    species = load_scene({"title": "t", "creatures": [{"species": name}]}).species[0]
    assert isinstance(species, ArticulatedSpec)
    plan = build_plan(species)
    tree = build_tree(plan.links)
    q = tree.integrate(plan.rest_q, np.random.default_rng(9).normal(0, 0.5, tree.v_size), 1.0)
    for plain, compiled in zip(pose_links(plan.links, q), tree.place_links(q), strict=True):
        assert plain == pytest.approx(compiled, abs=1e-12)
