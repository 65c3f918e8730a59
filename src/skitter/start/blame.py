"""Why a creature flew apart in its first frame: which field of the scene is most to blame.

Soft tissue is torn when its ends part faster than it can tell them to stay: at the speed of its
pressure waves. So each cause is judged by the speed that it brings, as a multiple of that.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from skitter.creatures.creature import Creature
from skitter.creatures.plan import BodyPlan, build_plan
from skitter.elastic.block import compute_lame
from skitter.scene.load import Scene
from skitter.species.kinds import take_figured
from skitter.species.spec import Material

BROKEN = 1e6  # cm/s, faster than any scene may ask for
SLOW = 0.5  # of the wave speed; causes below it explain nothing


@dataclass(frozen=True)
class Cause:
    """A field of the scene and the speed that it brings within the first frame, cm/s."""

    field: str
    found: str
    speed: float


def explain_failure(scene: Scene, creatures: Sequence[Creature], message: str) -> str:
    """One line for a first frame that failed with a message: why, if a creature flew apart."""
    index = next((k for k, one in enumerate(creatures) if not one.top_speed < BROKEN), None)
    if index is None:
        return message
    name, species = scene.creature_names[index], scene.species[index]
    if not species.has_figure:
        return f"'{name}' flies apart in the first frame; valid: a shorter time_step"
    waves = compute_wave_speed(take_figured(species).material)
    worst = max(list_causes(scene, index), key=lambda cause: cause.speed)
    if worst.speed < SLOW * waves:
        return (
            f"'{name}' flies apart in the first frame; valid: a shorter time_step than"
            f" {scene.step:.2g}, a softer material or less extreme proportions"
        )
    return (
        f"{worst.field} {worst.found} makes '{name}' fly apart in the first frame: it brings"
        f" {worst.speed:.3g} cm/s, and waves in its material run at {waves:.3g} cm/s; valid: less,"
        " a stiffer material or a shorter time_step"
    )


def compute_wave_speed(material: Material) -> float:
    """Speed of pressure waves, cm/s."""
    mu, lam = compute_lame(material.young, material.poisson)
    return float(np.sqrt((lam + 2 * mu) / material.density))


def list_causes(scene: Scene, index: int) -> list[Cause]:
    """What moves a creature at the start."""
    placement, base = scene.spec.creatures[index], f"creatures[{index}]"
    reach = measure_reach(build_plan(scene.species[index]))
    velocity = float(np.linalg.norm(placement.velocity))
    spin = float(np.linalg.norm(placement.spin_deg))
    noise, gravity = placement.velocity_noise, scene.spec.gravity
    return [
        Cause(f"{base}.velocity_noise", f"of {noise:.3g} cm/s", noise),
        Cause(f"{base}.velocity", f"of {velocity:.3g} cm/s", velocity),
        Cause(f"{base}.spin_deg", f"of {spin:.3g} degrees/s", np.radians(spin) * reach),
        Cause("gravity", f"of {gravity:.3g} cm/s²", abs(gravity) / scene.spec.frame_rate),
    ]


def measure_reach(plan: BodyPlan) -> float:
    """Half of the longest way through a creature, cm."""
    points = [part.nodes for part in plan.soft]
    points += [part.centre + side * part.size / 2 for part in plan.rigid for side in (-1, 1)]
    cloud = np.vstack(points)
    return float(np.linalg.norm(np.ptp(cloud, axis=0))) / 2
