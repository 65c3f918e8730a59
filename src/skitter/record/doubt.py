"""Work on a recording whose numbers may not fit together.

What a recording says about itself is checked when it is opened; its numbers are too many for that.
If one was changed on the disk, a measure or a picture may stumble anywhere. That is told in one
line that names the recording and the place, which is enough to report a fault of ours too.
"""

import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from skitter.errors import UserError

FAULTS = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)
PACKAGE = Path(__file__).parents[1]


@contextmanager
def doubting(recording: Any, done: str) -> Iterator[None]:
    """`done` says what is tried, as in "measured"; of a running world, every fault is ours."""
    try:
        with warnings.catch_warnings(action="ignore", category=RuntimeWarning):  # of numbers
            yield
    except (*FAULTS, MemoryError) as error:
        if not hasattr(recording, "path"):
            raise
        raise UserError(
            f"the recording {recording.path} cannot be {done}: what it holds does not fit together"
            f" ({describe_place(error)}); if a run wrote it so, this is a fault in Skitter: please"
            " report it"
        ) from error


def describe_place(error: BaseException) -> str:
    """Which error it was, and the last line of this package on its way."""
    steps = traceback.extract_tb(error.__traceback__)
    own = [step for step in steps if Path(step.filename).is_relative_to(PACKAGE)]
    place = f"{Path(own[-1].filename).relative_to(PACKAGE)}:{own[-1].lineno}" if own else "unknown"
    return f"{type(error).__name__} in {place}"
