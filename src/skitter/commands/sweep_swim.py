"""`skitter sweep swim`: all strokes of a swimmer, into a folder."""

import os
import re
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skitter.console import print_json, print_rows, say
from skitter.errors import UserError
from skitter.progress import Progress

if TYPE_CHECKING:
    from skitter.species.swimmer import SwimmerSpec
    from skitter.study.swim.optimum import Best, Regression
    from skitter.study.swim.sweep import Sweep

SPECIES, GRID = "eel", "24x24"
GRID_MOST = 400  # along a side
FREQUENCY_LIMITS, DEGREE_LIMITS = (0.02, 20.0), (-180.0, 180.0)
SHOWN = 10  # of the best strokes


def sweep_swim(
    folder: Path,
    *,
    species: str | None,
    grid: str | None,
    frequency: str | None,
    phase_deg: str | None,
    processes: int | None,
    as_json: bool,
) -> None:
    """Sweep, find the best strokes, write everything into the folder and say what was found."""
    shape = read_grid(grid or GRID)
    hertz = read_range("--frequency", frequency, FREQUENCY_LIMITS)
    degrees = read_range("--phase_deg", phase_deg, DEGREE_LIMITS)
    chosen = load_swimmer(species or SPECIES)

    from skitter.study.swim.optimum import find_best, regress, write_optimum
    from skitter.study.swim.pictures import write_pictures
    from skitter.study.swim.sweep import DEGREES, FREQUENCIES, build_plan, run_sweep

    plan = build_plan(chosen, shape, hertz or FREQUENCIES, degrees or DEGREES)
    progress = Progress(what="frequency")
    progress.prepare()
    try:
        workers = processes or min(2, os.cpu_count() or 1)
        sweep = run_sweep(plan, folder, processes=workers, tell=progress.count)
    finally:
        progress.close()
    best = find_best(sweep)
    try:
        fit = regress(sweep, best)
    except ValueError as error:
        raise UserError(f"{folder}: {error}; valid: a wider range or a finer grid") from None
    (folder / "optimum.yaml").write_text(write_optimum(fit))
    pictures = write_pictures(plan, sweep, best, fit, folder)
    report = make_report(sweep, best, fit) | {"folder": str(folder), "pictures": pictures}
    print_json({"sweep": report}) if as_json else show(report)


def read_grid(given: str) -> tuple[int, int]:
    """How many frequencies and phases."""
    found = re.fullmatch(r"(\d{1,4})x(\d{1,4})", given)
    sides = tuple(int(n) for n in found.groups()) if found else (0, 0)
    if not all(3 <= n <= GRID_MOST for n in sides):
        raise UserError(f"--grid {given}: valid: as 24x24, 3 to {GRID_MOST} along a side")
    return sides[0], sides[1]


def read_range(
    option: str, given: str | None, limits: tuple[float, float]
) -> tuple[float, float] | None:
    """Two numbers; nothing where nothing was given."""
    if given is None:
        return None
    try:
        low, high = (float(part) for part in given.split(","))
    except ValueError:
        low, high = 0.0, 0.0
    if not limits[0] <= low < high <= limits[1]:
        raise UserError(
            f"{option} {given}: valid: two numbers, the lower first, as 0.5,2.5,"
            f" between {limits[0]:g} and {limits[1]:g}"
        )
    return low, high


def load_swimmer(name: str) -> "SwimmerSpec":
    """A species by its name or file, which must swim."""
    from skitter.scene.load import load_scene
    from skitter.species.swimmer import SwimmerSpec

    scene = {"title": "a sweep", "terrain": [], "creatures": [{"species": name, "name": "it"}]}
    found = load_scene(scene).species[0]
    if not isinstance(found, SwimmerSpec):
        raise UserError(f"--species {name}: is of kind {found.kind}; valid: one of kind swimmer")
    return found


def make_report(sweep: "Sweep", best: "Best", fit: "Regression") -> dict[str, Any]:
    """Speeds in cm/s, frequencies in Hz, phases in degrees, powers in erg/s."""
    return {
        "swims": int(sweep.speed.size),
        "unstable": int((~sweep.stable).sum()),
        "best": [
            {
                "speed": float(best.speed[k]),
                "frequency": float(best.frequency[k]),
                "phase_deg": float(best.phase_deg[k]),
                "power": float(best.power[k]),
                "border": bool(best.border[k]),
            }
            for k in range(len(best.speed))
        ],
        "regression": asdict(fit),
    }


def show(report: dict[str, Any]) -> None:
    """A table of some of the best strokes, and how well the regression fits."""
    rows = report["best"]
    some = [rows[round(k * (len(rows) - 1) / (SHOWN - 1))] for k in range(SHOWN)]
    print_rows(
        [
            ("speed cm/s", "frequency Hz", "phase deg", "power erg/s", ""),
            *(
                (
                    f"{row['speed']:.2f}",
                    f"{row['frequency']:.3f}",
                    f"{row['phase_deg']:.1f}",
                    f"{row['power']:.0f}",
                    "at the end of the range" if row["border"] else "",
                )
                for row in some
            ),
        ]
    )
    fit = report["regression"]
    say(
        f"{report['swims']} swims, {report['unstable']} of them not stable in time; power is"
        f" quadratic in speed with R² = {fit['power_fit']:.4f}, a power law has the exponent"
        f" {fit['power_exponent']:.2f}; {report['folder']}/optimum.yaml meets speeds within"
        f" {100 * fit['speed_error']:.1f} %"
    )
