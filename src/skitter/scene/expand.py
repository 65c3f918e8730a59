"""Many of a kind in one line of a scene: `count` of them, spread over an area, become single ones.

It happens when a scene is loaded, so that worlds, recordings and measures know single creatures
only. Places depend on the seed of the placement and not on that of the run. Only distances along
the ground are seen to here: how high it is, those who stand find out by themselves.
"""

from collections.abc import Sequence
from math import ceil, sqrt

import numpy as np

from skitter.scene.check import Label, fail
from skitter.scene.describe import quote
from skitter.scene.spec import MOST_CREATURES, CreaturePlacement, SceneSpec
from skitter.species.kinds import SpeciesSpec

TRIES = 400  # random places tried for one of them
FULL_TURN = 360.0  # degrees
Ball = tuple[np.ndarray, float]  # where one is, and how far it reaches, cm


def expand_creatures(
    spec: SceneSpec, species: Sequence[SpeciesSpec], names: Sequence[str], label: Label
) -> tuple[SceneSpec, list[SpeciesSpec], list[str]]:
    """The scene with every creature in a line of its own, with the species and name of each."""
    total = sum(placement.count for placement in spec.creatures)
    if total > MOST_CREATURES:
        problem = f"hold {total:,} with their counts; valid: at most {MOST_CREATURES}"
        raise fail(label, ("creatures",), problem)
    if all(placement.area is None for placement in spec.creatures):
        return spec, list(species), list(names)
    placements: list[CreaturePlacement] = []
    kinds: list[SpeciesSpec] = []
    called: list[str] = []
    taken, around = set(names), list_single(spec, species)
    for index, placement in enumerate(spec.creatures):
        some = spread(placement, species[index], index, around, label)
        placements += some
        kinds += [species[index]] * len(some)
        called += [names[index], *(take_name(names[index], taken) for _ in some[1:])]
    return spec.model_copy(update={"creatures": placements}), kinds, called


def take_name(wanted: str, taken: set[str]) -> str:
    """The name, or the first numbered one that is free."""
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    taken.add(name)
    return name


def list_single(spec: SceneSpec, species: Sequence[SpeciesSpec]) -> list[Ball]:
    """Those with a place of their own, which the others keep clear of."""
    both = zip(spec.creatures, species, strict=True)
    return [
        (np.array(placement.at), kind.reach or 0.0)
        for placement, kind in both
        if placement.area is None
    ]


def spread(
    placement: CreaturePlacement,
    species: SpeciesSpec,
    index: int,
    around: list[Ball],
    label: Label,
) -> list[CreaturePlacement]:
    """All of one line; their balls are added to those around."""
    if placement.area is None:
        return [placement]
    reach = find_reach(placement, species, index, label)
    rng = np.random.default_rng([placement.seed, index])
    if placement.spread == "grid":
        places = place_in_rows(placement)
        check_rows(placement, places, reach, index, label)
        around += [(place, reach) for place in places]
    else:
        places = place_at_random(placement, reach, rng, around)
        if len(places) < placement.count:
            raise fail(label, ("creatures", index), describe_full(placement, len(places)))
    turned = placement.spread != "grid"
    headings = rng.uniform(0, FULL_TURN, len(places)) if turned else np.zeros(len(places))
    return [
        take_place(placement, place, float(heading))
        for place, heading in zip(places, headings, strict=True)
    ]


def find_reach(
    placement: CreaturePlacement, species: SpeciesSpec, index: int, label: Label
) -> float:
    """Half of how far apart two of them must be, cm."""
    if placement.gap is not None:
        return placement.gap / 2
    if species.reach is None:
        problem = f"is missing; how far {quote(placement.species)} reaches is not known; valid: cm"
        raise fail(label, ("creatures", index, "gap"), f"{problem} from middle to middle")
    return species.reach


def place_in_rows(placement: CreaturePlacement) -> list[np.ndarray]:
    """The middles of equal cells of the area, row by row along x."""
    assert placement.area is not None
    wide, deep = placement.area
    columns = min(placement.count, max(1, round(sqrt(placement.count * wide / deep))))
    rows = ceil(placement.count / columns)
    cells = [divmod(k, columns) for k in range(placement.count)]
    shares = [((column + 0.5) / columns - 0.5, (row + 0.5) / rows - 0.5) for row, column in cells]
    return [np.array(placement.at) + np.array([x * wide, 0.0, z * deep]) for x, z in shares]


def check_rows(
    placement: CreaturePlacement,
    places: list[np.ndarray],
    reach: float,
    index: int,
    label: Label,
) -> None:
    """Neighbours of a grid must not touch."""
    for number, place in enumerate(places[1:], start=1):
        nearest = min(float(np.linalg.norm(place - other)) for other in places[:number])
        if nearest < 2 * reach * (1 - 1e-9):
            raise fail(label, ("creatures", index), describe_full(placement, number))


def place_at_random(
    placement: CreaturePlacement, reach: float, rng: np.random.Generator, around: list[Ball]
) -> list[np.ndarray]:
    """Places apart from each other and from all around; a pile goes up where a layer is full.

    As many as there is room for."""
    assert placement.area is not None
    half = np.array([placement.area[0], 0.0, placement.area[1]]) / 2
    found: list[np.ndarray] = []
    up = np.zeros(3)
    while len(found) < placement.count:
        for _ in range(TRIES):
            place = np.array(placement.at) + up + rng.uniform(-half, half)
            if all(np.linalg.norm(place - other) >= reach + far for other, far in around):
                found.append(place)
                around.append((place, reach))
                break
        else:
            if placement.spread != "pile":
                break
            up = up + np.array([0.0, 2 * reach, 0.0])
    return found


def describe_full(placement: CreaturePlacement, room: int) -> str:
    assert placement.area is not None
    wide, deep = placement.area
    return (
        f"has an area of {wide:g} x {deep:g} cm, with no room for {placement.count} that do not"
        f" touch, only for about {room}; valid: a larger area, a smaller count or a smaller gap"
    )


def take_place(
    placement: CreaturePlacement, place: np.ndarray, heading: float
) -> CreaturePlacement:
    """One of them, for itself."""
    x, y, z = placement.turn_deg
    single = {"count": 1, "area": None, "gap": None, "name": None}
    where = {"at": tuple(place.tolist()), "turn_deg": (x, (y + heading) % FULL_TURN, z)}
    return placement.model_copy(update=single | where)
