"""Warnings: what is done as asked, though it is probably not what was meant.

What cannot be meant is a `UserError`. Warnings are those of Python, of the class `SkitterWarning`;
the command line shows each as one line and lists them in its JSON.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any


class SkitterWarning(UserWarning):
    """One line: what happens, and what to write if that is not meant."""


def warn(lines: Iterable[str]) -> None:
    """Give some warnings."""
    for line in lines:
        warnings.warn(line, SkitterWarning, stacklevel=3)


@contextmanager
def telling_warnings(tell: Callable[[str], None]) -> Iterator[None]:
    """Within this block each warning is told once, and not in the way of Python."""
    told: set[str] = set()
    with warnings.catch_warnings():
        show_others = warnings.showwarning

        def show(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
            line = str(message)
            if not issubclass(category, SkitterWarning):
                show_others(message, category, *place, **more)
            elif line not in told:
                told.add(line)
                tell(line)

        warnings.simplefilter("always", SkitterWarning)
        warnings.showwarning = show
        yield
