"""Modes are kept between runs, in the user's cache beside the compiled kernels.

A file is named after a hash of all that its content follows from: mesh, materials, what was asked
for, and the versions and the processor that round it, because the same scene must give the same
bytes with and without a cache. A file that is broken, or of another shape, is built anew.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import scipy
from llvmlite.binding import get_host_cpu_name

from skitter.compiled import cache_folder
from skitter.elastic.modes import (
    RIGID,
    Material,
    Modes,
    build_stiffness,
    compute_derivative,
    compute_masses,
    compute_modes,
)
from skitter.elastic.tet_mesh import TetMesh

FORMAT = 1  # raise it when the same input would give other modes


def load_modes(mesh: TetMesh, material: Material, count: int, folder: Path | None = None) -> Modes:
    """The six rigid motions and the lowest `count` elastic modes, kept or computed."""

    def build() -> dict[str, np.ndarray]:
        masses = compute_masses(mesh, material)
        modes = compute_modes(mesh.nodes, build_stiffness(mesh, material), masses, count)
        return {"omega_squared": modes.omega_squared, "shapes": modes.shapes}

    key = hash_inputs(mesh, material, f"modes {count}")
    total = RIGID + count
    shapes = {"omega_squared": (total,), "shapes": (total, len(mesh.nodes), 3)}
    return Modes(**keep(folder or find_folder(), key, shapes, build))


def load_derivative(
    mesh: TetMesh, material: Material, shape: np.ndarray, folder: Path | None = None
) -> np.ndarray:
    """The modal derivative of a mode [node, 3], kept or computed."""

    def build() -> dict[str, np.ndarray]:
        stiffness = build_stiffness(mesh, material)
        return {"derivative": compute_derivative(mesh, material, stiffness, shape)}

    key = hash_inputs(mesh, material, "derivative", shape)
    return keep(folder or find_folder(), key, {"derivative": shape.shape}, build)["derivative"]


def find_folder() -> Path:
    return cache_folder().parent / "modes"


def hash_inputs(mesh: TetMesh, material: Material, wanted: str, *more: np.ndarray) -> str:
    """A name for what follows from all of these."""
    versions = f"{FORMAT} {np.__version__} {scipy.__version__} {get_host_cpu_name()}"
    digest = hashlib.sha256(f"{versions} {wanted}".encode())
    for values in (
        mesh.nodes, mesh.tets, material.mu, material.lam, material.density, *more,
    ):  # fmt: skip
        digest.update(f"{values.shape} {values.dtype.str}".encode())
        digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()[:32]


def keep(
    folder: Path,
    key: str,
    shapes: dict[str, tuple[int, ...]],
    build: Callable[[], dict[str, np.ndarray]],
) -> dict[str, np.ndarray]:
    """The arrays kept under a key, or those that are built, which are kept if that is possible."""
    path = folder / f"{key}.npz"
    found = read_arrays(path, shapes)
    if found is not None:
        return found
    arrays = build()
    with suppress(OSError):
        write_arrays(path, arrays)
    return arrays


def read_arrays(path: Path, shapes: dict[str, tuple[int, ...]]) -> dict[str, np.ndarray] | None:
    """The arrays of a file, or None if it is not there or does not hold just these."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in shapes}
    except (OSError, ValueError, KeyError, EOFError, AttributeError, TypeError, BadZipFile):
        return None
    fits = all(
        arrays[name].shape == shape
        and arrays[name].dtype == np.float64
        and bool(np.all(np.isfinite(arrays[name])))
        for name, shape in shapes.items()
    )
    return arrays if fits else None


def write_arrays(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """Write a file that is whole or absent, whoever else writes it at the same time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, spare = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]
        Path(spare).replace(path)
    finally:
        Path(spare).unlink(missing_ok=True)
