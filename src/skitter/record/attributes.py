"""What a recording says about itself, checked before anyone believes it.

Whoever measures, draws or exports a recording takes these from its attributes as they are: the
frame rate, the seed, the creatures with their looks, the obstacles and the scene. A recording need
not have all of them, but those that it has must be what a run would write.
"""

from math import isfinite
from typing import Any

from skitter.channel import NAME_PATTERN
from skitter.errors import UserError
from skitter.scene.describe import describe, quote

Document = dict[str, Any]
RATES = (1e-6, 1e6)  # frames per second
NEEDED: Document = {"title": "a recorded scene", "creatures": [{"species": "any"}]}  # in a scene


def check_attributes(facts: Document) -> None:
    """Refuse, with ValueError, what no run would write."""
    rate: Any = facts.get("frame_rate")
    if not is_number(rate) or not RATES[0] <= rate <= RATES[1]:
        raise ValueError(f"frame_rate is {describe(rate)}; valid: frames per second, above 0")
    seed = facts.get("seed", 0)
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**63:
        raise ValueError(f"seed is {describe(seed)}; valid: a whole number from 0")
    check_creatures(facts.get("creatures", []))
    try:
        check_obstacles(facts.get("obstacles"))
        check_meshes(facts.get("obstacle_meshes"))
        check_scene(facts.get("scene", {}))
    except UserError as error:
        raise ValueError(str(error)) from error


def is_number(value: Any) -> bool:
    """Whether it is a finite number, and no truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def check_creatures(creatures: Any) -> None:
    """A list of mappings with a name, which is that of folders too, a kind and a look."""
    if not isinstance(creatures, list):
        raise ValueError(f"creatures is {describe(creatures)}; valid: a list")
    names = set()
    for index, one in enumerate(creatures):
        where = f"creatures[{index}]"
        if not isinstance(one, dict):
            raise ValueError(f"{where} is {describe(one)}; valid: a mapping")
        for key, usual in (("name", None), ("kind", None), ("species", "")):
            if not isinstance(one.get(key, usual), str):
                raise ValueError(f"{where}.{key} is {describe(one.get(key))}; valid: a text")
        if not NAME_PATTERN.fullmatch(one["name"]) or one["name"] in names:
            raise ValueError(f"{where}.name is {quote(one['name'])}; valid: a name of its own")
        names.add(one["name"])
        check_look(one["kind"], one.get("look", {}), where)


def check_look(kind: str, look: Any, where: str) -> None:
    """Colours and sizes as a species of that kind has them; a later version may know more."""
    from skitter.scene.check import check
    from skitter.scene.expect import list_keys
    from skitter.species.kinds import KINDS

    if not isinstance(look, dict):
        raise ValueError(f"{where}.look is {describe(look)}; valid: a mapping")
    if kind in KINDS:
        model: Any = KINDS[kind].model_fields["look"].annotation
        try:
            known = {key: look[key] for key in list_keys(model) if look.get(key) is not None}
            check(model, known, lambda _: where, ("look",))
        except UserError as error:
            raise ValueError(str(error)) from error


def check_obstacles(obstacles: Any) -> None:
    """Boxes, balls, posts and meshes as in a scene's file, each at its place."""
    from skitter.scene.check import check
    from skitter.scene.spec import BoxTerrain, CylinderTerrain, MeshTerrain, SphereTerrain

    if not isinstance(obstacles, list | None):
        raise ValueError(f"obstacles is {describe(obstacles)}; valid: a list")
    shapes: dict[Any, Any] = {
        "box": BoxTerrain,
        "sphere": SphereTerrain,
        "cylinder": CylinderTerrain,
        "mesh": MeshTerrain,
    }
    for index, piece in enumerate(obstacles or []):
        shape = piece.get("shape") if isinstance(piece, dict) else None
        if not isinstance(shape, str) or shape not in shapes:
            raise ValueError(f"obstacles[{index}].shape; valid: {', '.join(shapes)}")
        check(shapes[shape], piece, lambda _: "its attributes", ("obstacles", index))


def check_meshes(meshes: Any) -> None:
    """A mesh as in a scene's file for each slot of an obstacle that is one, and nothing else."""
    from skitter.scene.check import check
    from skitter.scene.spec import MeshTerrain

    if not isinstance(meshes, list | None):
        raise ValueError(f"obstacle_meshes is {describe(meshes)}; valid: a list")
    for index, piece in enumerate(meshes or []):
        if piece is not None:
            check(MeshTerrain, piece, lambda _: "its attributes", ("obstacle_meshes", index))


def check_scene(scene: Any) -> None:
    """What is known of scenes must be right; species are checked by those who need them."""
    from skitter.scene.check import check
    from skitter.scene.expect import list_keys
    from skitter.scene.spec import SceneSpec

    if not isinstance(scene, dict):
        raise ValueError(f"scene is {describe(scene)}; valid: a mapping")
    known = {key: scene[key] for key in list_keys(SceneSpec) if key in scene}
    check(SceneSpec, NEEDED | known, lambda _: "scene")
