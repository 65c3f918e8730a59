"""Midlines of worms as a WCON file, for the programs of those who track real ones.

Every recorded frame of the stretch is written, at its own time. The plane is the ground seen from
above: x is x, and y is -z, so that left stays left. The head comes first. A worm lies on its right
side, its ventral side is to the left of where it heads: counterclockwise from the head.
"""

from typing import Any

import numpy as np

import skitter
from skitter.errors import UserError
from skitter.export.order import Order
from skitter.export.summary import CreatureSummary, Summary
from skitter.measure.table import CRAWLING
from skitter.render.output import replacing
from skitter.wcon.file import Record, Wcon
from skitter.wcon.write import write_wcon

TAG = "@skitter"
MILLIMETRES = 10.0  # in a centimetre
SEEN = "seen from above: x is x of the simulation, y is -z; heights are left out"


def export_wcon(order: Order) -> Summary:
    """Writes the worms among the creatures that are wanted."""
    recording, names = order.recording, list_worms(order)
    time = np.asarray(recording.time, float)
    first = time[0] if order.start is None else order.start
    last = time[-1] if order.end is None else order.end
    frames = np.flatnonzero((time >= first - 1e-9) & (time <= last + 1e-9))
    if len(frames) == 0:
        raise UserError(f"--start {first:g} --end {last:g}: no frame was recorded in between")
    stretch = slice(int(frames[0]), int(frames[-1]) + 1)
    records = [build_record(recording, name, stretch) for name in names]
    wcon = Wcon(records, metadata=describe(recording), custom={TAG: tell(recording, names)})
    with replacing(order.output) as draft:
        write_wcon(draft, wcon)
    rate = float(recording.frame_rate)
    told = [CreatureSummary(record.id, 0, record.midline.shape[1], 0) for record in records]  # type: ignore[arg-type]
    return Summary(order.output, "wcon", rate, len(frames), told, [SEEN])


def list_worms(order: Order) -> list[str]:
    """The names of those that have a midline."""
    creatures = {one["name"]: one["kind"] for one in order.recording.creatures}
    worms = [name for name in order.names if creatures[name] in CRAWLING]
    if not worms:
        found = ", ".join(f"{name} ({creatures[name]})" for name in order.names) or "nobody"
        raise UserError(
            f"{order.output}: a .wcon file is of worms, and there is none among {found};"
            " valid: a recording of one, or another ending"
        )
    return worms


def build_record(recording: Any, name: str, stretch: slice) -> Record:
    """The midlines of a worm, in mm."""
    time = np.asarray(recording.time[stretch], float)
    line = np.asarray(recording[f"{name}.midline"][stretch], float)
    flat = np.stack([line[..., 0], -line[..., 2]], axis=-1) * MILLIMETRES
    count = len(time)
    nowhere = np.full((count, 2), np.nan)
    return Record(
        id=name,
        time=time,
        midline=flat,
        origin=nowhere,
        centroid=nowhere,
        outline=np.full((count, 0, 2), np.nan),
        head=("L",) * count,
        ventral=("CCW",) * count,
    )


def describe(recording: Any) -> dict[str, Any]:
    """Metadata; without a clock, so that the same run gives the same file."""
    software = {"name": "Skitter", "version": skitter.__version__}
    shapes = sorted({str(one.get("shape", "ground")) for one in recording.scene.get("terrain", [])})
    return {
        "software": software | {"tracker": software, "featureID": TAG},
        "arena": {
            "type": f"simulated: {', '.join(shapes) or 'empty space'}",
            "orientation": "toward",
        },
        "protocol": f"a simulation, no real worm; {SEEN}",
    }


def tell(recording: Any, names: list[str]) -> dict[str, Any]:
    """What made the recording."""
    species = {one["name"]: one.get("species", "") for one in recording.creatures}
    seed = int(recording.attributes.get("seed", 0))
    return {"seed": seed, "species": {name: str(species[name]) for name in names}}
