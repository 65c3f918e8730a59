"""Claims of Fang 2015 (and of Fang 2013, which it contains)."""

from collections.abc import Callable

import numpy as np

from skitter.claims.registry import claim
from skitter.creatures.figure import Figure
from skitter.measure import measure
from skitter.runner import run
from skitter.world import World

THROWN_CHAIN = {
    "title": "A chain thrown into empty space, every part at random",
    "seconds": 10_000 / 3000,
    "frame_rate": 60,
    "gravity": 0.0,
    "precision": "float64",
    "creatures": [
        {
            "species": "chain",
            "name": "chain",
            "at": [2, 1, -3],
            "velocity": [1, 2, 3],
            "spin_deg": [20, 30, 40],
            "velocity_noise": 3.0,
        }
    ],
}
LONE_BLOCK = {
    "title": "A soft block in empty space",
    "gravity": 0.0,
    "precision": "float64",
    "creatures": [{"species": "jelly_cube", "name": "block"}],
}


@claim(
    id="fang2015/coupling-momentum",
    paper="Fang 2015 section 3.3",
    statement="Coupling of rigid and deformable parts is two-way: momentum is conserved",
    scene="a chain thrown into empty space, damping on, 10,000 steps, double precision",
    sense="at most",
    expected=0.0,
    tolerance=1e-6,
    why="rounding adds up over 10,000 steps; anything lost by the coupling would show far above",
)
def measure_coupling_momentum() -> float:
    found = measure(run(THROWN_CHAIN))
    return max(found["chain.momentum_drift"].value, found["chain.angular_momentum_drift"].value)


@claim(
    id="fang2015/elastic-recovers",
    paper="Fang 2015 section 3.2, after Stomakhin et al. 2012",
    statement="The elastic model is extremely robust to large deformations: blocks that are"
    " scrambled, flattened, collapsed or turned inside out recover their rest shape",
    scene="soft blocks in empty space, each ruined in one of four ways, four seconds to recover",
    sense="at most",
    expected=0.0,
    tolerance=0.01,
    unit="cm per cm",
    why="the largest error of any distance within the block, as a share of its size, once it rests",
)
def measure_elastic_recovery() -> float:
    rng = np.random.default_rng(0)
    ruins = (
        lambda nodes: rng.uniform(nodes.min(), nodes.max(), nodes.shape),
        lambda nodes: nodes * [1, 0, 1],
        lambda nodes: nodes * 1e-6,
        lambda nodes: nodes * [-1, 1, 1],
    )
    return max(measure_recovery(ruin) for ruin in ruins)


def measure_recovery(ruin: Callable[[np.ndarray], np.ndarray]) -> float:
    """Largest error of a distance within a ruined block after four seconds, per block size."""
    world = World.from_scene(LONE_BLOCK)
    block = world.creatures[0]
    assert isinstance(block, Figure)
    rest = block.plan.soft[0].nodes
    block.write_nodes(block.soft_state.position, 0, ruin(rest))
    world.advance(4.0)
    now = block.node_position.astype(float)
    before, after = (np.linalg.norm(x[:, None] - x[None], axis=-1) for x in (rest, now))
    return float(np.abs(after - before).max() / np.ptp(rest, axis=0).max())
