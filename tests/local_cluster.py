"""A Dask cluster of this machine, whose workers can be killed and are started again."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

THREADS = (1, 1, 2)  # of the workers


class LocalCluster:
    """A scheduler and three workers as processes of their own, on 127.0.0.1."""

    def __init__(self, folder, environment):
        self.folder, self.environment = Path(folder), {**os.environ, **environment}
        self.file = self.folder / "scheduler.json"
        self.killed = []  # pids
        self.stopping = threading.Event()

    def __enter__(self):
        plain = ["--host", "127.0.0.1", "--no-dashboard"]
        listing = ["--port", "0", "--scheduler-file", str(self.file), *plain]
        self.scheduler = self.start("scheduler", listing)
        while not self.file.exists():
            assert self.scheduler.poll() is None, "the scheduler ended"
            time.sleep(0.1)
        self.workers = [self.start_worker(number) for number in range(len(THREADS))]
        return self

    def __exit__(self, *_):
        self.stopping.set()
        for process in [*self.workers, self.scheduler]:
            process.kill()
            process.wait()

    @property
    def address(self):
        import json

        return json.loads(self.file.read_text())["address"]

    def start(self, kind, options):
        call = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *options]
        output = (self.folder / f"{kind}.txt").open("a")
        return subprocess.Popen(
            call, env=self.environment, cwd=self.folder, stdout=output, stderr=output
        )

    def start_worker(self, number):
        place = ["--scheduler-file", str(self.file), "--local-directory", str(self.folder / "w")]
        plain = ["--nthreads", str(THREADS[number]), "--no-nanny", "--no-dashboard"]
        return self.start("worker", [*place, *plain, "--host", "127.0.0.1"])

    def kill_worker(self, number):
        """End a worker at once, and start another in its place."""
        self.killed.append(self.workers[number].pid)
        self.workers[number].send_signal(signal.SIGKILL)
        self.workers[number].wait()
        self.workers[number] = self.start_worker(number)

    def kill_every(self, seconds, most, has_worked):
        """Kill one after the other, each only when it has begun to work: `has_worked(pid)`."""

        def go_on():
            number = 0
            while len(self.killed) < most and not self.stopping.wait(seconds):
                for _ in THREADS:
                    number = (number + 1) % len(THREADS)
                    if has_worked(self.workers[number].pid):
                        self.kill_worker(number)
                        break

        threading.Thread(target=go_on, daemon=True).start()
