"""The tree of a species file from the sizes of a rig and a species that it walks like.

What the rig does not tell is in proportion. The gait keeps its timing, so speeds go with the length
of a step. Soft blocks get as stiff as at the same time step blocks of their size may be: Young's
modulus goes with the square of the size.
"""

from itertools import product
from math import log
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError
from scipy.optimize import least_squares

from skitter.creatures.plan import build_plan
from skitter.errors import UserError
from skitter.export.own.measure import RigSizes
from skitter.species.myriapod import MyriapodSpec
from skitter.start.step_limit import STABLE, measure_growth

Floats = NDArray[np.floating]
Tree = dict[str, Any]
ROOT_SHARE = 0.92  # of half a segment's width: so far out legs begin
STEP = 1.25 / 3000  # s, with which soft blocks must be stable: the usual one, and some in hand
STANDING = 0.15  # of a leg's length: feet so far below the roots stand
CLEARANCE = 1.05  # of half a segment's height, that its middle is above the ground at least
OUTGROWN = 1.5  # of its size in proportion: larger no head or tail is taken to be
UNEVEN = 0.05  # lengths that vary by more than this are told of


class SpeciesMaker:
    """Builds the tree of a species file from sizes in cm."""

    def __init__(
        self, file: Path, sizes: RigSizes, base: MyriapodSpec, base_tree: Tree | None = None
    ) -> None:
        self._file, self._sizes, self._base = file, sizes, base
        self._base_tree = base_tree or {}
        self.notes: list[str] = []
        self._pitch = float(sizes.pitch.mean())
        self._size = self._pitch / (base.segment.size[0] + base.joint.length)

    def make(self, like: str) -> Tree:
        """The whole tree."""
        tree, file = dict(self._base_tree), self._file.name
        tree["title"] = f"A creature with the sizes of {file}, otherwise as {like}"[:200]
        tree["source"] = f"Sizes measured on {file}; gait, material and looks of {like}."[:2000]
        for key, value in self.build_body().items():
            tree[key] = {**tree.get(key, {}), **value} if isinstance(value, dict) else value
        tree["leg"] = tree["leg"] | self._build_leg(tree)
        tree["antenna"] = tree["antenna"] | self._build_antenna()
        drawn = self._base.walk.food_threshold / self._size**2
        tree["walk"] = tree["walk"] | {"food_threshold": drawn}
        self._scale_lengths(tree)
        self._stand(tree)
        tree["walk"]["speed"] = self._choose_speed(tree)
        tree["material"] = self._soften(tree)
        self._tell_uneven()
        return round_numbers(tree)

    # bodies

    def build_body(self) -> Tree:
        """Head, segments, tail and what joins them."""
        sizes, base = self._sizes, self._base
        width, taper = fit_taper(sizes.width / ROOT_SHARE, base)
        along = self._size * base.segment.size[0]
        tree: Tree = {
            "segments": sizes.segments,
            "segment": {"size": [along, self._find_height(width, taper), width]},
            "taper": list(taper),
            "joint": {"length": self._size * base.joint.length},
        }
        tree["head"] = {"size": self._build_end(tree, base.head.size, sizes.front, sizes.head, 0)}
        tree["tail"] = {"size": self._build_end(tree, base.tail.size, sizes.rear, sizes.tail, 1)}
        if base.joint.section is not None:
            ratio = np.array(tree["segment"]["size"][1:]) / base.segment.size[1:]
            tree["joint"]["section"] = (ratio * base.joint.section).tolist()
        return tree

    def _find_height(self, width: float, taper: tuple[float, float]) -> float:
        """Of a segment in the middle: as its skin has it, else in proportion."""
        scale = tapered(self._sizes.segments, taper, self._base)
        seen = self._sizes.height / scale
        if np.isnan(seen).all():
            self._tell("the height of segments is in proportion: the rig has no skin around them")
            return width * self._base.segment.size[1] / self._base.segment.size[2]
        return float(np.nanmean(seen))

    def _build_end(
        self, tree: Tree, base: tuple[float, ...], skin: float, joint: float, which: int
    ) -> list[float]:
        """Size of head or tail: to the end of its skin, else about its joint, else in proportion;
        what grows out of it (jaws, a pair of long hind legs) is no part of it."""
        near = tree["segment"]["size"][0] / 2 + tree["joint"]["length"]
        usual = self._size * base[0]
        found = [length for length in (skin - near, 2 * (joint - near)) if length > 0.1 * usual]
        ratio = np.array(tree["segment"]["size"][1:]) / self._base.segment.size[1:]
        section = (self._sizes.head_section, self._sizes.tail_section)[which]
        section = np.where(np.isnan(section), ratio * base[1:], section)
        section = np.minimum(section, OUTGROWN * ratio * base[1:])
        along = min(found[0], OUTGROWN * usual) if found else usual
        return [along, *(float(one) for one in section)]

    # legs

    def _build_leg(self, tree: Tree) -> Tree:
        links, scale = self._find_links()
        size = float(links.sum()) / self._base.leg.length
        half = tree["segment"]["size"][1] / 2
        spread = tapered(self._sizes.segments, tuple(tree["taper"]), self._base)
        up = float(np.mean(-self._sizes.middle / (half * spread)))
        return {
            "links": links.tolist(),
            "scale": scale,
            "ankle_deg": self._find_ankle(),
            "thickness": size * self._base.leg.thickness,
            "root_height": float(np.clip(up, -1, 1)),
        }

    def _find_links(self) -> tuple[Floats, list[float]]:
        """Lengths of the links, and how much the first and last pair differ from them."""
        pairs = self._complete_links().mean(axis=1)
        number = np.arange(len(pairs))
        slope, start = np.polyfit(number, pairs.sum(axis=1), 1)
        fitted = np.maximum(start + slope * number, 1e-9)
        scale = fitted / fitted.mean() * np.mean(self._base.leg.scale)
        scale = np.clip(scale, 0.1, 10.0)
        gap = np.abs(pairs.sum(axis=1) / fitted - 1).max()
        if gap > UNEVEN:
            self._tell(f"legs differ by up to {100 * gap:.0f} % from an even row")
        return (pairs / scale[:, None]).mean(axis=0), [float(scale[0]), float(scale[-1])]

    def _complete_links(self) -> Floats:
        """Links [segment, side, 3], what the rig does not tell in proportion."""
        links = self._sizes.links.copy()
        upper, middle, lower = self._base.leg.links
        rod = self._base.leg.shape(1.0).rod
        if np.isnan(links[..., 1]).any():
            known = not np.isnan(self._sizes.rod).any()
            size = self._sizes.rod / rod if known else links[..., 0] / upper
            links[..., 1], links[..., 2] = size * middle, size * lower
            self._tell("the rig has no tarsi: ankles are where the other species has them")
        elif np.isnan(links[..., 2]).any():
            links[..., 2] = links[..., 1] * lower / middle
            self._tell("the rig does not tell where legs end: tarsi are in proportion to tibiae")
        return links

    def _find_ankle(self) -> float:
        bend = np.degrees(self._sizes.ankle)
        if np.isnan(bend).any():
            return self._base.leg.ankle_deg
        return float(np.clip(bend.mean(), 0, 150))

    def _build_antenna(self) -> Tree:
        links, base = self._sizes.antenna, self._base.antenna
        length = float(links.sum()) if len(links) else self._size * base.length
        tree: Tree = {"length": length, "thickness": base.thickness * length / base.length}
        return tree | ({"links": min(len(links), 64)} if len(links) > 1 else {})

    # the rest

    def _scale_lengths(self, tree: Tree) -> None:
        """Other lengths of the file go with the body's."""
        if "cerci" in tree.get("look", {}):
            tree["look"] = tree["look"] | {"cerci": self._size * tree["look"]["cerci"]}
        if "eyes" in tree:
            ranges = {k: self._size * v for k, v in tree["eyes"].items() if k.endswith("_range")}
            tree["eyes"] = tree["eyes"] | ranges
        if self._base.swim is not None:
            swim = {key: value for key, value in tree["swim"].items() if key != "optimum"}
            tree["swim"] = swim | {"speed": self._size * self._base.swim.speed}

    def _stand(self, tree: Tree) -> None:
        """Height and width of the stance: as the rig stands, else in proportion; changed as little
        as lets every leg stand."""
        height, foot = self._find_stance(tree)
        least = CLEARANCE * tree["segment"]["size"][1] / 2
        factors = [1 + 0.025 * k for k in range(-24, 25)]
        tried = sorted(product(factors, factors), key=lambda ab: log(ab[0]) ** 2 + log(ab[1]) ** 2)
        for high, wide in tried:
            tree["leg"]["foot"], tree["walk"]["height"] = foot * wide, height * high
            if height * high >= least and can_stand(tree):
                break
        else:
            raise UserError(
                f"{self._file}: its legs of {sum(tree['leg']['links']):.3g} cm cannot carry a body"
                f" {2 * least / CLEARANCE:.3g} cm high; valid: longer legs, or a lower body"
            )
        if (high, wide) != (1.0, 1.0):
            self._tell(
                f"to stand, walk.height is {height * high:.3g} cm instead of {height:.3g}, and"
                f" leg.foot {foot * wide:.2g} instead of {foot:.2g}"
            )

    def _find_stance(self, tree: Tree) -> tuple[float, float]:
        sizes, leg = self._sizes, tree["leg"]
        length = self._complete_links().sum(axis=-1)
        half = tree["segment"]["size"][1] / 2
        half = half * tapered(sizes.segments, tuple(tree["taper"]), self._base)
        if not np.isnan(sizes.drop).any() and (sizes.drop / length).mean() > STANDING:
            height = sizes.drop.mean(axis=1) - leg["root_height"] * half
            return float(height.mean()), float((sizes.out / length).mean())
        self._tell("the rig does not stand: how high and wide it stands is in proportion")
        size = sum(leg["links"]) / self._base.leg.length
        return size * self._base.walk.height, self._base.leg.foot

    def _choose_speed(self, tree: Tree) -> float:
        """As many steps a second as the other species makes."""
        species = MyriapodSpec.model_validate(slow_down(tree))
        own, other = (
            min(one.leg.stride(scale) for scale in one.leg.scale) for one in (species, self._base)
        )
        return min(self._base.walk.speed * own / other, 0.98 * species.speed_limit)

    def _soften(self, tree: Tree) -> Tree:
        """As stiff as blocks of this size may be."""
        material = self._base.material
        young = material.young * self._size**2
        plan = build_plan(MyriapodSpec.model_validate(tree))
        blocks = [plan.soft[k] for k in {0, len(plan.soft) // 2, len(plan.soft) - 1}]
        for _ in range(40):
            now = material.model_copy(update={"young": young})
            if all(measure_growth(block, now, STEP) <= STABLE for block in blocks):
                break
            young *= 0.85
        return tree.get("material", {}) | {"young": young}

    def _tell_uneven(self) -> None:
        gap = np.abs(self._sizes.pitch / self._pitch - 1).max()
        if gap > UNEVEN:
            self._tell(
                f"segments lie up to {100 * gap:.0f} % off an even pitch, which a species has"
            )

    def _tell(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)


def tapered(segments: int, taper: tuple[float, ...], base: MyriapodSpec) -> Floats:
    """Width of each segment, of those in the middle."""
    row = base.model_copy(update={"segments": segments, "taper": taper})
    return np.array([row.scale_of(number) for number in range(segments)])


def fit_taper(width: Floats, base: MyriapodSpec) -> tuple[float, tuple[float, float]]:
    """The width of segments in the middle, and the taper, that widths [segment] follow best."""

    def miss(guess: Floats) -> Floats:
        return guess[0] * tapered(len(width), (guess[1], guess[2]), base) / width.mean() - (
            width / width.mean()
        )

    start = [float(np.median(width)), 1.0, 1.0]
    bounds = ([0.0, 0.1, 0.1], [np.inf, 10.0, 10.0])
    found = least_squares(miss, start, bounds=bounds, x_scale=[start[0], 1.0, 1.0]).x
    return float(found[0]), (float(found[1]), float(found[2]))


def slow_down(tree: Tree) -> Tree:
    """The tree with a speed that any legs can follow."""
    return tree | {"walk": tree["walk"] | {"speed": 1e-6}}


def can_stand(tree: Tree) -> bool:
    """Whether legs can carry the body as high and wide as the tree has it."""
    try:
        MyriapodSpec.model_validate(slow_down(tree))
    except ValidationError:
        return False
    return True


def round_numbers(value: Any) -> Any:
    """Numbers of five digits."""
    if isinstance(value, dict):
        return {key: round_numbers(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [round_numbers(item) for item in value]
    return float(f"{value:.5g}") if isinstance(value, float) else value
