"""Do the tests notice mistakes? Plants small ones in the rooms below and runs tests on each.

`mutants.py list` shows them, `plant FOLDER` writes a copy of the sources that holds them all, and
`try FOLDER` runs tests on each until one fails. Compiling the kernels for each would take a day, so
every mistake stands beside what is right, as `(wrong if is_mutant(17) else right)`, and which one
is made is said at run time: all compile once. A mutant is tried in a fork of a process that has
loaded all kernels, and if nothing notices it, once more in a process of its own from the start.

What `try` runs is part of `make test`, so the number it tells is the least that `make test` finds.
"""

import argparse
import ast
import json
import os
import random
import resource
import runpy
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

from mutant_sites import PACKAGE, Change, Reader
from mutant_tests import choose_tests

ROOT = Path(__file__).parents[1]
SEED = 2015
COUNTS = {"elastic": 20, "rigid": 15, "control": 20, "terrain": 18, "water": 15, "record": 12}
PER_FUNCTION = 2
CPU_LIMIT, LIMIT = 300, 900  # s; tests that take longer hang


def choose(room: str, count: int) -> list[Change]:
    """Some of a room's changes: from all its files and of all kinds, the same every time."""
    chance = random.Random(f"{SEED} {room}")
    files = [list(Reader(path).find_changes()) for path in sorted((PACKAGE / room).rglob("*.py"))]
    files = [changes for changes in files if changes]
    chosen: list[Change] = []
    while len(chosen) < count and any(files):
        chance.shuffle(files)
        for left in [changes for changes in files if changes][: count - len(chosen)]:
            by_kind: dict[str, list[Change]] = {}
            for change in left:
                by_kind.setdefault(change.kind, []).append(change)
            chosen.append(chance.choice(by_kind[chance.choice(sorted(by_kind))]))
            left[:] = [change for change in left if may_follow(change, chosen)]
    return sorted(chosen, key=lambda change: (change.file, change.start))


def may_follow(change: Change, chosen: list[Change]) -> bool:
    same = [one for one in chosen if (one.file, one.function) == (change.file, change.function)]
    return len(same) < PER_FUNCTION and all(one.statement != change.statement for one in same)


def list_mutants() -> list[Change]:
    return [change for room, count in COUNTS.items() for change in choose(room, count)]


def describe(number: int, change: Change) -> str:
    return f"{number:3}  {change.file}:{change.line}  {change.what}"


def plant(folder: Path) -> None:
    """Write the sources with all mutants, and compile them."""
    if folder.exists() and any(folder.iterdir()) and not (folder / "mutants.json").exists():
        raise SystemExit(f"{folder} holds other things: choose a new folder")
    shutil.rmtree(folder, ignore_errors=True)
    write_sources(folder)
    # before it does anything, it compiles the kernels
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "tests/unit/test_leg.py"]
    subprocess.run(command, cwd=ROOT, env=environment(folder), check=True)


def write_sources(folder: Path) -> None:
    package = folder / "src" / "skitter"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "tools" / "mutant_switch.py", package / "mutant.py")
    numbered = list(enumerate(list_mutants(), 1))
    (folder / "mutants.json").write_text(json.dumps([asdict(change) for _, change in numbered]))
    for number, change in reversed(numbered):  # from the end of a file, so that places stay
        path = package / change.file
        source = path.read_bytes()
        text = change.text.replace("is_mutant(ME)", f"is_mutant({number})").encode()
        path.write_bytes(source[: change.start] + text + source[change.stop :])
    for file in {"compiled/__init__.py", *(change.file for _, change in numbered)}:
        add_import(package / file)


def add_import(path: Path) -> None:
    """Import the switch after the docstring."""
    source = path.read_text()
    body = ast.parse(source).body
    after = body[0].end_lineno if isinstance(body[0], ast.Expr) else 0
    lines = source.splitlines(keepends=True)
    lines.insert(after or 0, "from skitter.mutant import is_mutant\n")
    path.write_text("".join(lines))
    ast.parse(path.read_text())


def environment(folder: Path, number: int = 0) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": str(folder / "src"),
        "NUMBA_CACHE_DIR": str(folder / "kernels"),
        "HYPOTHESIS_STORAGE_DIRECTORY": str(folder / f"examples-{number}"),
        "SKITTER_MUTANT": str(number),
    }


