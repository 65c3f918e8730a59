"""`skitter tune`: a search for the numbers of a scene, into a folder."""

import os
from pathlib import Path
from typing import Any

from skitter.console import format_number, print_report, print_rows, say
from skitter.errors import UserError
from skitter.progress import Progress, has_kernels


def tune_study(
    study: str, folder: Path, *, jobs: int | None, as_json: bool, **given: int | None
) -> None:
    """Search, write everything into the folder and say what was found."""
    from skitter.study.tune import load_plan, make_report, tune

    plan = load_plan(study, **given)
    progress = Progress(what="run")
    if not has_kernels():
        progress.prepare()
    try:
        found = tune(plan, folder, jobs=jobs or os.cpu_count() or 1, tell=progress.count_runs)
    except KeyboardInterrupt as error:
        error.args = (
            f"stopped; finished generations are kept in {folder}, and the same command goes on",
        )
        raise
    finally:
        progress.close()
    if found.best.failure:
        raise UserError(
            f"{folder}: none of {len(found.trials)} trials came to a good end:"
            f" {found.best.failure}; valid: other ranges, or another start"
        )
    report = make_report(plan, found) | {"folder": str(folder)}
    print_report({"tune": report}) if as_json else show(report)


def show(report: dict[str, Any]) -> None:
    """Tables of parameters and of measures, and which search found them."""
    print_rows(
        [
            ("parameter", "start", "best", "range"),
            *(
                (
                    one["path"],
                    format_number(one["start"]),
                    format_number(one["best"]),
                    " to ".join(format_number(end) for end in one["range"]),
                )
                for one in report["parameters"]
            ),
        ]
    )
    say("")
    rows = {"cost": {**report["cost"], "unit": "1"}, **report["measures"]}
    print_rows(
        [
            ("measure", "start", "best", "unit"),
            *(
                (name, format_number(one["start"]), format_number(one["best"]), one["unit"])
                for name, one in rows.items()
            ),
        ]
    )
    say("")
    for reason, number in report["failures"].items():
        say(f"{number} of {report['trials']} trials failed: {reason}")
    if report["stopped"]:
        say(f"ended early, as there was nothing more to find ({report['stopped']})")
    say(f"source: {report['source']}")
    say(f"skitter run {report['folder']}/best.yaml -o ... shows it")
