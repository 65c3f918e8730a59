"""Reading a study: a built-in name, a file or a dict, checked together with its scene."""

from typing import Any

from skitter.errors import UserError
from skitter.scene.check import check
from skitter.start import list_doubts
from skitter.study.changes import read_number
from skitter.study.source import (
    Source,
    anchor_changes,
    check_settle,
    find_scene,
    name_field,
    read_study,
)
from skitter.study.tune.plan import UNCHANGED, Plan, Values, load_variants
from skitter.study.tune.spec import StudySpec
from skitter.study.wanted import check_measures
from skitter.warn import warn


def load_plan(study: Source, **changes: Any) -> Plan:
    """A built-in study, a file or a dict; `changes` are fields of it to be set, if not None."""
    name, label, folder, tree = read_study(study, "tune")
    given = {key: value for key, value in changes.items() if value is not None}
    if isinstance(tree, dict):
        tree = {**tree, **given}
    spec = check(StudySpec, tree, lambda location: name_field(label, location, given))
    own, *variants = [anchor_changes(one, folder) for one in (spec.set_, *spec.variants)]
    spec = spec.model_copy(update={"set_": own, "variants": variants})
    source = find_scene(label, spec.scene, folder)
    scenes = load_variants(label, spec, source)
    check_settle(label, spec, scenes)
    plan = Plan(name, label, spec, source, find_start(label, spec, scenes[0]), scenes)
    check_measures(label, plan.creature, plan.kinds, plan.measures)
    for variant in range(len(scenes)):
        # a path that leads nowhere is told before anything is run
        warn(list_doubts(plan.load(plan.start, variant)))
    return plan


def find_start(label: str, spec: StudySpec, scene: dict[str, Any]) -> Values:
    """Where the search begins: the numbers that are given, else those of the scene."""
    values = []
    for index, one in enumerate(spec.parameters):
        where = f"{label}: parameters[{index}]"
        value = one.start
        if value is None:
            same = UNCHANGED.get(one.apply)
            value = read_number(where, one.path, scene) if same is None else same
        if not one.range[0] <= value <= one.range[1]:
            raise UserError(
                f"{where} has the range {one.range[0]:g} to {one.range[1]:g}, and the scene is at"
                f" {value:g}; valid: a range that holds it, or a start"
            )
        values.append(float(value))
    return tuple(values)
