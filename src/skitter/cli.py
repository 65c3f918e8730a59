"""The command `skitter`: its options. Everything heavy is imported by the command that needs it."""

import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

import skitter
from skitter.commands.study import plot, studies, sweep, tune
from skitter.console import (
    WARNINGS,
    complain,
    complain_of,
    describe_interrupt,
    describe_usage_error,
    make_streams_lenient,
    print_titles,
    say,
)
from skitter.endings import ending_at_once, find_exit_code
from skitter.errors import SkitterError
from skitter.export.formats import list_endings
from skitter.options import (
    AsJson,
    Changes,
    Folder,
    Ids,
    Jobs,
    Mapping,
    Seed,
    Threads,
    a_file,
    a_name,
    a_source,
    flag,
    in_seconds,
    output_file,
    output_folder,
    per_second,
    plots_in,
    whole,
)
from skitter.warn import telling_warnings

app = typer.Typer(
    help="Simulate and animate invertebrates that move by themselves.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line. Exit code 0; 2 for a user's mistake; 1 for a failure of ours; 128 and
    the number of the signal that ended it."""
    make_streams_lenient()
    WARNINGS.clear()
    with ending_at_once(), telling_warnings(complain_of):
        return run_command(arguments)


def run_command(arguments: list[str] | None) -> int:
    """Run one command; whatever happens becomes one line and an exit code."""
    try:
        with ending_at_once():
            return execute(sys.argv[1:] if arguments is None else list(arguments))
    except SkitterError as error:
        complain(str(error))
        return error.exit_code
    except typer.TyperException as error:
        complain(describe_usage_error(error))
        return 2
    except KeyboardInterrupt as error:
        with suppress(OSError):  # the terminal may be gone
            complain(describe_interrupt(error))
        return find_exit_code(error)
    except BrokenPipeError:  # the reader of our output has left, as `head` does
        return 141
    except Exception as error:
        traceback.print_exc()
        complain(f"this is a fault in Skitter, please report it: {error!r}")
        return 1


def execute(arguments: list[str]) -> int:
    """Run one command; Typer's own `main` would hide an interrupt from us."""
    command = typer.main.get_group(app)
    # Typer checks the value of an option that was left out with pydantic unless it is a flag that
    # is off, which its own `--help` is not: so it would be loaded even by `skitter scenes`.
    unset: dict[str, Any] = {"help": False}
    unset |= {name: {"help": False} for name in command.commands}
    try:
        with command.make_context("skitter", arguments, default_map=unset) as context:
            return int(command.invoke(context) or 0)
    except typer.Exit as ending:
        return ending.exit_code


def print_version(wanted: bool) -> None:
    if wanted:
        say(f"skitter {skitter.__version__}")
        raise typer.Exit


Version = Annotated[
    bool,
    typer.Option("--version", callback=print_version, is_eager=True, help="Print the version."),
]


@app.callback(invoke_without_command=True)
def begin(context: typer.Context, version: Version = False) -> None:
    if context.invoked_subcommand is None:
        say(context.get_help())


@app.command()
def scenes(as_json: AsJson = False) -> None:
    """List the built-in scenes."""
    from skitter.scene.catalogue import list_scenes

    print_titles("scenes", list_scenes(), as_json)


@app.command()
def species(as_json: AsJson = False) -> None:
    """List the built-in species."""
    from skitter.scene.catalogue import list_species

    print_titles("species", list_species(), as_json)


@app.command()
def run(
    scene: Annotated[str, typer.Argument(metavar="SCENE", help="A built-in name or a YAML file.")],
    output: Annotated[Path, output_folder("Record there.")],
    seconds: Annotated[str | None, in_seconds("Simulated time.")] = None,
    seed: Seed = "0",
    changes: Changes = None,
    resume: Annotated[bool, flag("--resume", "Continue a recording.")] = False,
    overwrite: Annotated[bool, flag("--overwrite", "Replace a recording.")] = False,
    video: Annotated[Path | None, a_file("Film it: .mp4.")] = None,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Simulate a scene and record it."""
    from skitter.commands.run import run_scene

    run_scene(
        scene,
        output,
        seconds=seconds,
        changes=changes or [],
        video=video,
        as_json=as_json,
        seed=read_number(seed),
        threads=read_number(threads),
        resume=resume,
        overwrite=overwrite,
    )


def read_number(given: str | None) -> Any:
    """The number of an option, left to be checked by what takes it; none where none was given."""
    from skitter.scene.read_yaml import read_scalar

    return None if given is None else read_scalar(given)


@app.command()
def view(
    source: Annotated[str, a_source("A scene to run, or a recording to play.")],
    seed: Seed = "0",
    changes: Changes = None,
    folder: Annotated[Path, output_folder("Keep recordings there.")] = Path("out/studio"),
    host: Annotated[
        str, typer.Option(help="Where to serve; 0.0.0.0 lets the whole network in.")
    ] = "127.0.0.1",
    port: Annotated[int, whole("0: any free one.", min=0, max=65535)] = 8080,
    token: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="Of the address; SKITTER_TOKEN sets it too. Random if left out."
        ),
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
    seconds: Annotated[float | None, in_seconds("End after so long, by the clock.", min=0)] = None,
    html: Annotated[
        Path | None, a_file("Write a recording as one page that plays it, and end.")
    ] = None,
    threads: Threads = None,
) -> None:
    """Watch a scene live in the browser and play with it, or replay a recording."""
    from skitter.commands.view import view as show

    show(
        source,
        seed=read_number(seed),
        changes=changes or [],
        folder=folder,
        host=host,
        port=port,
        token=token,
        browser=browser,
        seconds=seconds,
        html=html,
        threads=read_number(threads),
    )


@app.command()
def render(
    folder: Folder,
    output: Annotated[Path, output_file(".png or .mp4.")],
    size: Annotated[
        str | None, typer.Option(metavar="WxH", help="Pixels; 1280x720 if left out.")
    ] = None,
    time: Annotated[float | None, in_seconds("Moment of a picture.")] = None,
    supersample: Annotated[int | None, whole("Smoother edges.", min=1, max=8)] = None,
    fps: Annotated[float | None, per_second("Frames per second of a film.")] = None,
    start: Annotated[float | None, in_seconds("Time at which a film begins.")] = None,
    end: Annotated[float | None, in_seconds("Time at which a film ends.")] = None,
    camera: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE", help="side, top, front, behind, turntable or a camera file."
        ),
    ] = None,
    povray: Annotated[
        bool, flag("--povray", "Trace rays with POV-Ray, which must be installed.")
    ] = False,
    gait: Annotated[
        bool, flag("--gait", "Draw the state of every leg over the last second.")
    ] = False,
    panel: Annotated[
        bool, flag("--panel", "Show the state of every leg beside the picture or film.")
    ] = False,
    seconds: Annotated[float | None, in_seconds("Time that --gait or --panel shows.")] = None,
    creature: Annotated[str | None, a_name("Whose legs; all, if left out.")] = None,
) -> None:
    """Make a picture, a film or a gait panel of a recording."""
    from skitter.commands.render import render_file

    moments = {"time": time, "fps": fps, "start": start, "end": end, "supersample": supersample}
    legs = {"panel": panel or None, "seconds": seconds, "creature": creature}
    given = moments | legs | {"camera": camera}
    render_file(folder, output, size=size, gait=gait, povray=povray, **given)


@app.command()
def export(
    folder: Folder,
    output: Annotated[Path, output_file(f"{list_endings()}.")],
    fps: Annotated[float | None, per_second("Keys per second; 30 if left out.")] = None,
    start: Annotated[float | None, in_seconds("Time at which it begins.")] = None,
    end: Annotated[float | None, in_seconds("Time at which it ends.")] = None,
    scale: Annotated[
        float | None, typer.Option(metavar="X", help="Times as large as it is.")
    ] = None,
    lod: Annotated[
        int | None, whole("0: all joints; 1: fewer; 2: one for each part, leg and antenna.")
    ] = None,
    in_place: Annotated[
        bool, flag("--in-place", "On the spot: the root stays where it is.")
    ] = False,
    loop: Annotated[bool, flag("--loop", "One cycle of the gait, without a seam.")] = False,
    creature: Annotated[str | None, a_name("Only that one.")] = None,
    scenery: Annotated[
        bool, typer.Option("--scenery/--no-scenery", help="Ground, obstacles, food, water too.")
    ] = True,
    soft: Annotated[
        str | None,
        typer.Option(metavar="HOW", help="Soft surfaces of a USD: cache (exact) or skinned."),
    ] = None,
    rig: Annotated[Path | None, a_file("Move your own rig instead: .glb or USD.")] = None,
    mapping: Mapping = None,
    replace: Annotated[bool, flag("--replace", "Drop the animations that your rig has.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write a recording for Blender, Maya, Unreal, Unity or POV-Ray: rigged, skinned, animated."""
    from skitter.commands.export import export_file

    moments = {"fps": fps, "start": start, "end": end, "loop": loop or None}
    what = {"creature": creature, "scenery": None if scenery else False, "soft": soft}
    how = {"scale": scale, "lod": lod, "in_place": in_place or None}
    own = {"mapping": mapping, "replace": replace or None}
    export_file(folder, output, rig=rig, as_json=as_json, **moments, **what, **how, **own)


@app.command()
def rig(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A skinned .glb, .gltf or USD.")],
    output: Annotated[Path, output_file("A species: .yaml.")],
    mapping: Mapping = None,
    like: Annotated[str, a_name("The species that it walks like.")] = "giant_centipede",
    length: Annotated[
        float | None,
        typer.Option(metavar="CM", min=0.01, help="Length of its body; as modelled if left out."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure a rig of your own and write a species of its sizes."""
    from skitter.commands.export import measure_own_rig

    measure_own_rig(file, output, mapping=mapping, like=like, length=length, as_json=as_json)


@app.command()
def measure(
    source: Annotated[Path, typer.Argument(metavar="DIR|FILE", help="A recording, or a .wcon.")],
    eigenworms: Annotated[
        Path | None, a_file("Of worms: how much of their shapes these hold; rows of 48 angles.")
    ] = None,
    plots: Annotated[Path | None, plots_in("Write a kymograph of each worm there.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure a recording: energies, momenta, speeds and more; or worms of a WCON file."""
    from skitter.commands.report import show_measures

    show_measures(source, eigenworms=eigenworms, plots=plots, as_json=as_json)


@app.command()
def modes(
    species: Annotated[
        str, typer.Argument(metavar="SPECIES|FILE", help="A worm, its file, a .mesh or a .msh.")
    ],
    output: Annotated[Path | None, output_file("Draw the lowest ones: .png.")] = None,
    count: Annotated[int, whole("Elastic modes.", min=1, max=200)] = 16,
    as_json: AsJson = False,
) -> None:
    """Compute the vibration modes of a worm's body."""
    from skitter.commands.modes import show_modes

    show_modes(species, output, count=count, as_json=as_json)


@app.command("compile")
def compile_ahead(jobs: Jobs = None, as_json: AsJson = False) -> None:
    """Compile all kernels ahead, so that no scene waits for the compiler."""
    from skitter.commands.compile import compile_kernels

    compile_kernels(jobs=jobs, as_json=as_json)


@app.command()
def cite(
    source: Annotated[str, a_source("A scene, or a recording of one.")],
    bibtex: Annotated[bool, flag("--bibtex", "Print BibTeX entries.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print the papers behind a scene, and how to cite Skitter."""
    from skitter.commands.cite import cite as show

    show(source, bibtex=bibtex, as_json=as_json)


@app.command()
def claims(
    ids: Ids = None,
    only_list: Annotated[bool, flag("--list", "List them, without a run.")] = False,
    output: Annotated[Path | None, output_file("Keep them there; go on with those there.")] = None,
    plots: Annotated[Path | None, plots_in("Write a plot of each there.")] = None,
    jobs: Jobs = None,
    as_json: AsJson = False,
) -> int:
    """Reproduce and measure what the papers report.

    Exit code 1 if one does not hold; --list names them."""
    from skitter.commands.claims import show_claim_list, show_claims

    if only_list:
        show_claim_list(as_json=as_json)
        return 0
    return show_claims(ids or [], jobs=jobs, output=output, plots=plots, as_json=as_json)


for command in (studies, sweep, plot, tune):
    app.command()(command)


@app.command()
def bench(ids: Ids = None, as_json: AsJson = False) -> None:
    """Measure speed, as ratios to a baseline timed side by side.

    IDs: elastic, chain, water, myriapod, rooms, worm, hexapod, sweep."""
    from skitter.commands.report import show_benchmarks

    show_benchmarks(ids or [], as_json=as_json)
