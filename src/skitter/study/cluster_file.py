"""A file that travels to the workers of a Dask cluster; apart, as the class needs Dask to be."""

from collections.abc import Callable
from pathlib import Path

from distributed import Worker, WorkerPlugin


class FilePlugin(WorkerPlugin):
    """Writes a file on a worker and tells where it is."""

    def __init__(
        self, name: str, suffix: str, data: bytes, receive: Callable[[str, str], None]
    ) -> None:
        self.file, self.suffix, self.data, self.receive = name, suffix, data, receive

    def setup(self, worker: Worker) -> None:
        path = Path(worker.local_directory) / f"{self.file}{self.suffix}"
        path.write_bytes(self.data)
        self.receive(self.file, str(path))
