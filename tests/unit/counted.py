"""Runs of a study that are counted in a file; apart from the tests, so that processes load it.

python counted.py sweep|tune STUDY FOLDER JOBS
"""

import hashlib
import os
import signal
import sys
import time
from pathlib import Path

from skitter.study.sweep.point import Outcome, run_point


def note(text):
    """A line in the file that the environment names; appending a short one is atomic."""
    with Path(os.environ["COUNTED_RUNS"]).open("a") as file:
        file.write(f"{text}\n")


def name_job(packed):
    return hashlib.sha256(packed).hexdigest()[:12]


def run(packed):
    """A point, whose process and name are noted as it begins; slow, if the environment says so."""
    note(f"{os.getpid()} {name_job(packed)}")
    time.sleep(float(os.environ.get("COUNTED_PAUSE", "0")))
    return run_point(packed)


def die_once(packed):
    """The first to come ends its process."""
    mark = Path(os.environ["COUNTED_RUNS"] + ".died")
    note(name_job(packed))
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return Outcome({"cube.speed": 1.0})


def die_always(packed):
    """One point ends all its processes; which one, the environment says."""
    note(name_job(packed))
    if name_job(packed) == os.environ["COUNTED_DEADLY"]:
        os.kill(os.getpid(), signal.SIGKILL)
    return Outcome({"cube.speed": 1.0})


def attempt_slowly(plan, values, run):
    """A trial that takes a moment, so that there is time to kill the search."""
    from skitter.study.tune import attempt

    note(os.getpid())
    time.sleep(0.05)
    return attempt(plan, values, run)


if __name__ == "__main__":
    command, study, folder, jobs = sys.argv[1:]
    if command == "sweep":
        from skitter.study.sweep import load_sweep, sweep

        sweep(load_sweep(study), Path(folder), jobs=int(jobs), run=run)
    else:
        from skitter.study.tune import load_plan, tune

        tune(load_plan(study), Path(folder), jobs=int(jobs), evaluate=attempt_slowly)
