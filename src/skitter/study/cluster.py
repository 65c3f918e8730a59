"""A Dask cluster that works as a crew does: jobs and results travel as messages.

Dask runs a task again when its worker is killed, and gives up after a few; being killed is not the
fault of a task, so it is then asked for anew, many times. An error that a task raises is not tried
again.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
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
        from distributed import as_completed

        waiting, again, losses = iter(jobs), deque[Job](), dict[Any, int]()
        asked: dict[str, tuple[Any, Job]] = {}  # by the name of the task
        ready = as_completed([], loop=self._client.loop)
        while True:
            while len(asked) < WINDOW:
                job = again.popleft() if again else next(waiting, None)
                if job is None:
                    break
                task = self._submit(function, job)
                asked[task.key] = (task, job)
                ready.add(task)
            if not asked:
                return
            future = next(ready)
            _, job = asked.pop(future.key)
            result = self._take(future)
            if isinstance(result, Lost):
                losses[job[0]] = losses.get(job[0], 0) + 1
                if losses[job[0]] < LOSSES_MOST:
                    again.append(job)
                    continue
                result = Lost(losses[job[0]])
            yield job[0], result

    def _submit(self, function: Function, job: Job) -> Any:
        """A name that no task had before: an older one of the same point is another's."""
        return self._client.submit(function, *job[1], key=f"skitter-{uuid4().hex}", pure=False)

    def _take(self, future: Any) -> Any:
        """The result of a task, or that it was lost with its workers."""
        from distributed import CancelledError, KilledWorker
        from distributed.client import FutureCancelledError

        try:
            return future.result()
        except KilledWorker:
            return Lost(1)
        except (CancelledError, FutureCancelledError):
            if self._client.status == "running":
                return Lost(1)  # somebody restarted the cluster
            raise self._lose() from None
        except SkitterError:
            raise
        except (OSError, TimeoutError) as error:
            if self._client.status != "running":
                raise self._lose() from None
            raise self._explain(error) from None
        except Exception as error:
            raise self._explain(error) from None

    def _lose(self) -> SkitterError:
        return SkitterError(f"the scheduler {self.address} is gone; {KEEP_GOING}")

    def _explain(self, error: Exception) -> SkitterError:
        return UserError(
            f"--scheduler {self.address}: a worker cannot run points: {describe(error)}; valid:"
            f" workers with pip install 'skitter[study]', and room; {KEEP_GOING}"
        )


def describe(error: Exception) -> str:
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
