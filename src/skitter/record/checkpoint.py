"""The checkpoint of a recording: the state of the world at one frame, to continue from.

One `checkpoint.npz` lies beside the arrays and is replaced as a whole. NumPy stores no clock
time in it, so the same state gives the same bytes.
"""

from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from skitter.disk import BadFile, read_npz, read_regular
from skitter.record.files import WholeFile

CHECKPOINT_FILE = "checkpoint.npz"
STATE_PREFIX = "state/"
SIZE_LIMIT = 1 << 28  # bytes

State = dict[str, np.ndarray[Any, Any]]


def write_checkpoint(folder: Path, frame_count: int, state: Mapping[str, Any]) -> None:
    """Store the state that belongs to the last of `frame_count` frames."""
    arrays = {STATE_PREFIX + name: np.asarray(values) for name, values in state.items()}
    if objects := [name for name, values in arrays.items() if values.dtype.hasobject]:
        raise ValueError(f"a checkpoint holds arrays of numbers, not objects: {objects}")
    buffer = BytesIO()
    np.savez(buffer, frame_count=np.int64(frame_count), **arrays)  # type: ignore[arg-type]
    WholeFile(folder / CHECKPOINT_FILE).replace(buffer.getvalue())


def read_checkpoint(folder: Path) -> tuple[int, State] | None:
    """Frame count and state, or None when there is no checkpoint that can be used.

    A damaged one counts as none: continuing from the first frame is always right, only slower.
    """
    try:
        data = read_regular(folder / CHECKPOINT_FILE, SIZE_LIMIT, links=False)
        arrays = read_npz(data, SIZE_LIMIT)
        count = arrays["frame_count"]
        if count.shape != () or count.dtype.kind not in "iu" or count < 0:
            return None
    except (BadFile, KeyError):
        return None
    state = {
        name.removeprefix(STATE_PREFIX): np.array(values)  # of their own, and not read-only
        for name, values in arrays.items()
        if name.startswith(STATE_PREFIX)
    }
    return int(count), state
