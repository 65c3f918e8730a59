"""Send many changed inputs through all readers; `make fuzz` runs this.

    python tests/fuzz/run.py --count 50000 --seed 0 --workers 2 --keep out/fuzz

Every input has a number, and a seed and a number always make the same input: `--first 123
--count 1` shows one again. Workers are processes that try inputs one after the other
(fuzz_trial.py says within which limits); one that does not answer is killed, and its input counts
as a hang. Exit code 1 if there is any fault.
"""

import argparse
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from multiprocessing.connection import Connection, wait
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "unit")]
for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(threads, "1")

from fuzz_inputs import KINDS, Bases, choose_kind  # noqa: E402
from fuzz_trial import PEAK_LIMIT, SECONDS, Result, Trials  # noqa: E402

PATIENCE = 2 * SECONDS  # s without an answer before a worker is killed
BATCH = 25  # inputs that a worker is given at a time
SHOWN = 20  # faults told in full


def work(pipe: Connection, folder: Path, seed: int, keep: Path) -> None:
    """Try the inputs whose numbers come through the pipe."""
    trials = Trials(folder, Bases(folder / "bases"), seed)
    trials.load()
    pipe.send(trials.idle)
    while (numbers := pipe.recv()) is not None:
        for number in numbers:
            pipe.send(trials.run(number, keep))


class Worker:
    """A process, and the inputs that it still owes."""

    def __init__(self, scratch: Path, name: int, seed: int, keep: Path) -> None:
        self.folder = scratch / str(name)
        self.folder.mkdir(parents=True)
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=work, args=(theirs, self.folder, seed, keep))
        self.process.start()
        theirs.close()
        self.owed: list[int] = []
        self.is_ready, self.heard = False, time.monotonic()

    @property
    def is_stuck(self) -> bool:
        return bool(self.owed) and time.monotonic() - self.heard > PATIENCE

    def give(self, numbers: list[int]) -> None:
        self.owed, self.heard = numbers, time.monotonic()
        self.pipe.send(numbers)

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Run:
    """All inputs of a run, and what became of them."""

    def __init__(self, seed: int, numbers: range, keep: Path) -> None:
        self.seed, self.keep = seed, keep
        self.left = list(numbers)[::-1]
        self.total, self.idle = len(numbers), 0
        self.results: list[Result] = []
        self.began = self.told = time.monotonic()

    def go(self, count: int) -> None:
        """Keep so many workers busy until all inputs are tried."""
        with tempfile.TemporaryDirectory(prefix="skitter-fuzz-") as scratch:
            names = iter(range(1_000_000))
            workers = [self._start(Path(scratch), next(names)) for _ in range(count)]
            while len(self.results) < self.total:
                for worker in wait_for(workers):
                    self._hear(worker)
                for index, worker in enumerate(workers):
                    if worker.is_stuck or not worker.process.is_alive():
                        self._give_up(worker)
                        workers[index] = self._start(Path(scratch), next(names))
                self._tell()
            for worker in workers:
                worker.end()

    def _start(self, scratch: Path, name: int) -> Worker:
        return Worker(scratch, name, self.seed, self.keep)

    def _hear(self, worker: Worker) -> None:
        """Take an answer; a worker that owes nothing gets more."""
        try:
            found = worker.pipe.recv()
        except EOFError:
            return
        worker.heard = time.monotonic()
        if isinstance(found, Result):
            worker.owed.remove(found.number)
            self.results.append(found)
            if found.is_fault:
                print(f"  {found.kind} {found.number}: {found.outcome}", flush=True)
        else:
            worker.is_ready, self.idle = True, max(self.idle, found)
        if not worker.owed and self.left:
            worker.give([self.left.pop() for _ in range(min(BATCH, len(self.left)))])

    def _give_up(self, worker: Worker) -> None:
        """A worker that hangs or died: its input is the first that it owes."""
        if worker.owed:
            number, *rest = worker.owed
            kind = choose_kind(self.seed, number)[0].name
            words = "no answer" if worker.is_stuck else f"ended with {worker.process.exitcode}"
            self.results.append(Result(number, kind, "hang or crash", words, PATIENCE, 0))
            print(f"  {kind} {number}: hang or crash ({words})", flush=True)
            self.left += rest
        elif not worker.is_ready:
            raise SystemExit("a worker could not begin; try one input alone to see why")
        worker.end()

    def _tell(self) -> None:
        if time.monotonic() - self.told > 30:
            self.told = time.monotonic()
            print(f"  {len(self.results):,} of {self.total:,} inputs", flush=True)

    def report(self) -> int:
        """Counts by kind, and the faults; how many of those."""
        counts = Counter((result.kind, result.outcome) for result in self.results)
        faults = [result for result in self.results if result.is_fault]
        print(f"\n{'kind':14}{'inputs':>8}{'accepted':>10}{'refused':>9}{'faults':>8}")
        for kind in KINDS:
            own = [result for result in self.results if result.kind == kind.name]
            accepted, refused = counts[kind.name, "accepted"], counts[kind.name, "refused"]
            rest = len(own) - accepted - refused
            print(f"{kind.name:14}{len(own):8,}{accepted:10,}{refused:9,}{rest:8,}")
        seconds = time.monotonic() - self.began
        slowest = max(self.results, key=lambda result: result.seconds)
        largest = max(self.results, key=lambda result: result.peak)
        print(f"\n{len(self.results):,} inputs of seed {self.seed} in {seconds:.0f} s")
        print(f"slowest: {slowest.seconds:.1f} s of {SECONDS} s ({slowest.kind} {slowest.number})")
        print(
            f"most memory: {largest.peak / 1e6:.0f} MB of {PEAK_LIMIT / 1e6:.0f} MB"
            f" ({largest.kind} {largest.number}); an idle worker has {self.idle / 1e6:.0f} MB"
        )
        for result in faults[:SHOWN]:
            print(f"\n{result.kind} {result.number}: {result.outcome}\n{result.words}")
        if faults:
            print(f"\n{len(faults)} faults; their inputs are in {self.keep}")
        return len(faults)


def wait_for(workers: list[Worker]) -> list[Worker]:
    """Those that have something to say, after a second at most."""
    ready = wait([worker.pipe for worker in workers], timeout=1.0)
    return [worker for worker in workers if worker.pipe in ready]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=50_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--keep", type=Path, default=Path("out/fuzz"))
    given = parser.parse_args()
    run = Run(given.seed, range(given.first, given.first + given.count), given.keep.absolute())
    run.go(given.workers)
    return 1 if run.report() else 0


if __name__ == "__main__":
    sys.exit(main())
