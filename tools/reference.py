"""Writes docs/reference/: commands, keys, measures, scenes, species, papers and the Python API.

    python tools/reference.py

Each page comes from what the program itself goes by, so that none can be stale; a test compares
them with the sources.
"""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
import yaml

import skitter
import skitter.events
import skitter.measure
import skitter.render
from reference_specs import list_models, write_table
from skitter.cite.bibliography import read_references
from skitter.cite.models import read_models
from skitter.cli import app
from skitter.measure import table
from skitter.scene.catalogue import (
    SCENE_LIBRARY,
    SPECIES_LIBRARY,
    list_scenes,
    list_species,
)
from skitter.scene.spec import SceneSpec
from skitter.species.kinds import KINDS

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "reference"
WRITTEN = "\n<!-- Written by tools/reference.py; not edited by hand. -->\n"


def write_commands() -> str:
    """Every command with its arguments and options."""
    group = typer.main.get_group(app)
    lines = [
        "# Command line\n",
        "In a checkout the command is `.venv/bin/skitter`. Exit code 0; 2 for a user's"
        " mistake, with",
        "one line that says what, where and what would be valid; 1 for a failure of ours;",
        "128 and the number of the signal that ended it: 130 after Ctrl-C, 143 after SIGTERM, 129",
        "after SIGHUP, all of which let a run finish its frame and keep what it has. With",
        "`--json` one JSON document goes to standard output, and nothing else.\n",
        "| command | what it does |",
        "|---|---|",
    ]
    commands = {name: group.commands[name] for name in group.commands}
    for name, command in commands.items():
        lines.append(f"| [`skitter {name}`](#skitter-{name}) | {first_line(command.help)} |")
    for name, command in commands.items():
        lines += ["", f"## skitter {name}", "", *describe_command(name, command)]
    return "\n".join(lines) + "\n"


def first_line(text: str | None) -> str:
    return inspect.cleandoc(text or "").partition("\n")[0]


def describe_command(name: str, command: Any) -> list[str]:
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option"]
    usage = [one.metavar if one.required else f"[{one.metavar}…]" for one in arguments]
    needed = [f"{min(one.opts, key=len)} {one.metavar}" for one in options if one.required]
    words = ["skitter", name, *usage, *needed, "[OPTIONS]"]
    lines = [f"`{' '.join(words)}`", "", inspect.cleandoc(command.help or "").replace("\n", " ")]
    lines += ["", "| | meaning | if left out |", "|---|---|---|"]
    for one in [*arguments, *options]:
        lines.append(f"| {name_option(one)} | {describe_option(one)} | {describe_unset(one)} |")
    return lines


def name_option(one: Any) -> str:
    if one.param_type_name == "argument":
        return f"`{one.metavar}`".replace("|", "\\|")
    names = ", ".join(f"`{name}`" for name in (*one.opts, *one.secondary_opts))
    metavar = "" if one.is_flag else f" {one.metavar or 'TEXT'}"
    return (names + metavar).replace("|", "\\|")


def describe_option(one: Any) -> str:
    low, high = one.min, one.max
    limits = "" if low is None and high is None else f" {describe_limits(low, high)}."
    return f"{one.help or ''}{limits}".replace("|", "\\|")


def describe_limits(low: float | None, high: float | None) -> str:
    if high is None:
        return f"At least {low:g}"
    return f"{low:g} to {high:g}" if low is not None else f"At most {high:g}"


def describe_unset(one: Any) -> str:
    if one.required:
        return "needed"
    if getattr(one, "is_flag", False):
        return "on" if one.default is True else "off"
    return f"`{one.default}`" if isinstance(one.default, str | int | float | Path) else ""


def write_scene_keys() -> str:
    head = (
        "# Keys of a scene\n\nAll that a scene file may say, as it is checked."
        " [Scenes](../scenes.md)"
        " explains what it means. Lengths are cm, masses g, times s, angles degrees; a"
        " number may be a"
        " fraction: `1/3000`.\n"
    )
    return head + "".join(
        f"\n## {one.__name__}\n\n{write_table(one)}" for one in list_models(SceneSpec)
    )


def write_species_keys() -> str:
    lines = [
        "# Keys of a species\n",
        "All that a species file may say, by its `kind`, as it is checked; what several"
        " kinds have in"
        " common stands with the first. Lengths are cm, masses g, times s, angles"
        " degrees. What is left"
        " out of a climber follows from its sizes and legs ([how](../climbers.md)).\n",
    ]
    seen: list[Any] = []
    for kind, spec in KINDS.items():
        lines.append(f"\n## kind: {kind}\n")
        for model in list_models(spec):
            if model not in seen:
                seen.append(model)
                lines.append(f"\n### {model.__name__}\n\n{write_table(model)}")
    return "".join(f"{line}\n" for line in lines).replace("\n\n\n", "\n\n")


