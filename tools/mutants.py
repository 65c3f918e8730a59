"""Do the tests notice mistakes? Plants small ones in the rooms below and runs tests on each.

`mutants.py list` shows them, `plant FOLDER` writes a copy of the sources that holds them all, and
`try FOLDER` runs tests on one after the other until one fails. Compiling the kernels for each would
take a day, so every mistake stands beside what is right, as `(wrong if active(17) else right)`, and
the environment variable SKITTER_MUTANT says at run time which one is made: all compile once.

What `try` runs is part of `make test`, so the number it tells is the least that `make test` finds.
"""

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

from mutant_sites import PACKAGE, Change, Reader

ROOT = Path(__file__).parents[1]
SEED = 2015
COUNTS = {"elastic": 20, "rigid": 15, "control": 20, "terrain": 18, "water": 15, "record": 12}
PER_FUNCTION = 2
LIMIT = 420.0  # s; tests that take longer hang

# What runs on a room: what is quick and strict first, then whole animals.
ANIMALS = [
    "verification/test_myriapod_walk.py",
    "verification/test_coupled_chain.py",
    "unit/test_events.py",
    "sweep/test_myriapod_terrain.py",
]
TESTS = {
    "elastic": [
        "unit/test_damping.py",
        "property/test_elastic_forces.py",
        "verification/test_elastic_recovery.py",
        "verification/test_bodies_in_water.py",
        "verification/test_muscles.py",
        "verification/test_beams.py",
        "parity/test_step_limit.py",
        *ANIMALS,
        "sweep/test_species_terrain.py",
    ],
    "rigid": [
        "verification/test_rigid_bodies.py",
        "verification/test_bodies_in_water.py",
        "verification/test_elastic_recovery.py",
        *ANIMALS,
        "sweep/test_species_terrain.py",
    ],
    "control": [
        "unit/test_leg.py",
        "unit/test_switcher.py",
        "unit/test_targeter.py",
        "unit/test_antennae.py",
        "unit/test_brain.py",
        "unit/test_sight.py",
        "verification/test_amphibious.py",
        "verification/test_muscles.py",
        *ANIMALS,
    ],
    "terrain": [
        "parity/test_terrain.py",
        "unit/test_terrain_items.py",
        "parity/test_terrain_meshes.py",
        *ANIMALS,
    ],
    "water": [
        "verification/test_water.py",
        "unit/test_water_world.py",
        "verification/test_bodies_in_water.py",
        "unit/test_water_scene.py",
        "verification/test_amphibious.py",
        "verification/test_runs_identical.py",
    ],
    "record": [
        "unit/test_recording.py",
        "unit/test_recording_writer.py",
        "unit/test_live_recordings.py",
        "verification/test_recording_killed.py",
        "unit/test_events.py",
    ],
}


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
    package = folder / "src" / "skitter"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "tools" / "mutant_switch.py", package / "mutant.py")
    numbered = list(enumerate(list_mutants(), 1))
    (folder / "mutants.json").write_text(json.dumps([asdict(change) for _, change in numbered]))
    for number, change in reversed(numbered):  # from the end of a file, so that places stay
        path = package / change.file
        source = path.read_bytes()
        text = change.text.replace("NUMBER", str(number)).encode()
        path.write_bytes(source[: change.start] + text + source[change.stop :])
    for file in {"compiled.py", *(change.file for _, change in numbered)}:
        add_import(package / file)
    script = ROOT / "tests" / "compile_kernels.py"
    for process in [
        subprocess.Popen([sys.executable, script, precision], env=environment(folder))
        for precision in ("float32", "float64")
    ]:
        if process.wait() != 0:
            raise SystemExit("the kernels cannot be compiled with the mutants in them")


def add_import(path: Path) -> None:
    """Import the switch after the docstring."""
    source = path.read_text()
    body = ast.parse(source).body
    after = body[0].end_lineno if isinstance(body[0], ast.Expr) else 0
    lines = source.splitlines(keepends=True)
    lines.insert(after or 0, "from skitter.mutant import active\n")
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


def run_tests(folder: Path, number: int, tests: list[str]) -> str:
    """The test that failed, or nothing."""
    temporary = folder / f"temporary-{number}"
    command = [
        sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--tb=line",
        "-m", "not serial and not anew and not blender", f"--basetemp={temporary}",
        *(f"tests/{test}" for test in tests),
    ]  # fmt: skip
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment(folder, number), timeout=LIMIT,
            capture_output=True, text=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"hung for {LIMIT:g} s"
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    (folder / f"log-{number}").write_text(done.stdout + done.stderr)
    if done.returncode == 0:
        return ""
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if failed:
        return failed[0].split(" - ")[0].split(maxsplit=1)[1].removeprefix("tests/")
    if done.returncode in (4, 5):
        raise SystemExit(done.stdout + done.stderr)
    return f"crashed ({done.returncode})"


def try_mutants(folder: Path, only: list[int], jobs: int) -> None:
    """Run tests on mutants that have not been tried, or on `only` those named; 0 is none."""
    changes = [Change(**one) for one in json.loads((folder / "mutants.json").read_text())]
    kept = folder / "results.json"
    results: dict[str, str] = json.loads(kept.read_text()) if kept.exists() else {}
    todo = only or [n for n in range(1, len(changes) + 1) if str(n) not in results]

    def try_one(number: int) -> None:
        start = time.monotonic()
        if number == 0:
            everything = list(dict.fromkeys(test for tests in TESTS.values() for test in tests))
            print(f"  0  unchanged: {run_tests(folder, 0, everything) or 'passes'}", flush=True)
            return
        change = changes[number - 1]
        results[str(number)] = run_tests(folder, number, TESTS[change.file.split("/")[0]])
        kept.write_text(json.dumps(results))
        found = results[str(number)] or "SURVIVED"
        print(f"{describe(number, change)}  {found}  {time.monotonic() - start:.0f} s", flush=True)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(try_one, todo))
    caught = sum(bool(found) for found in results.values())
    print(f"caught {caught} of {len(results)} tried")


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
    else:
        only = [int(number) for number in given.only.split(",") if number]
        try_mutants(given.folder.resolve(), only, given.jobs)


if __name__ == "__main__":
    main()
