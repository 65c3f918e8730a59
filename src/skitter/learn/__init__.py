"""Gymnasium environments: `import skitter.learn` makes `skitter/Centipede-v0` and the others known.

    import gymnasium
    import skitter.learn
    env = gymnasium.make("skitter/Swimmer-v0")
    many = gymnasium.make_vec("skitter/Swimmer-v0", num_envs=16)

docs/learning.md has every entry of their observations and actions, and their rewards.
"""

from skitter.errors import UserError

try:
    from gymnasium.envs.registration import register, registry
except ImportError as error:
    raise UserError("skitter.learn needs gymnasium: pip install 'skitter[study]'") from error

from skitter.learn.families import FAMILIES as FAMILIES
from skitter.learn.families import Family as Family

for _name, _family in FAMILIES.items():
    if f"skitter/{_name}-v0" not in registry:
        register(
            id=f"skitter/{_name}-v0",
            entry_point="skitter.learn.env:CreatureEnv",
            vector_entry_point="skitter.learn.env:CreatureVectorEnv",
            max_episode_steps=_family.steps,
            kwargs={"family": _name},
        )
