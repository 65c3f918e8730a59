"""The trunks of climbers, by style."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skitter.look.climber_form import Coat, Detail
from skitter.look.climber_spider import build_spider_abdomen, build_spider_thorax
from skitter.look.hull import Shape, paint
from skitter.look.mesh import build_capsule
from skitter.species.look import ClimberLook

Floats = NDArray[np.floating]


@dataclass(frozen=True)
class Site:
    """A body of the trunk, and what is around it."""

    size: Floats  # [3] cm
    joint: Floats  # [3] cm, where it is joined to its parent, in its own frame
    has_abdomen: bool
    has_head: bool
    has_horns: bool
    has_fingers: bool  # spinnerets that are bodies of their own


def build_trunk_part(part: str, site: Site, look: ClimberLook, coat: Coat, detail: Detail) -> Shape:
    """Thorax, abdomen or head in the style of a look; anything else is an egg."""
    if part == "thorax" and look.style == "spider":
        return build_spider_thorax(site.size, look, coat, detail)
    if part == "abdomen" and look.style == "spider":
        return build_spider_abdomen(
            site.size, site.joint, look, coat, detail, spins=not site.has_fingers
        )
    ball = build_capsule(0.5, 0.0, around=detail.trunk, steps=max(detail.spans // 3, 3))
    return paint(ball.scaled(site.size), coat.back)
