"""The trunks of climbers, by style."""

from collections.abc import Callable

from skitter.look.climber_beetle import build_elytra, build_pronotum
from skitter.look.climber_crab import build_crab_thorax
from skitter.look.climber_form import Coat, Detail, Site
from skitter.look.climber_insect import (
    build_gaster,
    build_insect_head,
    build_mesosoma,
    build_stick_part,
    build_waist,
)
from skitter.look.climber_scorpion import build_mesosomal_plates, build_prosoma
from skitter.look.climber_spider import build_spider_abdomen, build_spider_thorax
from skitter.look.hull import Shape, paint
from skitter.look.mesh import build_capsule
from skitter.species.look import ClimberLook

Builder = Callable[[Site, ClimberLook, Coat, Detail], Shape]
BUILDERS: dict[tuple[str, str], Builder] = {
    ("spider", "thorax"): build_spider_thorax,
    ("spider", "abdomen"): build_spider_abdomen,
    ("spider", "head"): build_insect_head,
    ("scorpion", "thorax"): build_prosoma,
    ("scorpion", "abdomen"): build_mesosomal_plates,
    ("insect", "thorax"): build_mesosoma,
    ("insect", "abdomen"): build_gaster,
    ("insect", "head"): build_insect_head,
    ("insect", "trunk"): build_waist,
    ("beetle", "thorax"): build_pronotum,
    ("beetle", "abdomen"): build_elytra,
    ("beetle", "head"): build_insect_head,
    ("stick", "thorax"): build_stick_part,
    ("stick", "abdomen"): build_stick_part,
    ("stick", "head"): build_insect_head,
    ("crab", "thorax"): build_crab_thorax,
}


def build_trunk_part(part: str, site: Site, look: ClimberLook, coat: Coat, detail: Detail) -> Shape:
    """Thorax, abdomen or head in the style of a look; anything else is an egg."""
    build = BUILDERS.get((look.style, part), build_egg)
    return build(site, look, coat, detail)


def build_egg(site: Site, look: ClimberLook, coat: Coat, detail: Detail) -> Shape:
    ball = build_capsule(0.5, 0.0, around=detail.trunk, steps=max(detail.spans // 3, 3))
    return paint(ball.scaled(site.size), coat.back)
