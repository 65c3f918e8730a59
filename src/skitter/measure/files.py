"""Measures of what a user names: a recording, or a WCON file with tracks of worms."""

from pathlib import Path

import numpy as np

from skitter.errors import UserError
from skitter.measure import Measure, measure
from skitter.measure.eigenworms import find_share, load_eigenworms
from skitter.measure.plot_worm import write_kymograph
from skitter.measure.table import CRAWLING
from skitter.measure.worm import TRACK_MEASURES, Track, follow, read_track
from skitter.record import Recording
from skitter.record.doubt import doubting
from skitter.wcon.file import Worm
from skitter.wcon.read import read_wcon

CENTIMETRES = 0.1  # in a millimetre
ENDINGS = (".wcon", ".json", ".zip")


def measure_source(
    source: Path, *, eigenworms: Path | None = None, plots: Path | None = None
) -> dict[str, Measure]:
    """Measures by id; of worms also the share of some eigenworms, and kymographs into a folder."""
    modes = None if eigenworms is None else load_eigenworms(eigenworms)
    if source.suffix.lower() in ENDINGS and not source.is_dir():
        found, tracks = measure_wcon(source)
    else:
        recording = Recording.open(source)
        with doubting(recording, "measured"):
            found = measure(recording)
            worms = [one["name"] for one in recording.creatures if one["kind"] in CRAWLING]
            wanted = worms if modes is not None or plots is not None else []
            tracks = {name: read_track(recording, name) for name in wanted}
    if modes is not None or plots is not None:
        check_tracks(source, tracks, "--plots" if modes is None else "--eigenworms")
    for name, track in tracks.items():
        if modes is not None and not np.isnan(share := find_share(track.shapes, modes)):
            found[f"{name}.eigenworm_share"] = Measure(share, "1")
        if plots is not None:
            path = plots / f"{name.replace('/', '_')}_kymograph.png"
            write_kymograph(path, title=f"{name}: how it bends", track=track)
    return found


def check_tracks(source: Path, tracks: dict[str, Track], flag: str) -> None:
    """Refuse what would do nothing."""
    if not tracks:
        raise UserError(f"{flag}: there is no worm in {source}; valid: without it")


@np.errstate(all="ignore")  # places may be as far away as numbers go
def measure_wcon(path: Path) -> tuple[dict[str, Measure], dict[str, Track]]:
    """Those measures that need only the midline, of each worm of a file, and their tracks."""
    worms = {worm.id: follow_worm(worm) for worm in read_wcon(path).worms}
    tracks = {id: track for id, track in worms.items() if track is not None}
    if not tracks:
        raise UserError(f"{path}: has no worm with a midline, so there is nothing to measure")
    found = {
        f"{id}.{name}": Measure(compute(track), unit)
        for id, track in tracks.items()
        for name, (unit, compute) in TRACK_MEASURES.items()
    }
    return {id: one for id, one in found.items() if not np.isnan(one.value)}, tracks


def follow_worm(worm: Worm) -> Track | None:
    """The track of a worm of a WCON file, in a recording's axes: y of the file is -z. One that lies
    on its left side is seen in a mirror, so that bends are positive towards dorsal; none where
    nothing of its shape is known."""
    lines = list(worm.list_midlines())
    longest = max((len(line) for line in lines), default=0)
    if longest == 0:
        return None
    midline = np.full((len(lines), longest, 3), np.nan)
    side = 1.0 if worm.lies_on_left else -1.0
    for k, line in enumerate(lines):
        x, y = line.T * CENTIMETRES
        midline[k, : len(line)] = np.stack([x, 0 * x, side * y], axis=1)
    return follow(worm.time, midline)
