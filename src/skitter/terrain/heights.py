"""Heights from files: pictures, whose brightness is the height, and tables of numbers."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.errors import UserError
from skitter.scene.terrain_files import check_content, describe_os_error

Floats = NDArray[np.floating]

TABLES = (".npy", ".csv", ".txt")
SIDE_LIMIT = 8192  # rows or columns
FILE_LIMIT = 200_000_000  # bytes


@lru_cache(maxsize=4)
def load_heights(file: str, sha256: str | None, span: tuple[float, float] | None) -> Floats:
    """Heights [row along z, column along x], cm.

    With a span, the lowest and the highest number of a table, or black and white of a picture,
    become its ends; without one a table is in cm, and white is 1 cm.
    """
    path = Path(file)
    try:
        check_file(path)
        check_content(path, sha256)
        is_table = path.suffix.lower() in TABLES
        values = check_values(file, read_table(path) if is_table else read_picture(path))
    except OSError as error:
        raise fail(file, f"cannot be read: {describe_os_error(error)}") from None
    if span is None:
        return values
    low, high = (float(values.min()), float(values.max())) if is_table else (0.0, 1.0)
    return span[0] + (values - low) / max(high - low, 1e-300) * (span[1] - span[0])


def fail(file: str, problem: str) -> UserError:
    return UserError(f"heightfield '{file}': {problem}")


def check_file(path: Path) -> None:
    if not path.is_file():
        raise fail(str(path), "is not a file; valid: a picture, or a .npy, .csv or .txt table")
    if (size := path.stat().st_size) > FILE_LIMIT:
        raise fail(str(path), f"has {size:,} bytes; valid: at most {FILE_LIMIT:,}")


def read_table(path: Path) -> Any:
    try:
        if path.suffix.lower() == ".npy":
            return np.load(path, allow_pickle=False)
        text = path.read_text(encoding="utf-8-sig").replace(",", " ").replace(";", " ")
        return np.array([[float(x) for x in line.split()] for line in text.splitlines() if line])
    except (ValueError, EOFError, MemoryError) as error:
        words = str(error)[:80] or type(error).__name__
        problem = f"is not understood as a table ({words}); valid: rows of equally many numbers"
        raise fail(str(path), problem) from None


def read_picture(path: Path) -> Any:
    """Brightness, 0 for black to 1 for white."""
    try:
        from PIL import Image
    except ImportError:
        problem = "is a picture, which needs Pillow; valid: the extra skitter[render], or a .npy"
        raise fail(str(path), problem) from None
    try:
        with Image.open(path) as image:
            deep = image.mode.startswith("I")  # 16 bits
            grey = np.asarray(image if deep or image.mode == "F" else image.convert("L"), float)
    except OSError:
        raise fail(str(path), "is not understood as a picture; valid: PNG, JPEG, TIFF …") from None
    except Exception as error:  # damaged pictures raise nearly anything
        raise fail(str(path), f"is not a sound picture ({str(error)[:80]})") from None
    return grey / (65535 if deep else 255 if image.mode != "F" else 1)


def check_values(file: str, values: Any) -> Floats:
    """A table of finite numbers, not too small and not too large."""
    if values.dtype.kind not in "biuf":
        raise fail(file, f"holds {values.dtype}; valid: real numbers")
    if values.ndim != 2 or min(values.shape) < 2 or max(values.shape) > SIDE_LIMIT:
        shape = " × ".join(map(str, values.shape)) or "single"
        problem = f"holds {shape} numbers; valid: rows and columns, 2 to {SIDE_LIMIT:,} of each"
        raise fail(file, problem)
    values = values.astype(float)
    if not np.isfinite(values).all() or np.abs(values).max() > 1e9:
        raise fail(file, "holds a height that is no number or too large; valid: up to 1e9")
    return values
