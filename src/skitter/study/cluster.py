"""A Dask cluster that works as a crew does: jobs and results travel as messages.

Dask runs a task again when its worker is killed, and gives up after a few; being killed is not the
fault of a task, so it is then asked for anew, many times. An error that a task raises is not tried
again.
"""

from asyncio import CancelledError
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError as FutureCancelled
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

from skitter.errors import SkitterError, UserError
from skitter.study.crew import Function, Job, Lost

WINDOW = 500  # tasks that are asked for at once
LOSSES_MOST = 10  # times that Dask may give up on a task; each time several workers were killed
PATIENCE = 10  # s to find the scheduler
KEEP_GOING = "what is finished is kept, and the same command goes on"


class Cluster:
    """The workers of a scheduler."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._sent: set[str] = set()
        self._ready: SimpleQueue[tuple[str, Any]] = SimpleQueue()  # names of tasks and results

    def __enter__(self) -> Self:
        distributed = import_distributed()
        try:
            self._client = distributed.Client(
                self.address, timeout=PATIENCE, set_as_default=False, name="skitter-sweep"
            )
        except (OSError, ValueError, RuntimeError, TypeError) as error:
            raise UserError(
                f"--scheduler {self.address}: there is no Dask scheduler: {describe(error)}; valid:"
                " an address such as tcp://127.0.0.1:8786"
            ) from None
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave; what is under way is called off by the scheduler."""
        with suppress(Exception):
            self._client.close(timeout=PATIENCE)

    def count_workers(self) -> int:
        return len(self._client.nthreads())

    def send_file(self, path: str, name: str, receive: Any) -> None:
        """Give a file to all workers, also to those that come later; once."""
        if name not in self._sent:
            plugin = make_plugin(name, Path(path).suffix, Path(path).read_bytes(), receive)
            self._client.register_plugin(plugin, name=f"skitter-{name}")
            self._sent.add(name)

    def map(self, function: Function, jobs: Iterable[Job]) -> Iterator[tuple[Any, Any]]:
        """Keys and results as they are ready; what lies in the cluster is raised here."""
        waiting, again, losses = iter(jobs), deque[Job](), dict[Any, int]()
        asked: dict[str, Job] = {}  # by the name of the task
        while True:
            while len(asked) < WINDOW:
                job = again.popleft() if again else next(waiting, None)
                if job is None:
                    break
                asked[self._submit(function, job)] = job
            if not asked:
                return
            name, result = self._ready.get()
            job = asked.pop(name)
            result = self._judge(result)
            if isinstance(result, Lost):
                losses[job[0]] = losses.get(job[0], 0) + 1
                if losses[job[0]] < LOSSES_MOST:
                    again.append(job)
                    continue
                result = Lost(losses[job[0]])
            yield job[0], result

    def _submit(self, function: Function, job: Job) -> str:
        """A name that no task had before: an older one of the same point is another's."""
        name = f"skitter-{uuid4().hex}"
        task = self._client.submit(function, *job[1], key=name, pure=False)
        self._client.loop.add_callback(self._fetch, name, task)
        return name

    async def _fetch(self, name: str, task: Any) -> None:
        """Take a result as soon as it is there, each by itself: while one waits to be made again,
        others must not stay on a worker that may be killed."""
        try:
            self._ready.put((name, await task))
        except BaseException as error:
            self._ready.put((name, error))

    def _judge(self, result: Any) -> Any:
        """A result, or that it was lost with its workers; else what went wrong is raised."""
        from distributed import KilledWorker

        if not isinstance(result, BaseException):
            return result
        if isinstance(result, SkitterError):
            raise result
        if self._client.status != "running":
            raise self._lose()
        if isinstance(result, KilledWorker | CancelledError | FutureCancelled):
            return Lost(1)  # cancelled: somebody restarted the cluster
        raise self._explain(result)

    def _lose(self) -> SkitterError:
        return SkitterError(f"the scheduler {self.address} is gone; {KEEP_GOING}")

    def _explain(self, error: BaseException) -> SkitterError:
        return UserError(
            f"--scheduler {self.address}: a worker cannot run points: {describe(error)}; valid:"
            f" workers with pip install 'skitter[study]', and room; {KEEP_GOING}"
        )


def describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:300]


def make_plugin(name: str, suffix: str, data: bytes, receive: Any) -> Any:
    """What brings a file to a worker as soon as there is one."""
    from skitter.study.cluster_file import FilePlugin

    return FilePlugin(name, suffix, data, receive)


def import_distributed() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise UserError(
            f"--scheduler needs {error.name}, which is not installed: pip install 'skitter[study]'"
        ) from None
    return distributed