def write_measures() -> str:
    """Every measure with its unit, by whom it is told of."""
    lines = [
        "# Measures\n",
        "What `skitter measure` and `recording.measure()` tell, by id. Of a creature it is called"
        " `<creature>.<id>`, of each of its parts `<creature>.<id>_<part>`; the unit `1` is a pure"
        " number. What a recording does not tell is left out."
        " [Recordings](../recordings.md) says more"
        " of how they are taken, [scenes](../scenes.md#lost-fallen-stuck) when a creature is lost,"
        " fallen or stuck.",
    ]
    groups: dict[tuple[str, ...], list[tuple[str, str, str]]] = {("scene",): []}
    groups[("scene",)] = [(one.id, one.unit, one.about) for one in table.SCENE_MEASURES]
    for one in table.CREATURE_MEASURES:
        groups.setdefault(one.kinds, []).append((one.id, one.unit, one.about))
    for part in table.PARTS_MEASURES:
        groups.setdefault(part.kinds, []).append((f"{part.id}_…", part.unit, part.about))
    for kinds, rows in groups.items():
        lines += ["", f"## {name_group(kinds)}", "", "| id | unit | what |", "|---|---|---|"]
        lines += [f"| `{id}` | {unit} | {about} |" for id, unit, about in rows]
    return "\n".join(lines) + "\n"


def name_group(kinds: tuple[str, ...]) -> str:
    if kinds == ("scene",):
        return "Of the recording as a whole"
    return f"Of the kinds {' and '.join(kinds)}" if kinds else "Of any creature"


def write_library() -> str:
    lines = ["# Built-in scenes and species\n", "## Scenes\n"]
    lines += [
        "`skitter scenes` lists them. Names lead to their pictures.\n",
        "| scene | what |",
        "|---|---|",
    ]
    for name, title in list_scenes():
        lines.append(f"| [`{name}`](../gallery.md#{name}) | {title} |")
    lines += [
        "\n## Species\n",
        "`skitter species` lists them.\n",
        "| species | kind | what |",
        "|---|---|---|",
    ]
    for name, title in list_species():
        kind = yaml.safe_load((SPECIES_LIBRARY / f"{name}.yaml").read_text())["kind"]
        lines.append(f"| [`{name}`](../gallery.md#{name}) | {kind} | {title} |")
    assert SCENE_LIBRARY.is_dir()
    return "\n".join(lines) + "\n"


def write_papers() -> str:
    """Every paper, and what it is cited for."""
    lines = [
        "# Papers\n",
        "What the code cites, from `docs/references.bib`. `skitter cite SCENE` prints"
        " those behind a"
        " scene. Where a model of the simulation goes back to a paper, it is named.\n",
    ]
    reasons: dict[str, list[str]] = {}
    for papers in read_models().values():
        for key, why in papers.items():
            if why not in reasons.setdefault(key, []):
                reasons[key].append(why)
    for key, paper in sorted(read_references().items()):
        lines.append(f"- **{key}**: {paper.text}{describe_reasons(reasons.get(key, []))}")
    return "\n".join(lines) + "\n"


def describe_reasons(reasons: list[str]) -> str:
    return f" *{'; '.join(reasons)}.*" if reasons else ""


def list_api() -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """What people may rely on from Python, by part."""
    yield "skitter", [("skitter.run", skitter.run)]
    for kind in (skitter.World, skitter.Recording):
        members = [
            (name, one) for name, one in inspect.getmembers(kind) if not name.startswith("_")
        ]
        owned = [(f"{kind.__name__}.{name}", one) for name, one in members if inspect.getdoc(one)]
        yield f"skitter.{kind.__name__}", [(f"skitter.{kind.__name__}", kind), *owned]
    events = [one for one in vars(skitter.events).values() if is_event(one)]
    yield "skitter.events", [(f"skitter.events.{one.__name__}", one) for one in events]
    names = skitter.render.__all__
    yield (
        "skitter.render",
        [(f"skitter.render.{name}", getattr(skitter.render, name)) for name in names],
    )


def is_event(one: Any) -> bool:
    return inspect.isclass(one) and one.__module__ == "skitter.events"


def write_api() -> str:
    lines = [
        "# Python\n",
        "What scripts may rely on. `import skitter` costs nothing: names are loaded at"
        " first use. Lengths"
        " are cm, masses g, times s, angles rad.\n",
    ]
    for part, members in list_api():
        lines.append(f"## {part}\n")
        for name, one in members:
            lines += [f"**`{name}{describe_signature(one)}`**\n", f"{describe_doc(one)}\n"]
    return "\n".join(lines).rstrip("\n") + "\n"


def describe_signature(one: Any) -> str:
    """Names and defaults; types are in the sources."""
    if not callable(one):
        return ""
    found = [str(p.replace(annotation=p.empty)) for p in inspect.signature(one).parameters.values()]
    stars = [p.kind is p.KEYWORD_ONLY for p in inspect.signature(one).parameters.values()]
    if True in stars:
        found.insert(stars.index(True), "*")
    shown = [word for word in found if word not in ("self", "cls")]
    return re.sub(r"<[^>]*>", "…", f"({', '.join(shown)})")


def describe_doc(one: Any) -> str:
    """The docstring; that of a dataclass that has none is its signature, which is told already."""
    return inspect.getdoc(one) or ""


PAGES = {
    "command-line.md": write_commands,
    "scene-keys.md": write_scene_keys,
    "species-keys.md": write_species_keys,
    "measures.md": write_measures,
    "library.md": write_library,
    "python.md": write_api,
    "papers.md": write_papers,
}


def build_pages() -> dict[str, str]:
    """The text of every page by its name."""
    pages = {name: write() for name, write in PAGES.items()}
    return {name: text.replace("\n", f"\n{WRITTEN}", 1) for name, text in pages.items()}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in build_pages().items():
        (FOLDER / name).write_text(text)
        print(FOLDER / name)
