"""One input, tried within limits: time, memory, silence, and nothing written elsewhere.

An input is accepted, or refused in one line (`UserError`); all else is a fault. Memory is the peak
of the resident set of the whole process (VmHWM, set back before each input), which starts at some
300 MB with all libraries loaded; on systems without it, memory is not looked at. What is written is
seen twice: by an audit hook, which is told every path that Python opens, makes, renames or deletes,
and by others' files in and around the input, which are compared afterwards.
"""

import os
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzz_inputs import Bases, choose_kind
from fuzz_recordings import add_victims

from skitter.compiled import cache_folder
from skitter.errors import UserError

SECONDS = 20
PEAK_LIMIT = 1_000_000_000  # bytes of the whole process
SPACE_LIMIT = 6_000_000_000  # bytes of addresses beyond those of an idle process
LINE_LIMIT = 4000  # characters; some lines list all measures
LEAKS = ("Traceback", "<class", "object at 0x", "NoneType", "\n")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = ("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.truncate", "os.symlink", "os.link")


class HangError(BaseException):
    """It took too long; no reader may catch this."""


@dataclass(frozen=True)
class Result:
    """What became of an input."""

    number: int
    kind: str
    outcome: str  # accepted, refused, or what was wrong
    words: str
    seconds: float
    peak: int  # bytes

    @property
    def is_fault(self) -> bool:
        return self.outcome not in ("accepted", "refused")


class Trials:
    """Tries inputs one after the other in a scratch folder of its own."""

    def __init__(
        self, folder: Path, bases: Bases, seed: int, *, watches_memory: bool = True
    ) -> None:
        self.folder, self.bases, self.seed = folder, bases, seed
        self.watches_memory = watches_memory
        self.watch = Watch([folder, cache_folder().parent])
        self.idle = read_status("VmRSS")

    def load(self) -> None:
        """Make what inputs start from, so that the first of a kind does not pay for it."""
        for name in ("library", "meshes", "heights", "recordings", "rigs"):
            self.bases.get(name)
        self.idle = read_status("VmRSS")
        size = read_status("VmSize")
        if size:
            resource.setrlimit(resource.RLIMIT_AS, (size + SPACE_LIMIT, resource.RLIM_INFINITY))

    def run(self, number: int, keep: Path | None = None) -> Result:
        """Make and try an input; of a fault the input is kept."""
        kind, rng = choose_kind(self.seed, number)
        place = self.folder / "input"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        attempt = kind.make(rng, self.bases.get(kind.bases), place)
        others = list_others(place)
        before = read_tree(others)
        reset_peak()
        start = read_clock()
        temporary, tempfile.tempdir = tempfile.tempdir, str(self.folder)
        with silenced(self.folder / "said") as said, self.watch:
            outcome, words = try_out(attempt)
        seconds, peak = read_clock() - start, read_status("VmHWM")
        noise, tempfile.tempdir = said(), temporary
        if read_tree(others) != before:
            outcome, words = "changed others' files", words
        elif self.watch.found:
            outcome, words = "wrote elsewhere", ", ".join(self.watch.found[:5])
        elif self.watches_memory and peak > PEAK_LIMIT:
            outcome, words = "memory", f"{peak / 1e9:.2f} GB; {words}"
        elif noise and outcome in ("accepted", "refused"):
            outcome, words = "noise", noise[:500]
        result = Result(number, kind.name, outcome, words, seconds, peak)
        if result.is_fault and keep is not None:
            keep_input(place, result, keep)
        return result


def try_out(attempt: Any) -> tuple[str, str]:
    """What an attempt ends in, with a clock that stops it."""
    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        attempt()
        return "accepted", ""
    except UserError as error:
        line = str(error)
        bad = [leak for leak in LEAKS if leak in line]
        if bad or not line.strip() or len(line) > LINE_LIMIT:
            return f"bad line {bad}", line
        return "refused", line
    except HangError:
        return "hang", f"more than {SECONDS} s"
    except MemoryError:
        return "memory", traceback.format_exc(limit=-4)
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        return f"traceback {type(error).__name__} {where}", traceback.format_exc(limit=-6)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def stop(number: int, frame: Any) -> None:
    raise HangError


def list_others(place: Path) -> list[Path]:
    """Files that are not the input's own; those of a recording are also within it."""
    recording = place / "recording"
    if recording.is_dir() and not recording.is_symlink():
        return add_victims(place, recording)
    other = place / "other.txt"
    other.write_text("not yours")
    return [other]


def read_tree(paths: list[Path]) -> dict[str, object]:
    """All that is in and below some paths: kinds, and contents of files."""
    found: dict[str, object] = {}
    for top in paths:
        for path in (top, *sorted(top.rglob("*"))) if top.is_dir() else (top,):
            is_plain = path.is_file() and not path.is_symlink()
            found[str(path)] = path.read_bytes() if is_plain else path.exists() and path.is_dir()
    return found


def keep_input(place: Path, result: Result, folder: Path) -> None:
    """Save what is needed to see a fault again."""
    target = folder / f"{result.kind.replace(' ', '_')}-{result.number}"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    (target / "fault.txt").write_text(f"{result.outcome}\n{result.words}\n", errors="replace")
    for path in place.rglob("*"):
        copy = target / path.relative_to(place)
        if path.is_symlink():
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.symlink_to(path.readlink())
        elif path.is_file() and path.stat().st_size < 1 << 24:
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)


# watching


class Watch:
    """Notes every path outside of some folders that Python is about to change."""

    def __init__(self, allowed: list[Path]) -> None:
        self.allowed = [os.path.realpath(one) for one in [*allowed, "/dev/null"]]
        self.found: list[str] = []
        self.is_on = False
        sys.addaudithook(self._hear)  # for the rest of the process

    def __enter__(self) -> "Watch":
        self.found, self.is_on = [], True
        return self

    def __exit__(self, *_: object) -> None:
        self.is_on = False

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.is_on:
            return
        if event == "open":
            path, mode, flags = arguments
            is_written = (isinstance(mode, str) and set(mode) & set("wax+")) or (
                isinstance(flags, int) and flags & WRITING
            )
            paths = [path] if is_written else []
            follows = not (isinstance(flags, int) and flags & os.O_NOFOLLOW)
        else:  # of a link these change the link itself
            paths, follows = list(arguments) if event in CHANGES else [], False
        self.is_on = False  # what we do here is not asked
        self.found += [os.fsdecode(one) for one in paths if not self._is_allowed(one, follows)]
        self.is_on = True

    def _is_allowed(self, path: Any, follows: bool) -> bool:
        if not isinstance(path, str | bytes | os.PathLike):
            return True  # a file that is open already
        given = Path(os.fsdecode(path))
        real = os.path.realpath(given if follows else given.parent)
        real = real if follows else f"{real}/{given.name}"
        return "__pycache__" in real or any(real.startswith(one) for one in self.allowed)


@contextmanager
def silenced(path: Path) -> Iterator[Any]:
    """Standard output and error into a file; yields what reads it afterwards."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    target = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(target, 1)
    os.dup2(target, 2)
    try:
        yield lambda: path.read_text(errors="replace")
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for number, handle in enumerate(kept, 1):
            os.dup2(handle, number)
            os.close(handle)
        os.close(target)


def read_clock() -> float:
    import time

    return time.monotonic()


def reset_peak() -> None:
    """Let the peak of memory begin anew; only Linux can."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def read_status(name: str) -> int:
    """Bytes of a line of the system's account of this process; 0 where there is none."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0
    found = [line.split()[1] for line in lines if line.startswith(f"{name}:")]
    return 1000 * int(found[0]) if found else 0
