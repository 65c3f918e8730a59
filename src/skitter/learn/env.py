"""One creature as a Gymnasium environment, and many as a vectorised one."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from skitter.errors import UserError
from skitter.learn.entry import Entry, fit
from skitter.learn.families import build_herd
from skitter.learn.herd import Herd
from skitter.learn.reward import Reward, judge
from skitter.learn.sight import MODES, SIZE, Sight

OPTIONS = ("variation",)  # of reset


class Round:
    """A herd through steps: what both kinds of environments do."""

    def __init__(self, herd: Herd) -> None:
        self.herd = herd
        self.place = np.zeros((herd.count, 3))  # cm, middles of bodies

    def start(self, k: int, rng: np.random.Generator, variation: float) -> None:
        """Put one back to the start."""
        self.herd.start(k, rng, variation)
        self.place[k] = self.herd.trunk.place[k]

    def step(self, actions: np.ndarray, moving: np.ndarray) -> tuple[Reward, np.ndarray]:
        """Those that move through a step: rewards, and who is down [creature]."""
        herd, before = self.herd, self.place[:, 0].copy()
        herd.act(actions)
        herd.advance(moving)
        self.place = herd.trunk.place.copy()
        down = (herd.find_fallen() | herd.failed) & moving
        way = np.where(moving, self.place[:, 0] - before, 0.0)
        return judge(way, herd.length, herd.seconds, actions, down), down

    def observe(self) -> np.ndarray:
        return fit(self.herd.observe(), self.herd.observation_space)

    def inform(self, reward: Reward | None = None) -> dict[str, np.ndarray]:
        """What is told besides [creature]: where each is, cm, and what its reward is made of."""
        told = {"x": self.place[:, 0].copy(), "z": self.place[:, 2].copy()}
        if reward is not None:
            told |= {f"reward_{key}": value for key, value in reward._asdict().items()}
        return told


class CreatureEnv(gymnasium.Env):
    """One creature. `observation_entries` and `action_entries` say what each number means."""

    metadata: dict[str, Any] = {"render_modes": list(MODES)}  # noqa: RUF012

    def __init__(
        self,
        family: str,
        *,
        render_mode: str | None = None,
        picture_size: tuple[int, int] = SIZE,
        **options: Any,
    ) -> None:
        self.render_mode = check_mode(render_mode)
        self.herd = build_herd(family, 1, **options)
        self.metadata = {**self.metadata, "render_fps": round(self.herd.rate)}
        self.observation_space = self.herd.observation_space
        self.action_space = self.herd.action_space
        self.round = Round(self.herd)
        self.sight = Sight(self.herd, picture_size) if render_mode else None

    @property
    def observation_entries(self) -> tuple[Entry, ...]:
        return self.herd.observations

    @property
    def action_entries(self) -> tuple[Entry, ...]:
        return self.herd.actions

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        self.round.start(0, self.np_random, read_variation(options))
        if self.render_mode == "human":
            self.render()
        return self.round.observe()[0], take_first(self.round.inform())

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        actions = check_actions(np.asarray(action)[None], self.herd)
        reward, down = self.round.step(actions, np.ones(1, bool))
        if self.render_mode == "human":
            self.render()
        info = take_first(self.round.inform(reward))
        return self.round.observe()[0], float(reward.total[0]), bool(down[0]), False, info

    def render(self) -> np.ndarray | None:
        """A picture [row, column, 3] uint8, or one in a window."""
        if self.sight is None:
            return None
        image = self.sight.draw(0)
        if self.render_mode == "human":
            self.sight.show(image)
            return None
        return image

    def close(self) -> None:
        self.herd.close()
        if self.sight is not None:
            self.sight.close()


class CreatureVectorEnv(VectorEnv):
    """Many creatures of one family side by side; one that is done begins anew in the next step."""

    metadata: dict[str, Any] = {  # noqa: RUF012  as Gymnasium has it
        "render_modes": ["rgb_array"],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        family: str,
        num_envs: int = 1,
        *,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        picture_size: tuple[int, int] = SIZE,
        **options: Any,
    ) -> None:
        if num_envs < 1:
            raise UserError(f"num_envs {num_envs}: must be 1 or more")
        self.render_mode = check_mode(render_mode, self.metadata["render_modes"])
        self.num_envs, self.limit = num_envs, max_episode_steps
        self.herd = build_herd(family, num_envs, **options)
        self.metadata = {**self.metadata, "render_fps": round(self.herd.rate)}
        self.single_observation_space = self.herd.observation_space
        self.single_action_space = self.herd.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.round = Round(self.herd)
        self.generators = [seeding.np_random(None)[0] for _ in range(num_envs)]
        self.ages = np.zeros(num_envs, np.int64)  # steps since each began
        self.done = np.zeros(num_envs, bool)
        self.variation = 1.0
        self.sight = Sight(self.herd, picture_size) if render_mode else None

    @property
    def observation_entries(self) -> tuple[Entry, ...]:
        return self.herd.observations

    @property
    def action_entries(self) -> tuple[Entry, ...]:
        return self.herd.actions

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """With one seed, creature k has what an environment of its own has with seed + k."""
        self.variation = read_variation(options)
        for k, own in enumerate(spread_seeds(seed, self.num_envs)):
            if own is not None:
                self.generators[k] = seeding.np_random(own)[0]
            self.begin(k)
        return self.round.observe(), mask(self.round.inform(), np.ones(self.num_envs, bool))

    def begin(self, k: int) -> None:
        self.round.start(k, self.generators[k], self.variation)
        self.ages[k], self.done[k] = 0, False

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        moving = ~self.done
        checked = np.where(moving[:, None], check_actions(np.asarray(actions), self.herd), 0.0)
        reward, down = self.round.step(checked, moving)
        self.ages += moving
        late = np.zeros_like(down) if self.limit is None else moving & (self.ages >= self.limit)
        for k in np.flatnonzero(~moving):
            self.begin(int(k))
        self.done = down | late
        told = mask(self.round.inform(reward), moving)
        return self.round.observe(), np.where(moving, reward.total, 0.0), down, late, told

    def render(self) -> tuple[np.ndarray, ...] | None:
        """A picture of each."""
        if self.sight is None:
            return None
        return tuple(self.sight.draw(k) for k in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        self.herd.close()
        if self.sight is not None:
            self.sight.close()


def check_mode(mode: str | None, modes: Any = MODES) -> str | None:
    if mode is not None and mode not in modes:
        raise UserError(f"render_mode {mode!r}: valid are {', '.join(modes)}, or none")
    return mode


def check_actions(actions: np.ndarray, herd: Herd) -> np.ndarray:
    """Actions [creature, action] as numbers within their ranges; what lies beyond is cut off."""
    wanted = (herd.count, len(herd.actions))
    if actions.shape != wanted:
        raise UserError(f"actions have the shape {actions.shape}; it must be {wanted}")
    values = actions.astype(float)
    if not np.isfinite(values).all():
        raise UserError("an action is not a number; all must be within -1 and 1")
    return np.clip(values, -1.0, 1.0)


def read_variation(options: dict[str, Any] | None) -> float:
    """How much starts vary, of what the family says."""
    for key in options or {}:
        if key not in OPTIONS:
            raise UserError(f"reset has no option {key!r}; valid: {', '.join(OPTIONS)}")
    value = float((options or {}).get("variation", 1.0))
    if not 0 <= value <= 1:
        raise UserError(f"the option variation is {value:g}; it must be within 0 and 1")
    return value


def spread_seeds(seed: int | list[int | None] | None, count: int) -> list[int | None]:
    if seed is None:
        return [None] * count
    if isinstance(seed, int):
        return [seed + k for k in range(count)]
    if len(seed) != count:
        raise UserError(f"there are {len(seed)} seeds for {count} environments")
    return list(seed)


def take_first(told: dict[str, np.ndarray]) -> dict[str, float]:
    return {key: float(value[0]) for key, value in told.items()}


def mask(told: dict[str, np.ndarray], having: np.ndarray) -> dict[str, Any]:
    """As vectorised environments tell it: with whom it concerns."""
    return told | {f"_{key}": having.copy() for key in told}
