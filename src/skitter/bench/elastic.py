"""`skitter bench elastic`: the lane kernel against a plain loop over the same mesh."""

import numpy as np

from skitter.bench import Record, make_record
from skitter.bench.chain import build_chain
from skitter.bench.plain import build_plain_arrays, repeat_plain_forces
from skitter.bench.timing import run_multiply_add, time_together
from skitter.compiled import kernel
from skitter.creatures.figure import Figure
from skitter.elastic.block import build_topology, compute_lame, compute_rest
from skitter.elastic.tets import update_elastic_forces
from skitter.species.kinds import take_figured

# Additions, multiplications, divisions and square roots for one tetrahedron, a multiply-add
# counting as two; a test counts them again by running the kernel's source with counting numbers.
IMPROVE_FLOPS = 187  # one improvement of the rotation, both of its branches
TET_FLOPS = 212  # all the rest


@kernel
def repeat_lane_forces(
    count, position, cell_node, rest, rotation, cell_position, cell_force, force
):
    for _ in range(count):
        update_elastic_forces(position, cell_node, rest, rotation, cell_position, cell_force, force)


def lane_arguments(figure: Figure) -> tuple[np.ndarray, ...]:
    scratch = figure.soft_scratch
    return (
        figure.soft_state.position,
        figure.soft.cell_node,
        figure.soft.rest,
        figure.soft_state.rotation,
        scratch.cell_position,
        scratch.cell_force,
        scratch.force,
    )


def plain_arguments(figure: Figure, real: type) -> tuple[np.ndarray, ...]:
    """The same blocks as one mesh."""
    nodes: list[np.ndarray] = []
    tets: list[np.ndarray] = []
    for part in figure.plan.soft:
        tets.append(build_topology(part.cells).tets + sum(map(len, nodes)))
        nodes.append(part.nodes)
    rest, mesh = np.concatenate(nodes), np.concatenate(tets)
    inverse, volumes = compute_rest(rest, mesh)
    material = take_figured(figure.species).material
    mu, lam = compute_lame(material.young, material.poisson)
    stiffness = np.stack([2 * mu * volumes, lam * volumes], axis=1)
    return build_plain_arrays(figure.node_position, mesh, inverse, stiffness, real)


def shake(figure: Figure) -> None:
    """Deform the blocks a little, so that no branch is favoured."""
    position = figure.soft_state.position
    position += np.random.default_rng(0).normal(0, 0.02, len(position)).astype(position.dtype)


def run_elastic() -> list[Record]:
    """Million tetrahedra per second on one core, in single and double precision."""
    return [measure_elastic(np.float32), measure_elastic(np.float64)]


def measure_elastic(real: type) -> Record:
    figure = build_chain(real)
    shake(figure)
    lanes, plain = lane_arguments(figure), plain_arguments(figure, real)
    peak, peak_flops = run_multiply_add(real)
    seconds = time_together(
        {
            "lanes": lambda count: repeat_lane_forces(count, *lanes),
            "plain": lambda count: repeat_plain_forces(count, *plain),
            "peak": peak,
        },
        count=150,
    )
    tets = len(plain[1])
    improvements = 2 if real == np.float64 else 1
    flops = tets * (TET_FLOPS + improvements * IMPROVE_FLOPS) / seconds["lanes"]
    peak_rate = peak_flops / seconds["peak"]
    return make_record(
        f"elastic-{np.dtype(real).name}",
        tets / seconds["lanes"] / 1e6,
        "Mtet/s",
        tets / seconds["plain"] / 1e6,
        limit_share=flops / peak_rate,
        gflops=flops / 1e9,
        peak_gflops=peak_rate / 1e9,
    )
