"""`skitter sweep`: a scene run with many values and seeds, into a folder, and plots of it."""

import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skitter.console import complain, format_number, print_report, print_rows, say
from skitter.errors import UserError
from skitter.progress import Progress, has_kernels

if TYPE_CHECKING:
    from skitter.study.sweep.run import Ended
    from skitter.study.sweep.store import Results

SHOWN = 12  # measures of the table
REASONS = 5  # that are told; all are in the store


def sweep_study(
    study: str,
    folder: Path,
    *,
    jobs: int | None,
    scheduler: str | None,
    retry: bool,
    as_json: bool,
    swim: dict[str, Any],
) -> None:
    """Run what is missing, write everything into the folder and say how it went."""
    if study == "swim":
        if scheduler is not None or retry:
            raise UserError("sweep swim: takes neither --scheduler nor --retry; valid: --jobs")
        from skitter.commands.sweep_swim import sweep_swim

        sweep_swim(folder, processes=jobs, as_json=as_json, **swim)
        return
    given = [f"--{name}" for name, value in swim.items() if value is not None]
    if given:
        raise UserError(f"sweep {study}: {', '.join(given)} is of sweep swim alone")
    if scheduler is not None and jobs is not None:
        raise UserError("--scheduler and --jobs exclude each other; valid: one of them")
    run_study(study, folder, jobs=jobs, scheduler=scheduler, retry=retry, as_json=as_json)


def run_study(
    study: str,
    folder: Path,
    *,
    jobs: int | None,
    scheduler: str | None,
    retry: bool,
    as_json: bool,
) -> None:
    from skitter.study.sweep import load_sweep, read_results, sweep

    plan = load_sweep(study)
    progress = Progress(what="point")
    if not has_kernels():
        progress.prepare()
    try:
        ended = sweep(
            plan,
            folder,
            jobs=jobs or os.cpu_count() or 1,
            scheduler=scheduler,
            retry=retry,
            tell=progress.count_runs,
        )
    except KeyboardInterrupt as error:
        error.args = (
            f"stopped; finished points are kept in {folder}, and the same command goes on",
        )
        raise
    finally:
        progress.close()
    results = read_results(folder)
    pictures = draw_plots(results, folder)
    report = make_report(results, ended) | {"folder": str(folder), "pictures": pictures}
    print_report({"sweep": report}) if as_json else show(report)


def draw_plots(results: "Results", folder: Path) -> list[str]:
    """A picture of each measure, where pillow is installed; the names of the files."""
    from skitter.study.sweep.plots import write_plots

    try:
        return write_plots(results, folder)
    except ImportError:
        return []


def make_report(results: "Results", ended: "Ended") -> dict[str, Any]:
    from skitter.study.sweep.plots import summarize

    return {
        "study": results.about["study"],
        "title": results.about["title"],
        "points": ended.points,
        "ran": ended.ran,
        "failed": sum(ended.failures.values()),
        "failures": ended.failures,
        "damaged": ended.damaged,
        "measures": summarize(results),
    }


def show(report: dict[str, Any]) -> None:
    """Ranges of some measures, failures by reason, and where everything is."""
    rows = list(report["measures"].items())
    table = [
        (name, *(format_number(one[key]) for key in ("least", "mean", "most")), one["unit"])
        for name, one in rows[:SHOWN]
    ]
    print_rows([("measure", "least", "mean", "most", "unit"), *table])
    say("")
    if len(rows) > SHOWN:
        say(f"and {len(rows) - SHOWN} measures more")
    if report["damaged"]:
        complain(f"{report['damaged']} damaged lines were dropped and their points run again")
    for reason, number in list(report["failures"].items())[:REASONS]:
        say(f"{number} of {report['points']} points failed: {reason}")
    missing = list_missing()
    files = "points.csv has" if "results.zarr" in missing else "points.csv and results.zarr have"
    say(
        f"{report['points']} points, {report['ran']} of them run now; {report['folder']}/{files}"
        " them, skitter plot draws them"
    )
    for reason in missing.values():
        complain(reason)


def list_missing() -> dict[str, str]:
    """What is not written for want of a package, and how to get it."""
    missing = {}
    if find_spec("xarray") is None or find_spec("zarr") is None:
        missing["results.zarr"] = "no results.zarr without xarray: pip install 'skitter[study]'"
    if find_spec("PIL") is None:
        missing["pictures"] = "no pictures without pillow: pip install 'skitter[render]'"
    return missing


def plot_sweep(
    folder: Path,
    output: Path,
    *,
    measure: str | None,
    x: str | None,
    y: str | None,
    lines: str | None,
) -> None:
    """One picture of a sweep."""
    from skitter.commands.report import check_folder, check_pillow
    from skitter.study.sweep.plots import write_plot
    from skitter.study.sweep.store import read_results

    check_pillow(output)
    check_folder(output.parent)
    if output.suffix.lower() != ".png":
        raise UserError(f"{output}: is no picture; valid: a .png file")
    if output.is_dir():
        raise UserError(f"{output}: is a directory; valid: a .png file")
    write_plot(read_results(folder), output, measure=measure, x=x, y=y, lines=lines)
    say(f"{output}")
