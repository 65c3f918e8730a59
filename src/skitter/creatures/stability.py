"""Whether a time step is short enough for the soft blocks, told before a run instead of by its end.

The velocity of a mode of frequency w, damped at rate d, is advanced by forces explicitly and by
damping implicitly, which is stable while  (w dt)^2 <= 4 + 2 d dt.  For the stiffest mode of a block
of Kuhn tetrahedra  w = 2 c sqrt(1/hx^2 + 1/hy^2 + 1/hz^2)  holds to about a fifth, with the cell's
edges h and the speed c of pressure waves; tests compare it with the eigenvalues. The dashpots of
Fang 2015 eq. A.23 damp that mode at about  d = 4 gamma / rho.

What the dashpots do to a rigid body at the end of a block is explicit, which bounds the damping
itself: runs with  gamma dt > 2 rho  flew apart.
"""

import numpy as np

from skitter.creatures.plan import SoftPart, build_plan
from skitter.errors import UserError
from skitter.scene.load import Scene
from skitter.species.kinds import take_figured
from skitter.species.spec import Material

MARGIN = 1.2  # steps up to so many times the estimate are let through: it is one, not a bound


def list_figures(scene: Scene) -> list[int]:
    """Which creatures of a scene are made of rigid parts and soft blocks; others judge for
    themselves whether they can begin."""
    return [index for index, species in enumerate(scene.species) if species.has_figure]


def estimate_step_limit(material: Material, cell: np.ndarray) -> float:
    """The longest stable time step [s] of a block whose cells have these edges [3] cm."""
    young, poisson = material.young, material.poisson
    wave_speed = np.sqrt(
        young * (1 - poisson) / ((1 + poisson) * (1 - 2 * poisson)) / material.density
    )
    frequency = 2 * wave_speed * np.sqrt(np.sum(1 / np.asarray(cell) ** 2))
    damping = 4 * material.damping / material.density
    return float((damping + np.hypot(damping, 2 * frequency)) / frequency**2)


def compute_cell_size(block: SoftPart) -> np.ndarray:
    """Edges of a block's cells [3] cm; the nodes are numbered with the last axis fastest."""
    _, up, across = block.cells
    strides = np.array([(up + 1) * (across + 1), across + 1, 1])
    return np.asarray(np.linalg.norm(block.nodes[strides] - block.nodes[0], axis=1))


def check_time_step(scene: Scene) -> None:
    """Refuse a time step with which a creature's soft blocks would fly apart."""
    for index in list_figures(scene):
        name, species = scene.creature_names[index], take_figured(scene.species[index])
        plan = build_plan(species)
        check_stiffness(scene, name, species.material, plan.soft)
        if plan.rigid and plan.soft:
            check_damping(scene, name, species.material)


def check_stiffness(scene: Scene, name: str, material: Material, blocks: list[SoftPart]) -> None:
    sizes = {tuple(compute_cell_size(block)) for block in blocks}
    limit = min((estimate_step_limit(material, np.array(size)) for size in sizes), default=np.inf)
    if scene.step > MARGIN * limit:
        raise UserError(
            f"time_step must be at most {limit:.2g} for the soft blocks of '{name}', or they"
            f" must be softer or of larger cells; found {scene.spec.time_step:.3g}"
        )


def check_damping(scene: Scene, name: str, material: Material) -> None:
    limit = 2 * material.density / scene.step
    if material.damping > limit:
        raise UserError(
            f"material.damping of '{name}' must be at most {limit:.4g} with this time_step;"
            f" found {material.damping:.6g}"
        )
