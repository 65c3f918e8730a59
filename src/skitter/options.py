"""Options of the command line that several commands share, and short ways to write the others."""

from pathlib import Path
from typing import Annotated, Any

import typer


def flag(name: str, help: str) -> Any:
    """A switch that is off unless given."""
    return typer.Option(name, help=help)


def in_seconds(help: str, **limits: Any) -> Any:
    """A time, s."""
    return typer.Option(metavar="S", help=help, **limits)


def per_second(help: str) -> Any:
    """A rate of frames, 1/s."""
    return typer.Option(metavar="N", min=1, max=240, help=help)


def whole(help: str, **limits: Any) -> Any:
    """A whole number."""
    return typer.Option(metavar="N", help=help, **limits)


def a_name(help: str) -> Any:
    """What a creature or a species is called."""
    return typer.Option(metavar="NAME", help=help)


def a_range(help: str, *names: str) -> Any:
    """Two numbers."""
    return typer.Option(*names, metavar="LOW,HIGH", help=help)


def a_source(help: str) -> Any:
    """A scene or a recording."""
    return typer.Argument(metavar="SCENE|DIR", help=help)


def a_file(help: str) -> Any:
    return typer.Option(metavar="FILE", help=help)


def output_file(help: str) -> Any:
    return typer.Option("-o", "--output", metavar="FILE", help=help)


def output_folder(help: str) -> Any:
    return typer.Option("-o", "--output", metavar="DIR", help=help)


def plots_in(help: str) -> Any:
    return typer.Option("--plots", metavar="DIR", help=help)


AsJson = Annotated[bool, flag("--json", "Print one JSON document and nothing else.")]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A recording.")]
Ids = Annotated[list[str] | None, typer.Argument(metavar="ID", help="All, if left out.")]
Seed = Annotated[str, whole("Seed of all that is random.")]
Threads = Annotated[str | None, whole("Use at most so many threads.")]
Mapping = Annotated[
    Path | None, typer.Option("--map", metavar="FILE", help="Which of its joints is which.")
]
Jobs = Annotated[int | None, whole("How many at once; one a core if left out.", min=1)]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PATH=VALUE", help="Change a field, as terrain.0.friction=0.2."),
]
