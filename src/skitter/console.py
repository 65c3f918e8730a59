"""How commands speak: one JSON document on standard output, or one line on standard error."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, is_dataclass
from math import isfinite
from pathlib import Path
from typing import Any, TextIO

from skitter.disk import explain_os_error
from skitter.errors import SkitterError, make_one_line

WARNINGS: list[str] = []  # that this command has told


def make_streams_lenient() -> None:
    """A stream that cannot show a character shows a substitute instead of failing.

    One that was closed leads nowhere, so that no file we open gets its number.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    if not isinstance(sys.stdout, Guarded):
        sys.stdout = Guarded(sys.stdout, tell_output_lost)
    if not isinstance(sys.stderr, Guarded):
        sys.stderr = Guarded(sys.stderr, lambda error: None)


class Guarded:
    """A stream whose disk may be full, or that may be closed; nothing is written after that."""

    def __init__(self, stream: TextIO, fail: Callable[[OSError | ValueError], None]) -> None:
        self._stream, self._fail = stream, fail

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with self._guarding():
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with self._guarding():
            self._stream.flush()

    @contextmanager
    def _guarding(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError) as error:
            lead_nowhere(self._stream)
            self._fail(error)


@contextmanager
def muted() -> Iterator[None]:
    """What a library of C writes to standard error meanwhile is lost, as it is not in our words."""
    try:
        kept = os.dup(2)
    except OSError:  # it is closed
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def lead_nowhere(stream: Any) -> None:
    """Drop what a stream holds and will get."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def tell_output_lost(error: OSError | ValueError) -> None:
    if isinstance(error, BrokenPipeError):  # the reader has left, as `head` does
        raise error
    raise SkitterError(f"cannot write to standard output: {explain_os_error(error)}") from error


def say(text: str) -> None:
    """What was asked for, on standard output."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def complain(line: str) -> None:
    """One line on standard error, led by the program's name."""
    sys.stderr.write(f"skitter: {make_one_line(line)}\n")
    sys.stderr.flush()


def complain_of(line: str) -> None:
    """A warning, on standard error; `print_json` may list it too."""
    WARNINGS.append(line)
    complain(f"warning: {line}")


def describe_usage_error(error: Any) -> str:
    """Typer's message, and where the help is."""
    message = make_one_line(error.format_message()).rstrip(".")
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "skitter"
    return f"{message[:1].lower()}{message[1:]} (see '{path} --help')"


def describe_interrupt(error: KeyboardInterrupt) -> str:
    """Where a run stopped and what remains of it."""
    folder = getattr(error, "folder", None)
    if folder is None:
        return str(error) or "stopped"
    return f"{error}; what was recorded is kept in {folder}, and --resume continues it"


def print_json(document: dict[str, Any]) -> None:
    """One document, on one line."""

    import json

    say(json.dumps(make_json(document), ensure_ascii=False, allow_nan=False))


def print_report(document: dict[str, Any]) -> None:
    """One document of what was done, with the warnings that were told meanwhile."""
    print_json({**document, "warnings": list(WARNINGS)})


def print_titles(kind: str, titles: list[tuple[str, str]], as_json: bool) -> None:
    """Names and what they are."""
    if as_json:
        print_json({kind: [{"name": name, "title": title} for name, title in titles]})
    else:
        print_rows([*titles])


def make_json(value: Any) -> Any:
    """Plain values; JSON has no word for nan and infinity, so they become null."""
    if isinstance(value, dict):
        return {str(key): make_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [make_json(item) for item in value]
    if hasattr(value, "tolist"):
        return make_json(value.tolist())
    if is_dataclass(value) and not isinstance(value, type):
        return make_json(asdict(value))
    return None if isinstance(value, float) and not isfinite(value) else value


def print_rows(rows: list[tuple[str, ...]]) -> None:
    """Columns as wide as their widest entry."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        say("  ".join(cells).rstrip())


def format_number(value: Any) -> str:
    """A number to six digits; words and lists as they are."""
    return f"{value:.6g}" if isinstance(value, float) else "" if value is None else str(value)
