"""Reading a study of a sweep: a built-in name, a file or a dict, checked with its scene."""

from pathlib import Path
from typing import Any

from skitter.errors import UserError
from skitter.scene.check import check
from skitter.scene.load import load_scene
from skitter.start import list_doubts
from skitter.study.changes import list_changes
from skitter.study.source import (
    Source,
    anchor_changes,
    anchor_value,
    check_settle,
    find_scene,
    name_field,
    read_study,
)
from skitter.study.sweep.plan import Plan
from skitter.study.sweep.spec import POINTS_MOST, SweepSpec
from skitter.study.wanted import check_measures, list_kinds
from skitter.warn import warn

SAMPLES_TRIED = 20  # before a study is refused for what it draws


def load_sweep(study: Source, **changes: Any) -> Plan:
    """A built-in study, a file or a dict; `changes` are fields of it to be set, if not None."""
    name, label, folder, tree = read_study(study, "sweep")
    given = {key: value for key, value in changes.items() if value is not None}
    if isinstance(tree, dict):
        tree = {**tree, **given}
    spec = check(SweepSpec, tree, lambda location: name_field(label, location, given))
    spec = anchor_files(spec, folder)
    source = find_scene(label, spec.scene, folder)
    base = load_scene(source, overrides=list_changes(label, spec, {}))
    scene = base.to_dict()
    plan = Plan(name, label, spec, source, scene)
    check_size(plan)
    check_settle(label, spec, [scene])
    check_measures(label, plan.creature, list_kinds(scene), plan.measures)
    check_values(plan)
    warn(list_doubts(base, max(spec.seeds)))
    return plan


def anchor_files(spec: SweepSpec, folder: Path) -> SweepSpec:
    """A study with the files that it sets named from the root on."""
    axes = [
        one.model_copy(
            update={"values": [anchor_value(one.path, value, folder) for value in one.values]}
        )
        if one.values is not None
        else one
        for one in spec.parameters
    ]
    return spec.model_copy(update={"set_": anchor_changes(spec.set_, folder), "parameters": axes})


def check_size(plan: Plan) -> None:
    size = plan.grid.size
    if size > POINTS_MOST:
        raise UserError(
            f"{plan.label}: has {size:,} points; valid: at most {POINTS_MOST:,}, with fewer"
            " values, samples or seeds"
        )


def check_values(plan: Plan) -> None:
    """Each value of the grid must make a scene where the others are at their first: a path that
    leads nowhere or a number that cannot be is told before anything is run. What is drawn, and
    what only meets in the grid, fails as a point."""
    first = find_first(plan)
    for k, axis in enumerate(plan.grid.axes):
        ends = (axis.values[-1],) if isinstance(plan.spec.parameters[k].count, int) else None
        for value in ends or (() if axis.drawn else axis.values[1:]):
            plan.load((*first[:k], value, *first[k + 1 :]))


def find_first(plan: Plan) -> tuple[Any, ...]:
    """The first values of the grid with the first sample that makes a scene; some may not."""
    for sample in range(min(plan.spec.samples or 1, SAMPLES_TRIED)):
        values = tuple(axis.values[sample if axis.drawn else 0] for axis in plan.grid.axes)
        try:
            plan.load(values)
            return values
        except UserError as error:
            problem = error
    raise problem
