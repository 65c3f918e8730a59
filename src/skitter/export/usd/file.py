"""From the binary file that an export grows to the kind of USD file that was asked for."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pxr import Sdf, UsdUtils

from skitter.export.usd.stage import failing_as_files_do, find_reason


@contextmanager
def convert(draft: Path) -> Iterator[Path]:
    """A name for a binary file, which is made into `draft` once it is there."""
    suffix = draft.suffix.lower()
    if suffix == ".usdc":
        yield draft
        return
    binary = draft.with_name(f"{draft.stem}_world.usdc")
    try:
        yield binary
        if suffix == ".usd":
            binary.replace(draft)
        elif suffix == ".usda":
            write_text(binary, draft)
        else:
            pack(binary, draft)
    finally:
        binary.unlink(missing_ok=True)


def write_text(binary: Path, draft: Path) -> None:
    """The same as text."""
    with failing_as_files_do(draft):
        Sdf.Layer.FindOrOpen(str(binary)).Export(str(draft))


def pack(binary: Path, draft: Path) -> None:
    """The same as a package, which holds the file as it is; USD does not notice a full disk."""
    with failing_as_files_do(draft):
        is_made = UsdUtils.CreateNewUsdzPackage(str(binary), str(draft), "world.usdc")
    if not is_made or draft.stat().st_size < binary.stat().st_size:
        raise find_reason(draft)
