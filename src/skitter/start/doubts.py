"""What a scene asks for that is probably not meant, as lines that say what to do.

All of it runs; what cannot be meant is refused when a scene is loaded or begins.
"""

from collections.abc import Iterator
from math import isclose

from skitter.scene.load import Scene
from skitter.scene.spec import MeshTerrain, SceneSpec
from skitter.species.facts import find_aim, find_fastest, find_own_step, is_held, is_random
from skitter.terrain.mesh_load import describe_sheet

FAR_ABOVE = 1.5  # times the fastest that a creature can; less is a matter of taste
NAMES_TOLD = 3


def list_doubts(scene: Scene, seed: int = 0) -> list[str]:
    """All that can be told without a world."""
    return [
        *doubt_ground(scene),
        *doubt_meshes(scene),
        *doubt_step(scene),
        *doubt_seed(scene, seed),
        *doubt_leads(scene),
    ]


def doubt_ground(scene: Scene) -> Iterator[str]:
    """Without anything to stand on, to float in or to hang on there is only falling."""
    spec = scene.spec
    if spec.terrain or spec.water is not None or spec.gravity == 0:
        return
    both = zip(scene.creature_names, spec.creatures, scene.species, strict=True)
    falling = [name for name, place, kind in both if not place.held and not is_held(kind)]
    if falling:
        yield (
            f"there is no terrain, so {name_some(falling)} will fall without end;"
            " valid: terrain: [{shape: plane}], water, or gravity: 0"
        )


def doubt_meshes(scene: Scene) -> Iterator[str]:
    """A mesh that is not closed is a sheet, unless its file was meant to be a solid."""
    for key, items in (("terrain", scene.spec.terrain), ("obstacles", scene.spec.obstacles)):
        for index, item in enumerate(items):
            if isinstance(item, MeshTerrain) and (told := describe_sheet(item)):
                yield f"{key}[{index}]: {told}"


def doubt_step(scene: Scene) -> Iterator[str]:
    """A time step is for those who take it."""
    steps = [find_own_step(kind) for kind in scene.species]
    own = [step for step in steps if step is not None]
    if "time_step" not in scene.spec.model_fields_set or len(own) < len(steps):
        return
    given = scene.spec.time_step
    if any(isclose(step.seconds, given, rel_tol=1e-3) for step in own):
        return
    key = f"creatures[0].with.{own[0].key}, or " if own[0].key else ""
    yield (
        f"time_step {given:.3g} changes nothing: {name_some(scene.creature_names)} takes steps of"
        f" {own[0].seconds:.3g} s, its own; valid: {key}no time_step"
    )


def doubt_seed(scene: Scene, seed: int) -> Iterator[str]:
    """A seed is for what is random."""
    if seed and not draws_lots(scene):
        yield f"seed {seed} changes nothing: nothing in this scene is random; valid: no seed"


def draws_lots(scene: Scene) -> bool:
    """Whether another seed would make another run."""
    spec: SceneSpec = scene.spec
    return (
        any(map(is_random, scene.species))
        or any(one.velocity_noise > 0 for one in spec.creatures)
        or any(one.shape == "scatter" for one in spec.obstacles)
        or any(one.area is not None for one in spec.food)
        or (spec.water is not None and spec.water.rain > 0)
    )


def doubt_leads(scene: Scene) -> Iterator[str]:
    """Commands that nobody can follow, and those that make other orders void."""
    for index, (placement, species) in enumerate(
        zip(scene.spec.creatures, scene.species, strict=True)
    ):
        if not placement.commands:
            continue
        name, fastest = scene.creature_names[index], find_fastest(species)
        wanted = [max(abs(one.speed), abs(one.side)) for one in placement.commands]
        most = max(wanted)
        if fastest is not None and most > FAR_ABOVE * fastest:
            yield (
                f"creatures[{index}].commands[{wanted.index(most)}] asks {most:.4g} cm/s of"
                f" '{name}', which goes {fastest:.3g} cm/s at most; valid: up to that"
            )
        if aim := find_aim(species):
            yield (
                f"creatures[{index}] has commands, which lead '{name}', so its steering ({aim})"
                " does nothing; valid: one of them"
            )


def name_some(names: list[str]) -> str:
    """Some names, and how many there are besides."""
    more = len(names) - NAMES_TOLD
    some = ", ".join(f"'{name}'" for name in names[:NAMES_TOLD])
    return f"{some} and {more} more" if more > 0 else some
