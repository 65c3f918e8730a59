"""What a search leaves for people: the best scene, which search found it, a table, a picture."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from skitter.study.files import write_whole
from skitter.study.folder import write_yaml
from skitter.study.source import anchor
from skitter.study.tune.evolve import Evaluate, Found, Told, search
from skitter.study.tune.plan import Plan, list_versions
from skitter.study.tune.trial import Trial, attempt
from skitter.study.wanted import find_unit, list_units

BEST, PICTURE = "best.yaml", "history.png"
SOURCE_MOST = 2000  # characters of the `source` of a scene


def tune(
    plan: Plan,
    folder: Path,
    *,
    jobs: int = 1,
    tell: Told | None = None,
    evaluate: Evaluate = attempt,
) -> Found:
    """Search into a folder, where the best scene so far is written with every generation."""

    def keep(found: Found) -> None:
        write_best(plan, found, folder)

    found = search(plan, folder=folder, jobs=jobs, tell=tell, evaluate=evaluate, each=keep)
    write_results(plan, found, folder)
    return found


def write_results(plan: Plan, found: Found, folder: Path) -> None:
    """The best scene, and a picture where there is what draws it."""
    write_best(plan, found, folder)
    try:
        write_picture(plan, found, folder / PICTURE)
    except ImportError:  # without pillow
        return


def describe_source(plan: Plan, found: Found) -> str:
    """Which search found the best values, for the `source` of what they are pasted into."""
    versions, last = list_versions(), found.generations[-1]
    measures = ", ".join(f"{id} {value:.4g}" for id, value in found.best.measures.items())
    return (
        f"Found by skitter {versions['skitter']}, tune {plan.name}, seed {plan.spec.seed}:"
        f" generation {found.best_generation} of {last.number} with {len(last.trials)} trials each"
        f" (CMA-ES, pycma {versions['cma']}); {measures}"
    )


def write_best(plan: Plan, found: Found, folder: Path) -> None:
    """A whole scene with the best values, that `skitter run` takes."""
    spec = plan.load(found.best.values).spec
    tree = spec.model_dump(mode="json", by_alias=True, exclude_unset=True)
    own = f"{spec.source}. " if spec.source else ""
    tree["source"] = f"{own}{describe_source(plan, found)}"[:SOURCE_MOST]
    if isinstance(plan.source, str):
        tree = anchor(tree, Path(plan.source).parent)
    write_whole(folder / BEST, write_yaml(tree))


def write_picture(plan: Plan, found: Found, path: Path) -> None:
    """Cost by generation: the best so far, the best and the middle of each; failed ones left out"""
    from skitter.measure.plot import Curve, write_curves

    costs = [[t.cost for t in one.trials if not t.failure] for one in found.generations]
    lowest = np.array([min(some, default=np.nan) for some in costs])
    middle = np.array([np.median(some) if some else np.nan for some in costs])
    number = np.arange(len(costs))
    curves = [
        Curve("middle", number, middle),
        Curve("best", number, lowest),
        Curve("best so far", number, np.fmin.accumulate(lowest)),
    ]
    write_curves(path, title=plan.spec.title, curves=curves, labels=("generation", "cost"))


def make_report(plan: Plan, found: Found) -> dict[str, Any]:
    """What was found, as plain values."""
    return {
        "study": plan.name,
        "title": plan.spec.title,
        "seed": plan.spec.seed,
        "generations": found.generations[-1].number,
        "best_generation": found.best_generation,
        "stopped": found.stopped,
        "trials": len(found.trials),
        "failures": Counter(trial.failure for trial in found.trials if trial.failure),
        "parameters": [
            {"path": one.path, "start": start, "best": best, "range": list(one.range)}
            for one, start, best in zip(
                plan.spec.parameters, found.start.values, found.best.values, strict=True
            )
        ],
        "cost": {"start": found.start.cost, "best": found.best.cost},
        "measures": compare(plan, found.start, found.best),
        "source": describe_source(plan, found),
    }


def compare(plan: Plan, start: Trial, best: Trial) -> Mapping[str, Any]:
    """Measures of two trials, by full id; None where one does not tell."""
    units = list_units(plan.kinds)
    return {
        id: {
            "start": start.measures.get(id),
            "best": best.measures.get(id),
            "unit": find_unit(units, id),
        }
        for id in plan.measures
    }
