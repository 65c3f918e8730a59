"""The families that can learn, and the names of their environments."""

from collections.abc import Callable
from typing import Any, NamedTuple

from skitter.errors import UserError
from skitter.learn.herd import Herd


class Family(NamedTuple):
    """An environment: whose herd it is, how long an episode lasts, and what may be chosen."""

    build: Callable[..., Herd]
    steps: int
    options: tuple[str, ...] = ()


def _swimmers(count: int, **options: Any) -> Herd:
    from skitter.learn.swimmers import Swimmers

    return Swimmers(count, **options)


def _centipedes(count: int, **options: Any) -> Herd:
    from skitter.learn.centipedes import Centipedes

    return Centipedes(count, **options)


def _worms(count: int, **options: Any) -> Herd:
    from skitter.learn.worms import Worms

    return Worms(count, **options)


def _roaches(count: int, **options: Any) -> Herd:
    from skitter.learn.roaches import Roaches

    return Roaches(count, **options)


def _tarantulas(count: int, **options: Any) -> Herd:
    from skitter.learn.tarantulas import Tarantulas

    return Tarantulas(count, **options)


FAMILIES = {
    "Centipede": Family(_centipedes, 500),
    "Swimmer": Family(_swimmers, 500),
    "Worm": Family(_worms, 500),
    "Roach": Family(_roaches, 500),
    "Tarantula": Family(_tarantulas, 500, ("detail",)),
}


def build_herd(family: str, count: int, **options: Any) -> Herd:
    """So many creatures of a family; options are the family's own."""
    if family not in FAMILIES:
        raise UserError(f"family {family!r}: valid are {', '.join(FAMILIES)}")
    known = FAMILIES[family].options
    for key in options:
        if key not in known:
            valid = ", ".join(known) or "none"
            raise UserError(f"skitter/{family}-v0 has no option {key!r}; valid: {valid}")
    return FAMILIES[family].build(count, **options)
