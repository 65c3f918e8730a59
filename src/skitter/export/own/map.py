"""Whose joint is whose: a file that says which joints of a user's rig stand for ours.

    joints:                             # ours: theirs
      seg_00: Head
      seg_{n:02}: Spine_{n}             # seg_01 is Spine_1, seg_02 is Spine_2, ...
      seg_{n:02}_leg_{side}_femur: Leg_{n-1:03}_{side}_a
      seg_{n:02}_leg_{side}_tibia: Leg_{n-1:03}_{side}_b
    sides: {L: Left, R: Right}          # what {side} is called in the rig; else L and R
    unit: 0.01                          # metres in one unit of the rig; else as its file says
    forward: "-z"                       # where the rig looks; else found from its joints
    up: "+y"                            # else as its file says

`{n}` and `{m}` stand for numbers. On our side they match any number; on theirs they are written
out, after `+` or `-` a whole number, and after `:` with as many digits as it says, `:03` for 007.
`{side}` stands for L and R. A line without braces comes before one with them, and an earlier line
before a later one. Lines with braces may name more joints than the rig has.

Besides our joints, `seg_01_leg_L_tip` may be named: the end of a leg, by which its last link is
aimed. Names are compared as they are, and else without regard to case, to signs between words, and
to what stands before a `|`, `:` or `/`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from skitter.errors import UserError
from skitter.look.rig import LINKS, name_body
from skitter.scene.check import check, fail
from skitter.scene.describe import describe, quote
from skitter.scene.read_yaml import read_bytes, read_yaml
from skitter.spec import Number, Spec

Axis = Literal["+x", "-x", "+y", "-y", "+z", "-z"]
TIP = "tip"
MOST_BODIES, MOST_LINKS, MOST_SOFT = 202, 64, 4  # as many as a creature can have
BRACES = re.compile(r"\{([^{}]*)\}")
UNQUOTED = re.compile(r":[ \t]+\{[^{}\n]*\}[^\s,}#]")  # as in `a: {side}Leg`
FIELD = re.compile(r"(n|m)([+-]\d{1,4})?(?::(0\d))?|(side)")


class RigMap(Spec):
    """A mapping file."""

    joints: dict[str, str] = Field(default_factory=dict)  # ours: theirs
    sides: dict[str, str] = Field(default_factory=lambda: {"L": "L", "R": "R"})
    unit: Annotated[Number, Field(ge=1e-6, le=1e6)] | None = None  # metres
    forward: Axis | None = None
    up: Axis | None = None


@dataclass(frozen=True)
class Wanted:
    """One line of a mapping, for one of our joints."""

    ours: str
    theirs: str
    line: str  # our side, as it is in the file
    is_pattern: bool


def read_map(path: Path | None) -> RigMap | None:
    """The mapping in a file."""
    if path is None:
        return None
    tree, label = read_tree(path), str(path)
    if isinstance(tree, dict):
        check_names(tree, label)
    mapping = check(RigMap, tree, lambda _: label)
    if set(mapping.sides) != {"L", "R"}:
        raise fail(lambda _: label, ("sides",), "must have the keys L and R, and no others")
    if mapping.up and mapping.forward and mapping.up[1] == mapping.forward[1]:
        raise fail(lambda _: label, ("forward",), f"and up are both along {mapping.up[1]}")
    for line, name in mapping.joints.items():
        check_line(line, name, label)
    return mapping


def read_tree(path: Path) -> Any:
    """The plain tree of a file; a name that begins with a brace is the likeliest mistake."""
    try:
        return read_yaml(path)
    except UserError as error:
        if "is not valid YAML" not in str(error):
            raise
        if not UNQUOTED.search(read_bytes(path).decode("utf-8", "replace")):
            raise
        problem = "a name that begins with { needs quotes around it"
        raise UserError(f"{error}; valid: {problem}") from None


def check_names(tree: dict[str, Any], label: str) -> None:
    """Names that YAML takes for something else are the likeliest mistake."""
    for key in ("joints", "sides"):
        table = tree.get(key)
        for name, value in table.items() if isinstance(table, dict) else ():
            if not isinstance(value, str):
                problem = f"must be the name of a joint; found {describe(value)};"
                valid = "valid: text, in quotes if it is a number or begins with {"
                raise fail(lambda _: label, (key, str(name)), f"{problem} {valid}")


def check_line(line: str, name: str, label: str) -> None:
    """Braces hold what is known, and theirs nothing that ours has not."""
    known = {read_field(part, label, line)[0] for part in BRACES.findall(line)}
    for part in BRACES.findall(name):
        if (variable := read_field(part, label, line)[0]) not in known:
            problem = f"has {{{variable}}} on its right side only; valid: on both sides, or none"
            raise fail(lambda _: label, ("joints", line), problem)


def read_field(text: str, label: str, line: str) -> tuple[str, int, int]:
    """A variable, what is added to it, and the digits it is written with."""
    match = FIELD.fullmatch(text.replace(" ", ""))
    if match is None:
        problem = f"has {{{text}}}; valid: {{n}}, {{n+1}}, {{n:02}}, {{m}}, {{side}}"
        raise fail(lambda _: label, ("joints", line), problem)
    if match[4]:
        return "side", 0, 0
    return match[1], int(match[2] or 0), int(match[3] or 0)


def expand(mapping: RigMap, ours: Iterable[str], label: str) -> Iterator[Wanted]:
    """What the file says about each of our joints; single names come before patterns."""
    lines = [(line, BRACES.search(line) is not None) for line in mapping.joints]
    names = list(ours)
    for line, is_pattern in sorted(lines, key=lambda one: one[1]):
        pattern = compile_line(line, label)
        for name in names:
            if found := pattern.fullmatch(name):
                theirs = fill(mapping.joints[line], found.groupdict(), mapping.sides, label)
                if theirs is not None:
                    yield Wanted(name, theirs, line, is_pattern)


def compile_line(line: str, label: str) -> re.Pattern[str]:
    """Our side of a line, as what it matches."""
    parts, seen = [], set[str]()
    for k, part in enumerate(BRACES.split(line)):
        if k % 2 == 0:
            parts.append(re.escape(part))
            continue
        variable, shift, _ = read_field(part, label, line)
        if shift:
            problem = f"adds to {{{variable}}} on its left side; valid: on the right side"
            raise fail(lambda _: label, ("joints", line), problem)
        what = "[LR]" if variable == "side" else r"\d+"
        parts.append(f"(?P={variable})" if variable in seen else f"(?P<{variable}>{what})")
        seen.add(variable)
    return re.compile("".join(parts))


def fill(name: str, values: dict[str, str], sides: dict[str, str], label: str) -> str | None:
    """Their side of a line, written out; numbers below 0 there are none."""
    parts = BRACES.split(name)
    for k in range(1, len(parts), 2):
        variable, shift, digits = read_field(parts[k], label, name)
        if variable == "side":
            parts[k] = sides[values["side"]]
        elif (number := int(values[variable]) + shift) < 0:
            return None
        else:
            parts[k] = f"{number:0{digits}d}"
    return "".join(parts)


def list_all_names() -> list[str]:
    """Every name that a joint of ours can have, and the tips of legs."""
    bodies = [name_body(k) for k in range(MOST_BODIES)]
    legs = [f"{body}_leg_{side}" for body in bodies[1:] for side in "LR"]
    antennae = [f"{name_body(0)}_antenna_{side}" for side in "LR"]
    names = ["root", *bodies, *legs, *antennae]
    names += [f"{leg}_{link}" for leg in legs for link in (*LINKS, TIP)]
    names += [f"{antenna}_{k}" for antenna in antennae for k in range(1, MOST_LINKS + 1)]
    softs = [f"{body}_soft{letter}" for body in bodies for letter in ("", *"bcde")]
    softs += [f"soft_{k:02d}" for k in range(MOST_BODIES)]
    return names + [f"{soft}_{k}" for soft in softs for k in range(1, MOST_SOFT + 1)]


def list_patterns() -> list[str]:
    """Lines with braces that are about all joints of a kind."""
    leg, feeler = "seg_{n:02}_leg_{side}", "seg_00_antenna_{side}"
    links = [f"{leg}_{link}" for link in (*LINKS, TIP)]
    softs = ["seg_{n:02}_soft_{m}", "soft_{n:02}_{m}"]
    return ["seg_{n:02}", leg, *links, feeler, f"{feeler}_{{n}}", *softs]


def simplify(name: str) -> str:
    """A name without what programs put before it, in small letters, words joined by _."""
    last = re.split(r"[|:/]", name)[-1]
    return re.sub(r"[^a-z0-9]+", "_", last.lower()).strip("_")


def describe_missing(names: list[str], many: int = 3) -> str:
    """The first few of some names, and how many more there are."""
    few = ", ".join(names[:many])
    return few + (f" and {len(names) - many} more" if len(names) > many else "")


def refuse_name(label: str, line: str, problem: str) -> UserError:
    return fail(lambda _: label, ("joints",), f"has {quote(line)}, {problem}")
