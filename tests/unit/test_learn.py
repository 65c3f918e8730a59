"""The Gymnasium environments: what every one of them must do."""

import importlib.util
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import skitter.learn
from skitter.errors import UserError
from skitter.learn.entry import fit
from skitter.learn.families import build_herd
from skitter.learn.reward import judge

FAMILIES = tuple(skitter.learn.FAMILIES)


def make(family: str, **options: Any) -> Any:
    return gymnasium.make(f"skitter/{family}-v0", **options).unwrapped


def make_many(family: str, count: int, **options: Any) -> Any:
    return gymnasium.make_vec(f"skitter/{family}-v0", num_envs=count, **options)


def run(env: Any, seed: int, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Observations [step, entry] and rewards [step] of some actions."""
    seen, rewards = [env.reset(seed=seed)[0]], []
    for action in actions:
        obs, reward, *_ = env.step(action)
        seen.append(obs)
        rewards.append(reward)
    return np.array(seen), np.array(rewards)


def draw_actions(env: Any, count: int, seed: int = 3) -> np.ndarray:
    size = getattr(env, "single_action_space", env.action_space).shape[0]
    return np.random.default_rng(seed).uniform(-1, 1, (count, size)).astype(np.float32)


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_gymnasium_finds_nothing_wrong(family: str) -> None:
    """Both ways to render included; here 'human' has no display."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make(family))


@pytest.mark.parametrize("family", FAMILIES)
def test_entries_describe_the_spaces(family: str) -> None:
    env = make(family)
    for entries, space in (
        (env.observation_entries, env.observation_space),
        (env.action_entries, env.action_space),
    ):
        names = [one.name for one in entries]
        assert len(set(names)) == len(names)
        assert space.dtype == np.float32 and space.shape == (len(entries),)
        assert np.array_equal(space.low, np.array([one.low for one in entries], np.float32))
        assert all(one.unit and one.about for one in entries)
    assert (env.action_space.low == -1).all() and (env.action_space.high == 1).all()
    env.close()


@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_seed_gives_the_same_trajectory(family: str) -> None:
    first, second = make(family), make(family)
    actions = draw_actions(first, 12)
    seen, rewards = run(first, 7, actions)
    again, rewards_again = run(second, 7, actions)
    assert np.array_equal(seen, again) and np.array_equal(rewards, rewards_again)
    after, _ = run(first, 7, actions)  # nothing of the episode before is left
    assert np.array_equal(seen, after)
    assert not np.array_equal(seen[0], run(first, 8, actions[:1])[0][0])
    for env in (first, second):
        env.close()


@pytest.mark.parametrize("family", FAMILIES)
def test_one_of_many_is_as_one_alone(family: str) -> None:
    """To the last bit, but for eels: where in the lanes of a herd one is decides how it rounds."""
    many, alone = make_many(family, 3), make(family)
    actions = draw_actions(alone, 5)
    seen = [many.reset(seed=20)[0][1]]
    for action in actions:
        seen.append(many.step(np.tile(action, (3, 1)))[0][1])
    expected = run(alone, 21, actions)[0]
    if family == "Swimmer":
        assert np.array(seen) == pytest.approx(expected, rel=1e-3, abs=1e-4)
    else:
        assert np.array_equal(np.array(seen), expected)
    many.close()
    alone.close()


@pytest.mark.parametrize("family", FAMILIES)
def test_what_others_do_changes_nothing(family: str) -> None:
    """One of many, while its neighbours act as it does, and while they begin anew in every step."""
    many = make_many(family, 3)
    found = []
    for disturbed in (False, True):
        seen = [many.reset(seed=20)[0][1]]
        for action in draw_actions(many, 5):
            many.done[[0, 2]] = disturbed
            actions = np.tile(action, (3, 1))
            actions[[0, 2]] *= -1 if disturbed else 1
            seen.append(many.step(actions)[0][1])
        found.append(np.array(seen))
    assert np.array_equal(*found)
    many.close()


def test_episodes_end_and_begin_in_the_next_step() -> None:
    many = make_many("Roach", 2, max_episode_steps=3)
    first, _ = many.reset(seed=4)
    still = np.zeros(many.action_space.shape, np.float32)
    late = [many.step(still)[3].tolist() for _ in range(3)]
    assert late == [[False, False], [False, False], [True, True]]
    seen, reward, down, cut, told = many.step(still)
    assert (reward == 0).all() and not down.any() and not cut.any()
    assert not told["_reward_forward"].any()
    assert not np.array_equal(seen, first), "each episode begins a little differently"
    joints = [k for k, one in enumerate(many.observation_entries) if one.name.startswith("rest_")]
    assert np.array_equal(seen[:, joints], first[:, joints]), "but from the same pose"
    many.close()


@pytest.mark.parametrize("family", FAMILIES)
def test_random_actions_give_numbers(family: str) -> None:
    """tools/soak_learn.py does it a million times."""
    many = make_many(family, 4)
    many.reset(seed=1)
    many.action_space.seed(1)
    for _ in range(40):
        seen, reward, *_ = many.step(many.action_space.sample())
        assert many.observation_space.contains(seen)
        assert np.isfinite(reward).all()
    many.close()


@pytest.mark.parametrize("family", ("Swimmer", "Roach", "Centipede"))
def test_one_that_flies_apart_is_down_and_others_go_on(family: str) -> None:
    many, alone = make_many(family, 2), make(family)
    many.reset(seed=9)
    herd = many.herd
    if family == "Swimmer":
        herd.school.body_state.rows[herd.owners["body"] == 0] = np.nan
    elif family == "Roach":
        herd.creatures[0].body_state.v[:] = np.nan
    else:
        herd.creatures[0].body_state.rows[:] = np.nan
    action = draw_actions(alone, 1)
    seen, reward, down, _, _ = many.step(np.tile(action, (2, 1)))
    assert down.tolist() == [True, False]
    assert np.isfinite(seen).all() and reward[0] == pytest.approx(-5 - 0.05 * (action**2).mean())
    assert seen[1] == pytest.approx(run(alone, 10, action)[0][1], rel=1e-3, abs=1e-4)
    many.close()
    alone.close()


def test_reward_is_speed_less_control_less_falling() -> None:
    way, actions = np.array([0.2, 0.2]), np.array([[1.0, 0.0], [0.0, 0.0]])
    reward = judge(way, 2.0, 0.02, actions, np.array([False, True]))
    assert reward.total == pytest.approx([0.2 / 2.0 / 0.02 - 0.05 / 2, -5.0])


def test_variation_can_be_left_out() -> None:
    env = make("Roach")
    first = env.reset(seed=1, options={"variation": 0})[0]
    assert np.array_equal(first, env.reset(seed=2, options={"variation": 0})[0])
    assert not np.array_equal(first, env.reset(seed=2)[0])
    env.close()


def test_mistakes_get_one_line() -> None:
    env = make("Roach")
    with pytest.raises(UserError, match=r"no option 'wind'; valid: variation"):
        env.reset(options={"wind": 3})
    with pytest.raises(UserError, match="must be within 0 and 1"):
        env.reset(options={"variation": 2})
    with pytest.raises(UserError, match=r"shape \(1, 3\); it must be \(1, 18\)"):
        env.step(np.zeros(3))
    with pytest.raises(UserError, match="not a number"):
        env.step(np.full(18, np.nan))
    with pytest.raises(UserError, match="valid are full, kinematic"):
        make("Tarantula", detail="fine")
    with pytest.raises(UserError, match="wings"):
        make("Roach", wings=2)
    with pytest.raises(UserError, match="valid are human, rgb_array"):
        build_env("sound")
    with pytest.raises(UserError, match="valid are Centipede"):
        build_herd("Dragon", 1)
    env.close()


def build_env(mode: str) -> Any:
    from skitter.learn.env import CreatureEnv

    return CreatureEnv("Roach", render_mode=mode)


def test_what_is_beyond_its_range_is_cut_off() -> None:
    env = make("Roach")
    wild = np.full((1, len(env.observation_entries)), 1e9)
    assert np.array_equal(fit(wild, env.observation_space)[0], env.observation_space.high)
    seen = run(env, 0, np.full((3, 18), 5.0))[0]
    assert np.array_equal(seen, run(env, 0, np.ones((3, 18)))[0]), "so are actions"
    env.close()


def test_pictures_show_the_creature_where_it_is() -> None:
    env = make("Swimmer", render_mode="rgb_array", picture_size=(96, 64))
    env.reset(seed=0)
    first = env.render()
    for _ in range(30):
        env.step(np.ones(11))
    later = env.render()
    assert first.shape == later.shape == (64, 96, 3) and first.dtype == np.uint8
    assert np.abs(first.astype(int) - later).max() > 20, (
        "a bent eel looks other than a straight one"
    )
    env.close()


def test_without_a_display_one_line_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    env = make("Roach", render_mode="human", picture_size=(64, 48))
    env.reset(seed=0)
    env.step(np.zeros(18))
    assert env.render() is None
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and "no display" in told
    env.close()


def test_the_page_has_every_entry() -> None:
    """docs/learning.md is what tools/learning_page.py would write."""
    path = Path(__file__).parents[2] / "tools" / "learning_page.py"
    spec = importlib.util.spec_from_file_location("learning_page", path)
    assert spec and spec.loader
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    text = page.PAGE.read_text()
    assert page.write_page(text) == text, "run tools/learning_page.py"


def test_a_window_shows_the_picture() -> None:
    """Drawn where nobody sees it, and read back."""
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkCommonCore import vtkUnsignedCharArray

    from skitter.learn.sight import ScreenWindow

    window = ScreenWindow((64, 48))
    handle, pixels = window.viewer.GetRenderWindow(), vtkUnsignedCharArray()
    handle.SetOffScreenRendering(1)
    image = np.zeros((48, 64, 3), np.uint8)
    image[:24], image[24:] = (250, 10, 10), (10, 10, 250)
    for shown in (image, image[::-1].copy()):
        window.show(shown)
        handle.GetPixelData(0, 0, 63, 47, 1, pixels, 0)
        assert np.array_equal(vtk_to_numpy(pixels).reshape(48, 64, 3)[::-1], shown)
    window.close()
