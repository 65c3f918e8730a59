"""The results of a sweep as others read them: a table, a Zarr, an xarray Dataset.

All of it is made from the lines of the log, in the order of the plan: the same results give the
same bytes, whoever ran them and in whatever order.
"""

import csv
import io
import shutil
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from skitter.errors import UserError
from skitter.record.files import exchange_names
from skitter.study.files import read_json, write_whole
from skitter.study.folder import PLAN
from skitter.study.sweep.grid import Grid
from skitter.study.sweep.log import LOG, Row, read_rows
from skitter.study.sweep.spec import REASON, SAMPLE, SEED
from skitter.study.wanted import find_unit

if TYPE_CHECKING:
    import xarray

TABLE, ZARR = "points.csv", "results.zarr"
NOT_RUN = "not run yet"


@dataclass(frozen=True)
class Results:
    """Finished points, and where they stand."""

    grid: Grid
    rows: dict[str, Row]  # by key
    about: dict[str, Any]  # what the plan says of itself

    @property
    def measures(self) -> list[str]:
        """Full ids of all measures, those that were asked for first."""
        told = (id for row in self.rows.values() for id in row.outcome.measures)
        named: list[str] = self.about["measures"]
        return named or sorted(set(told))

    def shorten(self, id: str) -> str:
        """A measure of the creature by its own name."""
        return id.removeprefix(f"{self.about['creature']}.")

    def gather(self, id: str) -> np.ndarray:
        """A measure over the dimensions of the plan; nan where there is none."""
        rows = (self.rows.get(point.key) for point in self.grid.list_points())
        values = [np.nan if row is None else row.outcome.measures.get(id, np.nan) for row in rows]
        return np.array(values, float).reshape(self.grid.shape)

    def list_reasons(self) -> np.ndarray:
        """Why a point has no measures; empty where it came to a good end."""
        rows = (self.rows.get(point.key) for point in self.grid.list_points())
        reasons = [NOT_RUN if row is None else row.outcome.reason for row in rows]
        return np.array(reasons, dtype=str).reshape(self.grid.shape)

    def find_unit(self, id: str) -> str:
        return find_unit(self.about["units"], id) or "1"


def read_results(folder: Path) -> Results:
    """What a folder holds so far; somebody else may be writing it."""
    if not (folder / PLAN).is_file():
        raise UserError(f"{folder}: holds no sweep; valid: the directory of skitter sweep")
    about = read_json(folder / PLAN)
    if not isinstance(about, dict) or "grid" not in about:
        raise UserError(f"{folder}: holds no sweep; valid: the directory of skitter sweep")
    rows, _ = read_rows(folder / LOG, cut=False)
    try:
        results = Results(Grid.from_dict(about["grid"]), rows, about)
        for id in results.measures:
            results.gather(id)
            results.find_unit(results.shorten(id))
        return results
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise UserError(
            f"{folder / PLAN}: is damaged; valid: the file as skitter sweep wrote it"
        ) from error


def write_results(folder: Path) -> None:
    """The table, and the Zarr where there is what writes it."""
    results = read_results(folder)
    write_whole(folder / TABLE, make_table(results))
    try:
        write_zarr(build_dataset(results), folder / ZARR)
    except ImportError:  # of xarray or zarr
        return


def make_table(results: Results) -> str:
    """A row for each finished point: parameters, seed, measures, reason."""
    text, grid = io.StringIO(), results.grid
    lines = csv.writer(text, lineterminator="\n")
    names = [axis.name for axis in grid.axes]
    own = [results.shorten(id) for id in results.measures]
    lines.writerow([*names, SEED, *own, REASON])
    for point in grid.list_points():
        row = results.rows.get(point.key)
        if row is not None:
            told = [row.outcome.measures.get(id, "") for id in results.measures]
            lines.writerow([*point.values, point.seed, *told, row.outcome.reason])
    return text.getvalue()


def build_dataset(results: Results) -> "xarray.Dataset":
    """Measures over the dimensions of the plan, with their units; nan where there is none, and why
    in `reason`, which is empty for a point that came to a good end."""
    import xarray

    grid = results.grid
    variables: dict[str, Any] = {
        results.shorten(id): (grid.dims, results.gather(id), {"units": results.find_unit(id)})
        for id in results.measures
    }
    variables[REASON] = (grid.dims, results.list_reasons())
    attributes = {key: results.about[key] for key in ("title", "study", "source", "creature")}
    version = str(results.about["version"]["skitter"])
    return xarray.Dataset(variables, list_coordinates(grid), {**attributes, "skitter": version})


def list_coordinates(grid: Grid) -> dict[str, Any]:
    """The values of the parameters along their dimension, with the path that each one sets."""
    found: dict[str, Any] = {
        axis.name: (SAMPLE if axis.drawn else axis.name, list(axis.values), {"path": axis.path})
        for axis in grid.axes
    }
    if grid.samples:
        found[SAMPLE] = (SAMPLE, list(range(grid.samples)))
    found[SEED] = (SEED, grid.seeds)
    return found


def write_zarr(dataset: "xarray.Dataset", path: Path) -> None:
    """Whole or not at all: readers find the old store or the new one."""
    draft = path.with_name(f"{path.name}.part")
    shutil.rmtree(draft, ignore_errors=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of texts, which Zarr has no final word on
        dataset.to_zarr(draft, mode="w", consolidated=True)
    if path.exists():
        try:
            exchange_names(draft, path)
        except OSError:  # names cannot be exchanged here
            shutil.rmtree(path)
            draft.replace(path)
        shutil.rmtree(draft, ignore_errors=True)
    else:
        draft.replace(path)


def open_sweep(folder: str | Path) -> "xarray.Dataset":
    """The results of a sweep, finished or not, as an xarray Dataset."""
    try:
        return build_dataset(read_results(Path(folder)))
    except ImportError as error:
        raise UserError(
            f"open_sweep needs {error.name}, which is not installed: pip install 'skitter[study]'"
        ) from None