class Trial:
    """Tests that run on a mutant in a process of their own."""

    def __init__(self, folder: Path, number: int, tests: list[str], *, is_anew: bool):
        self.number, self.is_anew, self.start = number, is_anew, time.monotonic()
        self.log, self.temporary = folder / f"log-{number}", folder / f"temporary-{number}"
        options = ["-x"] if number else []
        options += ["-q", "-p", "no:cacheprovider", "--tb=line", f"--basetemp={self.temporary}"]
        options += ["-m", "not serial and not anew and not blender"]
        options += [f"tests/{test}" for test in tests]
        sys.stdout.flush()
        self.process = os.fork()
        if self.process == 0:
            self._begin(environment(folder, number), options)

    def _begin(self, variables: dict[str, str], options: list[str]) -> None:
        """What the new process does; it never returns."""
        os.setpgrp()
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT, CPU_LIMIT))
        log = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        if self.is_anew:
            os.execve(sys.executable, [sys.executable, "-m", "pytest", *options], variables)
        os.environ.update(variables)
        sys.modules["skitter.mutant"].CHOSEN.value = self.number
        code = int(__import__("pytest").main(options))
        sys.stdout.flush()
        os._exit(code)

    def finished(self) -> str | None:
        """The test that failed, nothing if all passed; None while they run."""
        process, status = os.waitpid(self.process, os.WNOHANG)
        if process == 0 and time.monotonic() - self.start < LIMIT:
            return None
        if process == 0:
            os.killpg(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        shutil.rmtree(self.temporary, ignore_errors=True)
        code = os.waitstatus_to_exitcode(status) if process else -signal.SIGKILL
        lines = self.log.read_text(errors="replace").splitlines()
        failed = [line.split()[1] for line in lines if line.startswith(("FAILED ", "ERROR tests"))]
        if failed or code == 0:
            return ", ".join(name.removeprefix("tests/") for name in failed)
        if code in (4, 5):
            raise SystemExit("\n".join(lines))
        return "hung" if -code in (signal.SIGKILL, signal.SIGXCPU) else f"crashed ({code})"


def load_kernels() -> None:
    """Load the compiled kernels, so that every fork has them."""
    arguments = sys.argv
    for precision in ("float32", "float64"):
        sys.argv = ["", precision]
        runpy.run_path("tests/compile_kernels.py")
    sys.argv = arguments


def try_mutants(folder: Path, only: list[int], jobs: int) -> None:
    """Run tests on mutants that have not been tried, or on `only` those named; 0 is none."""
    changes = [Change(**one) for one in json.loads((folder / "mutants.json").read_text())]
    kept = folder / "results.json"
    results: dict[str, str] = json.loads(kept.read_text()) if kept.exists() else {}
    numbers = only or [n for n in range(1, len(changes) + 1) if str(n) not in results]
    todo, running = [(number, False) for number in numbers], list[Trial]()
    os.chdir(ROOT)
    load_kernels()
    while todo or running:
        while todo and len(running) < jobs:
            number, is_anew = todo.pop(0)
            tests = choose_tests(changes[number - 1].file, is_anew)
            running.append(Trial(folder, number, tests, is_anew=is_anew))
        time.sleep(0.2)
        for trial, found in [(one, one.finished()) for one in running]:
            if found is None:
                continue
            running.remove(trial)
            if found == "" and not trial.is_anew:
                todo.append((trial.number, True))
                continue
            results[str(trial.number)] = found
            kept.write_text(json.dumps(results))
            seconds = time.monotonic() - trial.start
            change = describe(trial.number, changes[trial.number - 1])
            print(f"{change}  {found or 'SURVIVED'}  {seconds:.0f} s", flush=True)
    judges = sorted({found for found in results.values() if "::" in found})
    unfair = run_unchanged(folder, judges)
    caught = [found for found in results.values() if found and found not in unfair]
    print(f"caught {len(caught)} of {len(results)} tried", *(f"unfair: {one}" for one in unfair))


def run_unchanged(folder: Path, tests: list[str]) -> list[str]:
    """Which of the tests that caught a mutant fail without one as well: they do not count."""
    trial = Trial(folder, 0, tests, is_anew=True)
    while (found := trial.finished()) is None:
        time.sleep(0.2)
    return found.split(", ") if found else []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=["list", "plant", "try"])
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--only", default="", help="numbers of mutants, such as 3,7; 0 is none")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    if given.command == "list":
        for number, change in enumerate(list_mutants(), 1):
            print(describe(number, change))
    elif given.folder is None:
        parser.error("a folder is needed")
    elif given.command == "plant":
        plant(given.folder.resolve())
    elif "SKITTER_MUTANT" not in os.environ:  # begin again where the planted package is found
        os.execve(sys.executable, [sys.executable, *sys.argv], environment(given.folder.resolve()))
    else:
        only = [int(number) for number in given.only.split(",") if number]
        try_mutants(given.folder.resolve(), only, given.jobs)


if __name__ == "__main__":
    main()
