"""One run of a study: a world into a recording, without its beginning."""

import math
from pathlib import Path
from typing import TYPE_CHECKING

from skitter.errors import SimulationError

if TYPE_CHECKING:
    from skitter.world.world import World


def record(world: "World", folder: Path, settle: float) -> tuple[float, str]:
    """Run a world into a recording from `settle` seconds on: how far it came, why no further."""
    from skitter.record import RecordingWriter

    rate, last = world.scene.spec.frame_rate, world.scene.frame_count
    first = math.ceil(settle * rate - 1e-9)  # frame
    parts = (world.channels(), world.statics(), world.attributes())
    with RecordingWriter.create(folder, *parts, rate) as writer:
        for frame in range(last + 1):
            try:
                if frame:
                    world.advance(1 / rate)
            except SimulationError as error:
                return frame / last, str(error)
            if frame >= first:
                writer.append(world.time, world.read())
    return 1.0, ""
