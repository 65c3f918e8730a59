"""Heights from files: pictures, whose brightness is the height, and tables of numbers."""

import warnings
from codecs import BOM_UTF8
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.disk import BadFile, parse_numbers, read_npy, read_regular
from skitter.errors import UserError
from skitter.scene.terrain_files import FILE_LIMIT, check_content

Floats = NDArray[np.floating]

TABLES = (".npy", ".csv", ".txt")
PICTURES = ("PNG", "JPEG", "TIFF", "BMP", "GIF", "PPM", "TGA", "WEBP")  # none that runs a program
VALID = "a picture, or a .npy, .csv or .txt table"
SIDE_LIMIT = 8192  # rows or columns
COUNT_LIMIT = 1 << 24  # heights in all
TEXT_LIMIT = 1 << 27  # bytes of a table that is text
COMMAS = bytes.maketrans(b",;\r", b"  \n")


@lru_cache(maxsize=4)
def load_heights(file: str, sha256: str | None, span: tuple[float, float] | None) -> Floats:
    """Heights [row along z, column along x], cm.

    With a span, the lowest and the highest number of a table, or black and white of a picture,
    become its ends; without one a table is in cm, and white is 1 cm.
    """
    path = Path(file)
    kind = path.suffix.lower()
    is_table, is_text = kind in TABLES, kind in TABLES[1:]
    try:
        data = read_regular(path, TEXT_LIMIT if is_text else FILE_LIMIT, valid=VALID)
        check_content(path, data, sha256)
        values = check_values(read_table(data, is_text) if is_table else read_picture(data))
    except BadFile as error:
        raise UserError(f"heightfield '{file}': {error}") from None
    if span is None:
        return values
    low, high = (float(values.min()), float(values.max())) if is_table else (0.0, 1.0)
    return span[0] + (values - low) / max(high - low, 1e-300) * (span[1] - span[0])


def read_table(data: bytes, is_text: bool) -> Any:
    """Numbers of an .npy file, or of rows of text."""
    try:
        return read_rows(data) if is_text else read_npy(data, 8 * COUNT_LIMIT)
    except BadFile as error:
        problem = f"is not understood as a table: it {error}"
        raise BadFile(f"{problem}; valid: rows of equally many numbers") from None


def read_rows(data: bytes) -> Floats:
    """A row in each line, its numbers apart by commas, semicolons or spaces."""
    rows: list[Floats] = []
    for line in BytesIO(data.removeprefix(BOM_UTF8).translate(COMMAS)):
        row = parse_numbers(line)
        if len(row) == 0:
            continue
        if rows and len(row) != len(rows[0]):
            raise BadFile(f"has a row of {len(row):,} numbers after one of {len(rows[0]):,}")
        rows.append(row)
        check_shape((len(rows), len(row)), 0)
    return np.stack(rows) if rows else np.zeros((0, 0))


def read_picture(data: bytes) -> Any:
    """Brightness, 0 for black to 1 for white; its size is looked at before it is unpacked."""
    try:
        from PIL import Image
    except ImportError:
        raise BadFile(
            "is a picture, which needs Pillow; valid: the extra skitter[render], or a .npy"
        ) from None
    try:
        with (
            warnings.catch_warnings(action="ignore"),
            Image.open(BytesIO(data), "r", PICTURES) as image,
        ):
            check_shape((image.height, image.width))
            deep, mode = image.mode.startswith("I"), image.mode  # 16 bits
            grey = np.asarray(image if deep or mode == "F" else image.convert("L"), float)
    except BadFile:
        raise
    except OSError:
        raise BadFile("is not understood as a picture; valid: PNG, JPEG, TIFF …") from None
    except Exception as error:  # damaged pictures raise nearly anything
        raise BadFile(f"is not a sound picture ({str(error)[:80]})") from None
    return grey / (65535 if deep else 255 if mode != "F" else 1)


def check_shape(shape: tuple[int, ...], least: int = 2) -> None:
    """Rows and columns, not too few and not too many."""
    is_table = len(shape) == 2 and min(shape) >= least and max(shape) <= SIDE_LIMIT
    if is_table and shape[0] * shape[1] <= COUNT_LIMIT:
        return
    found = " × ".join(f"{size:,}" for size in shape) or "single"
    raise BadFile(
        f"holds {found} numbers; valid: rows and columns, 2 to {SIDE_LIMIT:,} of each and"
        f" {COUNT_LIMIT:,} numbers in all"
    )


def check_values(values: Any) -> Floats:
    """A table of finite numbers, not too small and not too large."""
    if values.dtype.kind not in "biuf":
        raise BadFile(f"holds {values.dtype}; valid: real numbers")
    check_shape(values.shape)
    with np.errstate(invalid="ignore"):  # of a damaged number, which is refused
        values = values.astype(float)
    if not np.isfinite(values).all() or np.abs(values).max() > 1e9:
        raise BadFile("holds a height that is no number or too large; valid: up to 1e9")
    return values
