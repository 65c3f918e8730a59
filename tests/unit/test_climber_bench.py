"""The bench of climbers: what is compared is alike, and its sums are right."""

import numpy as np
import pytest

from skitter.bench import climbers, list_benchmarks
from skitter.bench.climber_peer import STEP, Peer
from skitter.scene.load import load_scene


def test_it_is_listed():
    assert "climbers" in [one["id"] for one in list_benchmarks()]


def test_the_peer_is_a_spider_that_treads_among_boxes():
    """Six of the thorax, forty hinges, and twenty boxes of six."""
    peer = Peer()
    assert (peer.model.nu, peer.model.nv) == (40, 6 + 40 + 120)
    assert peer.model.opt.timestep == STEP
    peer.advance(1.0)
    assert peer.data.time == pytest.approx(1.0)
    assert peer.is_well and peer.height < 0.7
    assert peer.data.ncon > 60  # ten piles of two boxes, with feet
    hinges = peer.data.qpos[7:47]
    assert np.ptp(hinges) > 0.1, "legs move"


def test_one_tarantula_among_twenty_blocks():
    scene = load_scene(climbers.make_lonely_scene())
    kinds = [one.kind for one in scene.species]
    assert kinds == ["climber"] + ["object"] * 20
    assert scene.species[0].detail.level == "full"
    assert scene.steps_per_frame == 10
    at = np.array([one.at for one in scene.spec.creatures])[:, [0, 2]]
    apart = np.linalg.norm(at[1:, None] - at[1:], axis=2) + 10 * np.eye(20)
    assert apart.min() > np.hypot(1.3, 1.1), "no block in another"
    assert np.linalg.norm(at[1:], axis=1).min() > 10, "nor in its legs"


@pytest.mark.parametrize(("level", "count"), [("full", 6), ("kinematic", 100), ("coarse", 100)])
def test_crowds_at_each_level(level, count):
    assert climbers.CROWD[level] == count
    scene = load_scene(climbers.make_crowd_scene(level, count))
    assert len(scene.species) == count
    assert {one.detail.level for one in scene.species} == {level}
    at = np.array([one.at for one in scene.spec.creatures])[:, [0, 2]]
    apart = np.linalg.norm(at[:, None] - at, axis=2) + 100 * np.eye(count)
    assert apart.min() == pytest.approx(climbers.APART)
    area = climbers.GROUND["random"]["area"]
    assert np.abs(at).max() < min(area) / 2, "all stand on hills"


def test_how_many_fit_into_real_time():
    """A hundred take 4 ms a frame of 20: five hundred would take all of it."""
    found = climbers.judge_crowd("coarse", 100, 0.004)
    assert found["id"] == "climbers/coarse"
    assert (found["value"], found["baseline"], found["ratio"]) == (500, 100, 5.0)
    assert found["us_per_creature_frame"] == pytest.approx(40.0)
    assert climbers.judge_crowd("full", 6, 0.025)["value"] == 4


def test_rounds_take_turns():
    now, order = [0.0], []

    def make(name, seconds):
        def run():
            order.append(name)
            now[0] += seconds

        return run

    spent = climbers.time_in_turn({"a": make("a", 1.0), "b": make("b", 2.5)}, 3, lambda: now[0])
    assert order == ["a", "b"] * 3
    assert spent["a"].tolist() == [1.0] * 3 and spent["b"].tolist() == [2.5] * 3


class Still:
    """A world whose frames take a millisecond of a clock of its own."""

    now = 0.0

    def __init__(self, scene, threads):
        self.scene, self.threads = scene, threads

    @classmethod
    def from_scene(cls, scene, *, threads):
        return cls(scene, threads)

    def advance(self, seconds=None):
        Still.now += 0.001 if seconds is None else 0.0


def test_records_have_the_shape_of_the_contract(monkeypatch):
    """Frames of 1 ms are fifty times ten steps of 2 ms in a second: twenty times real time."""

    class SlowPeer:
        is_well = True

        def advance(self, seconds):
            Still.now += 0.1 * seconds

    monkeypatch.setattr(climbers, "World", Still)
    monkeypatch.setattr(climbers, "Peer", SlowPeer)
    for clock in ("process_time", "perf_counter"):
        monkeypatch.setattr(climbers.time, clock, lambda: Still.now)
    records = {one["id"]: one for one in climbers.run_climbers()}
    assert [*records] == [
        f"climbers/{one}" for one in ("tarantula", "tarantula-mujoco", *climbers.CROWD)
    ]
    for one in records.values():
        assert {"id", "value", "unit", "baseline", "ratio", "limit_share"} <= {*one}
    assert records["climbers/tarantula"]["ratio"] == pytest.approx(20.0)
    beside = records["climbers/tarantula-mujoco"]
    assert (beside["baseline"], beside["ratio"]) == pytest.approx((10.0, 2.0))
    assert beside["us_per_step"] == pytest.approx(100.0)
    assert records["climbers/full"]["value"] in (119, 120)
