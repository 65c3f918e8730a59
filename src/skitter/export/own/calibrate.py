"""A species with the sizes of a user's rig; everything else is taken from a species like it."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml

from skitter.errors import UserError, make_one_line
from skitter.export.own.check import check_rig, tell_misplaced
from skitter.export.own.map import list_all_names, read_map
from skitter.export.own.match import check_needed, match_joints
from skitter.export.own.measure import (
    RigSizes,
    check_sizes,
    check_tail,
    list_rig_parts,
    measure_rig,
)
from skitter.export.own.source import read_rig
from skitter.export.own.species import SpeciesMaker, Tree
from skitter.render.output import check_output, replacing
from skitter.scene.catalogue import SPECIES_LIBRARY, find_file
from skitter.scene.read_yaml import read_yaml
from skitter.scene.species import check_species
from skitter.species.myriapod import MyriapodSpec

BODY_RANGE = (0.5, 300.0)  # cm, lengths that can be simulated well


@dataclass(frozen=True)
class Calibration:
    """What was made of a rig."""

    file: Path
    tree: Tree
    species: MyriapodSpec
    notes: list[str]

    @property
    def length(self) -> float:
        """Of the body, cm."""
        return measure_length(self.tree)

    def to_dict(self) -> Tree:
        """For `--json`."""
        return {
            "file": str(self.file),
            "segments": self.species.segments,
            "length": self.length,
            "leg": self.species.leg.length,
            "notes": self.notes,
        }


@np.errstate(all="ignore")  # what a strange rig comes to is checked
def calibrate_species(
    rig_file: Path,
    output: Path,
    *,
    mapping: Path | None = None,
    like: str = "giant_centipede",
    length: float | None = None,
) -> Calibration:
    """Write a species file with the sizes of a rig; `length` is that of the body, cm."""
    check_output(output, (".yaml", ".yml"))
    base, base_tree = read_like(like)
    source, table = read_rig(rig_file), read_map(mapping)
    match = match_joints(source, table, list_all_names(), mapping)
    check_needed(match, list_rig_parts(match), source, mapping, "a species")
    check_tail(match, source)
    check_rig(source, match)
    sizes = measure_rig(source, match, table)
    check_sizes(sizes, rig_file)
    unit = 100 * (source.unit if table is None or table.unit is None else table.unit)
    unit = choose_unit(sizes, base, unit, length, rig_file)
    maker = SpeciesMaker(rig_file, sizes.scaled(unit), base, base_tree)
    tree = maker.make(like)
    species = check_species(tree, lambda _: str(rig_file))
    assert isinstance(species, MyriapodSpec)
    notes = [*source.notes, *match.notes, *tell_misplaced(source, match), *maker.notes]
    notes = [make_one_line(note) for note in notes]
    with replacing(output) as draft:
        draft.write_text(write_yaml(tree, rig_file.name, like, notes), encoding="utf-8")
    return Calibration(output, tree, species, notes)


def read_like(like: str) -> tuple[MyriapodSpec, Tree]:
    """The species that lends its gait, and its file."""
    path = find_file(SPECIES_LIBRARY, like, Path(), "species")
    tree = read_yaml(path)
    species = check_species(tree, lambda _: str(path))
    if not isinstance(species, MyriapodSpec):
        raise UserError(f"--like {like}: is a {species.kind}; valid: a species of kind myriapod")
    return species, tree


def choose_unit(
    sizes: RigSizes, base: MyriapodSpec, unit: float, length: float | None, rig_file: Path
) -> float:
    """Centimetres in a unit of the rig."""
    if length is not None:
        if not BODY_RANGE[0] <= length <= BODY_RANGE[1]:
            valid = f"{BODY_RANGE[0]:g} to {BODY_RANGE[1]:g} cm"
            raise UserError(f"--length {length:g}: is no length of a body; valid: {valid}")
        return length / measure_length(SpeciesMaker(rig_file, sizes, base).build_body())
    found = measure_length(SpeciesMaker(rig_file, sizes.scaled(unit), base).build_body())
    if not BODY_RANGE[0] <= found <= BODY_RANGE[1]:
        raise UserError(
            f"{rig_file}: its body is {found:.4g} cm long, and {BODY_RANGE[0]:g} to"
            f" {BODY_RANGE[1]:g} cm can be simulated; valid: --length CM, or unit: in a mapping"
        )
    return unit


def measure_length(tree: Tree) -> float:
    """From the front of the head to the end of the tail, cm."""
    rigid = tree["head"]["size"][0] + tree["tail"]["size"][0]
    segment, joint = tree["segment"]["size"][0], tree["joint"]["length"]
    return float(rigid + tree["segments"] * segment + (tree["segments"] + 1) * joint)


def write_yaml(tree: Tree, file: str, like: str, notes: list[str]) -> str:
    """The text of a species file."""
    lines = [f"Sizes measured on {file} by `skitter rig`; all else as in {like}.", *notes]
    head = "".join(f"# {line}\n" for line in lines)
    return head + yaml.safe_dump(
        tree, sort_keys=False, default_flow_style=None, width=100, allow_unicode=True
    )
