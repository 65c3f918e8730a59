"""Orders for the writers of formats, without the checks and choices of `export_recording`."""

from pathlib import Path
from typing import Any

from skitter.export.clip import Clip
from skitter.export.order import Order
from skitter.look.creature import CreatureSurface, build_creatures


def make_order(
    recording: Any,
    output: Path,
    *,
    clip: Clip,
    creatures: list[CreatureSurface] | None = None,
    **options: Any,
) -> Order:
    """All creatures of a recording, as pictures have them, unless others are given."""
    chosen = build_creatures(recording) if creatures is None else creatures
    names = [one.motion.name for one in chosen]
    return Order(
        recording=recording, names=names, creatures=chosen, output=output, clip=clip, **options
    )
