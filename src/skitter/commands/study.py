"""`skitter studies`, `sweep`, `plot` and `tune`: their options."""

from pathlib import Path
from typing import Annotated

import typer

from skitter.console import print_json, print_rows
from skitter.options import AsJson, a_name, a_range, flag, output_file, output_folder, whole

Study = Annotated[str, typer.Argument(metavar="STUDY", help="A built-in name or a YAML file.")]
Output = Annotated[Path, output_folder("Write there; go on with what is there.")]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs", "--processes", metavar="N", min=1, help="Runs at once; one a core if left out."
    ),
]
Parameter = Annotated[str | None, typer.Option(metavar="PARAMETER", help="Its name or its path.")]


def studies(as_json: AsJson = False) -> None:
    """List the built-in studies, for sweep and for tune."""
    from skitter.study.catalogue import list_studies

    if as_json:
        keys = ("name", "command", "title")
        print_json({"studies": [dict(zip(keys, row, strict=True)) for row in list_studies()]})
    else:
        print_rows([*list_studies()])


def sweep(
    study: Study,
    output: Output,
    jobs: Jobs = None,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDR", help="Run on a Dask cluster, as tcp://127.0.0.1:8786."),
    ] = None,
    retry: Annotated[bool, flag("--retry", "Run points again that failed.")] = False,
    species: Annotated[str | None, a_name("swim: a swimmer or its file; eel.")] = None,
    grid: Annotated[
        str | None, typer.Option(metavar="NxM", help="swim: frequencies by phases; 24x24.")
    ] = None,
    frequency: Annotated[str | None, a_range("swim: Hz; 0.5,2.5.")] = None,
    phase_deg: Annotated[
        str | None, a_range("swim: degrees from muscle to muscle; 18,108.", "--phase_deg")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run a scene with many values and seeds, and measure it; `skitter studies` lists some.

    `sweep swim` tries all strokes of a swimmer and finds the least costly one for each speed."""
    from skitter.commands.sweep import sweep_study

    sweep_study(
        study,
        output,
        jobs=jobs,
        scheduler=scheduler,
        retry=retry,
        as_json=as_json,
        swim={"species": species, "grid": grid, "frequency": frequency, "phase_deg": phase_deg},
    )


def plot(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Of a sweep.")],
    output: Annotated[Path, output_file(".png.")],
    measure: Annotated[
        str | None, typer.Option(metavar="ID", help="The first, if left out.")
    ] = None,
    x: Parameter = None,
    y: Parameter = None,
    lines: Parameter = None,
) -> None:
    """Draw a measure of a sweep: a heat map over two parameters, or lines with their spread."""
    from skitter.commands.sweep import plot_sweep

    plot_sweep(folder, output, measure=measure, x=x, y=y, lines=lines)


def tune(
    study: Study,
    output: Output,
    generations: Annotated[int | None, whole("Instead of those of the study.", min=1)] = None,
    seed: Annotated[int | None, whole("Instead of that of the study.", min=0)] = None,
    jobs: Jobs = None,
    as_json: AsJson = False,
) -> None:
    """Search for the numbers of a scene with which its creature does best.

    `skitter studies` lists built-in ones."""
    from skitter.commands.tune import tune_study

    tune_study(study, output, jobs=jobs, as_json=as_json, generations=generations, seed=seed)
