"""`skitter measure` and `bench`: numbers, as a table or as JSON."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from skitter.console import complain, format_number, make_json, print_json, print_report, print_rows
from skitter.errors import UserError
from skitter.scene.describe import suggest
from skitter.warn import warn

Record = dict[str, Any]


def show_measures(
    source: Path, *, eigenworms: Path | None = None, plots: Path | None = None, as_json: bool
) -> None:
    """All measures of a recording, or of the worms in a WCON file."""
    from skitter.measure.files import measure_source

    if plots is not None:
        check_plots(plots)
    measures = measure_source(source, eigenworms=eigenworms, plots=plots)
    warn(list_fates(source))
    if as_json:
        print_report({"measures": measures})
    else:
        print_rows([(name, format_number(one.value), one.unit) for name, one in measures.items()])


def list_fates(source: Path) -> list[str]:
    """A line for each creature of a recording that is lost, fallen or stuck."""
    from skitter.measure.fate import describe_fates
    from skitter.record import Recording

    return describe_fates(Recording.open(source)) if source.is_dir() else []


def check_plots(folder: Path) -> None:
    """Refuse a folder for plots before any work is done."""
    check_pillow(folder)
    check_folder(folder)


def check_pillow(output: Path) -> None:
    """Refuse plots that nothing can draw."""
    from skitter.render.output import INSTALL

    if find_spec("PIL") is None:
        raise UserError(f"{output}: plots need pillow; valid: {INSTALL}")


def check_folder(folder: Path) -> None:
    """Refuse a file where plots shall be put."""
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder}: is a file; valid: a directory for the plots")


def show_benchmarks(ids: list[str], *, as_json: bool) -> None:
    """Time what is asked for, or all."""

    from skitter.bench import list_benchmarks, run_benchmarks

    known = [make_json(benchmark)["id"] for benchmark in list_benchmarks()]
    records = run_each(run_benchmarks, "benchmark", ids, known)
    if as_json:
        print_json({"bench": records})
    else:
        print_rows([describe_benchmark(record) for record in records])


def describe_benchmark(record: Record) -> tuple[str, ...]:
    """The row of a benchmark."""
    value = f"{format_number(record['value'])} {record['unit']}"
    baseline = f"baseline {format_number(record['baseline'])}"
    return (record["id"], value, baseline, f"ratio {format_number(record['ratio'])}")


def run_each(
    run: Callable[[list[str]], Any], noun: str, ids: list[str], known: list[str]
) -> list[Record]:
    """Run one after the other, saying which one on standard error."""
    wanted = choose(noun, ids, known)
    records: list[Record] = []
    for number, one in enumerate(wanted, start=1):
        complain(f"{noun} {number} of {len(wanted)}: {one}")
        records += make_json(run([one]))
    return records


def choose(noun: str, ids: list[str], known: list[str]) -> list[str]:
    """Those that are asked for, or all."""
    for given in ids:
        if given not in known:
            near = suggest(given, known)
            raise UserError(f"there is no {noun} '{given}'; {near}valid: {', '.join(known)}")
    return list(dict.fromkeys(ids)) or known
