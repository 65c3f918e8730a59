"""What a species file may say of a gait, and what it may not."""

import pytest
from pydantic import ValidationError

from skitter.species.gait import GaitSpec, check_gait
from steppers import JOINTS, PROGRAM, make_spec

LEGS = dict.fromkeys(["front", "middle", "hind"], JOINTS)


def test_the_paper_s_gait_is_the_default():
    """McKenna 1990 sections 4.2 and fig. 5: 50 ms between steps, stepping as long as standing."""
    gait = GaitSpec()
    assert gait.step_time == gait.lag == 0.05
    assert gait.fastest == gait.master == pytest.approx(10.0)
    assert not (gait.reflexes.step.on or gait.reflexes.load.on or gait.reflexes.elevator.on)


@pytest.mark.parametrize(
    "given, said",
    [
        ({"lag": 0.02}, "at least the step_time"),
        ({"frequency": 10.5}, "10 Hz at most"),
        ({"frequency": float("nan")}, "finite"),
        ({"step_time": 0}, "greater than"),
        ({"programs": {"front": {"step": [], "stance": []}}}, "at least 1"),
        ({"programs": {"front": {"step": PROGRAM["step"]}}}, "required"),
        ({"tempo": 3}, "not permitted"),
        ({"reflexes": {"load": {"most": {"front": -1}}}}, "greater than 0"),
        ({"reflexes": {"elevator": {"force": 5}}}, "dictionary"),
    ],
)
def test_bad_gaits_are_refused(given, said):
    with pytest.raises(ValidationError, match=said):
        GaitSpec.model_validate(given)


def test_a_gait_that_suits_the_legs_passes():
    check_gait(make_spec(), LEGS)


@pytest.mark.parametrize(
    "change, said",
    [
        ({"programs": {"front": PROGRAM, "hind": PROGRAM}}, "none for the legs 'middle'"),
        ({"reflexes": {"step": {"angle_deg": {"rear": 3.0}}}}, "'rear'; there are front, middle"),
        ({"reflexes": {"elevator": {"force": {"tail": 3.0}}}}, "elevator.force names .*'tail'"),
    ],
)
def test_a_gait_for_other_legs_is_refused(change, said):
    spec = GaitSpec.model_validate({**make_spec().model_dump(mode="json"), **change})
    with pytest.raises(ValueError, match=said):
        check_gait(spec, LEGS)


def test_a_joint_that_legs_lack_is_refused():
    with pytest.raises(ValueError, match="moves the joint 'lift'; these legs have swing, knee"):
        check_gait(make_spec(), {**LEGS, "hind": ["swing", "knee"]})
