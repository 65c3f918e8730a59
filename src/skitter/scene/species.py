"""The species of each creature of a scene: found, read once, and changed by its `with:`."""

from itertools import pairwise
from pathlib import Path
from typing import Any

from skitter.errors import UserError
from skitter.scene.catalogue import SPECIES_LIBRARY, find_file
from skitter.scene.check import Label, check, fail
from skitter.scene.describe import Location, describe, quote, suggest
from skitter.scene.overrides import Origin, merge
from skitter.scene.read_yaml import read_yaml
from skitter.scene.spec import CreaturePlacement, SceneSpec
from skitter.species.kinds import KINDS, SpeciesSpec


def load_species(spec: SceneSpec, origin: Origin) -> list[SpeciesSpec]:
    """One species per creature; each file is read once."""
    trees: dict[Path, dict[str, Any]] = {}
    species = []
    for index, placement in enumerate(spec.creatures):
        path = find_species(placement.species, index, origin)
        if path not in trees:
            trees[path] = read_species(path, index, origin)
        species.append(change_species(trees[path], placement, index, origin.label_of))
        check_commands(species[-1], placement, index, origin.label_of)
    return species


def check_commands(
    species: SpeciesSpec, placement: CreaturePlacement, index: int, label: Label
) -> None:
    """Who cannot go anywhere follows no command; to say nothing would hide the mistake."""
    led = [kind for kind, spec in KINDS.items() if spec.can_be_led]
    if placement.commands and not species.takes_commands:
        raise fail(
            label,
            ("creatures", index, "commands"),
            f"are for creatures that walk, swim or crawl, and {quote(placement.species)} does none"
            f" of it; valid: a species of kind {' or '.join(led)}, or no commands",
        )
    check_order(placement, index, label)
    for number, command in enumerate(placement.commands):
        if command.speed < 0 and not species.can_back:
            able = [kind for kind, spec in KINDS.items() if spec.can_back]
            raise fail(
                label,
                ("creatures", index, "commands", number, "speed"),
                f"must be a number from 0 to 10,000; found {describe(command.speed)}; those of"
                f" kind {' or '.join(able)} alone go backward",
            )
        if command.side and not species.can_sidle:
            raise fail(
                label,
                ("creatures", index, "commands", number, "side"),
                f"must be 0 for {quote(placement.species)}; found {describe(command.side)}; only"
                " climbers go sideways",
            )


def check_order(placement: CreaturePlacement, index: int, label: Label) -> None:
    """Each command is later than the one before it: two of one moment cannot both be meant."""
    for number, (earlier, later) in enumerate(pairwise(placement.commands), start=1):
        if later.time <= earlier.time:
            raise fail(
                label,
                ("creatures", index, "commands", number, "time"),
                f"must be later than that of the command before it, {describe(earlier.time)};"
                f" found {describe(later.time)}",
            )


def find_species(given: str, index: int, origin: Origin) -> Path:
    """The species file; a relative path starts at the scene file, or here when set from outside."""
    location = ("creatures", index, "species")
    try:
        return find_file(SPECIES_LIBRARY, given, origin.folder_of(location), "species")
    except UserError as error:
        raise blame_placement(error, index, origin) from None


def read_species(path: Path, index: int, origin: Origin) -> dict[str, Any]:
    """The checked, plain tree of a species file."""
    try:
        tree = read_yaml(path)
    except UserError as error:
        raise blame_placement(error, index, origin) from None
    check_species(tree, lambda _: str(path))
    return dict(tree)


def blame_placement(error: UserError, index: int, origin: Origin) -> UserError:
    """The error, led by the field of the scene that named the species."""
    label = origin.label_of(("creatures", index, "species"))
    return UserError(f"{label}: creatures[{index}].species: {error}")


def change_species(
    tree: dict[str, Any], placement: CreaturePlacement, index: int, label: Label
) -> SpeciesSpec:
    """The species with the changes of the placement, which alone can be wrong by now."""
    base = ("creatures", index, "with")
    try:
        changed = merge(tree, placement.with_)
    except KeyError as error:
        problem = f"names the list item {quote(error.args[0])}, which the species does not have"
        raise fail(label, base, f"{problem}; valid: an index from 0, or a part's name") from None
    return check_species(changed, label, base)


def check_species(tree: Any, label: Label, base: Location = ()) -> SpeciesSpec:
    """The tree as the kind of species that it says it is."""
    kind = tree.get("kind") if isinstance(tree, dict) else "figure"
    if not isinstance(kind, str) or kind not in KINDS:
        valid = f"one of {', '.join(KINDS)}"
        if kind is None:
            raise fail(label, (*base, "kind"), f"is missing; valid: {valid}")
        near = suggest(str(kind), list(KINDS))
        raise fail(label, (*base, "kind"), f"must be {valid}; {near}found {describe(kind)}")
    return check(KINDS[kind], tree, label, base)
