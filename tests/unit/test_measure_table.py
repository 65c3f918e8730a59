"""The table of measures: which creatures each holds for, and how one is added."""

import numpy as np
import pytest
from fake_myriapod import build_walk, touchdowns_of

from skitter.measure import measure, table
from skitter.species.kinds import KINDS


def test_every_measure_says_what_it_is_and_of_whom():
    assert len(table.CREATURE_MEASURES) > 40
    for one in (*table.CREATURE_MEASURES, *table.PARTS_MEASURES):
        assert one.unit and one.about
        assert set(one.kinds) <= set(KINDS), one.id


@pytest.fixture
def scratch():
    """The tables, which are afterwards as they were."""
    tables = table.CREATURE_MEASURES, table.PARTS_MEASURES
    before = [list(one) for one in tables]
    yield table.CREATURE_MEASURES
    for one, rows in zip(tables, before, strict=True):
        one[:] = rows


def test_a_decorated_function_is_a_measure(scratch, tmp_path):
    """Of the creatures of its kinds alone, and only where the recording tells."""
    table.measured("cm", "always two", kinds=("myriapod",))(make_measure("two", 2.0))
    table.measured("cm", "of others", kinds=("swimmer",))(make_measure("three", 3.0))
    table.measured("cm", "not here", where=lambda recording, name: False)(make_measure("no", 1))
    table.measured("cm", "not told")(make_measure("unknown", np.nan))
    walk = build_walk(touchdowns_of(5, 4.0, 0.437, 0.1, 0.0), 4.0, 0.6)
    found = measure(walk.write(tmp_path / "walk"))
    assert (found["bug.two"].value, found["bug.two"].unit) == (2.0, "cm")
    assert not {"bug.three", "bug.no", "bug.unknown"} & set(found)
    assert found["duration"].unit == "s"


def test_a_measure_of_each_part(scratch, tmp_path):
    """Its parts are told by name, and those that the recording does not tell are left out."""
    told = make_measure("told", {"L1": 1.0, "R2": np.nan})
    table.measured_by_part("reach", "cm", "of each leg", kinds=("myriapod",))(told)
    table.measured_by_part("grip", "cm", "of others", kinds=("swimmer",))(told)
    walk = build_walk(touchdowns_of(5, 4.0, 0.437, 0.1, 0.0), 4.0, 0.6)
    found = measure(walk.write(tmp_path / "walk"))
    assert (found["bug.reach_L1"].value, found["bug.reach_L1"].unit) == (1.0, "cm")
    assert not {"bug.reach_R2", "bug.grip_L1"} & set(found)
    with pytest.raises(ValueError, match="two measures of parts are called reach"):
        table.measured_by_part("reach", "1", "again")(told)


def make_measure(name, value):
    def compute(recording, creature):
        return value

    compute.__name__ = name
    return compute


def test_a_name_is_taken_once_for_each_kind(scratch):
    table.measured("1", "of one", kinds=("myriapod",))(make_measure("pace", 1.0))
    table.measured("1", "of another", kinds=("swimmer",))(make_measure("pace", 1.0))
    with pytest.raises(ValueError, match="two measures of a creature are called pace"):
        table.measured("1", "of all")(make_measure("pace", 1.0))
