"""Writing a recording, frame by frame, so that a killed process loses no finished frame.

`append` writes the frame into every array's chunk file and then replaces the folder's
`zarr.json`, which holds the number of frames: a frame is there for all arrays or for none.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from skitter.channel import Channel, Static, check_channels
from skitter.errors import UserError
from skitter.record.checkpoint import CHECKPOINT_FILE, State, read_checkpoint, write_checkpoint
from skitter.record.chunks import check_chunks
from skitter.record.files import discard_file, unlock_folder
from skitter.record.folder import claim_folder, delete_leftovers, empty_folder, locked_folder
from skitter.record.layout import read_layout
from skitter.record.metadata import build_document
from skitter.record.store import FrameStore


class RecordingWriter:
    """Appends frames to a recording. Made by `create` or `resume`; use it in a `with` block.

    `frame_count` is the number of the next frame to append. After `resume` it may be smaller than
    `safe_count`, the number of frames that are in the recording: frames that come out as they
    were recorded are left as they are. Should one come out differently (another processor, another
    version), it and those behind it are dropped, so that two histories are never mixed, and
    `diverged_at` tells where that happened.
    """

    def __init__(self, store: FrameStore, lock: int | None) -> None:
        self.path = store.folder
        self.frame_count = store.safe_count
        self.diverged_at: int | None = None
        self._store = store
        self._lock = lock
        self._closed = False

    @classmethod
    def create(
        cls,
        path: str | Path,
        channels: Sequence[Channel],
        statics: Sequence[Static],
        attributes: Mapping[str, Any],
        frame_rate: float,
        *,
        overwrite: bool = False,
    ) -> Self:
        """Begin a new recording; an existing one is replaced only with `overwrite`."""
        folder, fixed = Path(path).absolute(), [static.channel for static in statics]
        check_channels(channels, fixed)
        document = build_document(channels, fixed, attributes, frame_rate)
        store = FrameStore(folder, channels, document, 0)
        with _explained(f"cannot make the recording {folder}"):
            claim_folder(folder)
            with locked_folder(folder) as lock:
                empty_folder(folder, overwrite=overwrite, arrays=store.list_arrays())
                store.make(statics)
        return cls(store, lock)

    @classmethod
    def resume(
        cls,
        path: str | Path,
        attributes: Mapping[str, Any] | None = None,
        channels: Sequence[Channel] | None = None,
    ) -> tuple[Self, State | None]:
        """Continue a recording: a writer and the state of its last checkpoint.

        Without a usable checkpoint the state is None and the run starts again at frame 0.
        `attributes` replaces those that changed, such as the length of a run that is extended.
        With `channels`, those that will be written, a recording of others is refused.
        """
        folder = Path(path).absolute()
        found = read_layout(folder).channels
        if channels is not None:
            _check_same(folder, found, channels)
        with (
            _explained(f"cannot continue the recording {folder}"),
            locked_folder(folder) as lock,
        ):
            writer = cls(_reopen(folder, attributes or {}), lock)
            state = writer._rewind()
        return writer, state

    @property
    def safe_count(self) -> int:
        """How many frames are in the recording for good."""
        return self._store.safe_count

    def append(self, time: float, values: Mapping[str, Any]) -> None:
        """Add one frame; when this returns, the frame survives the end of the process."""
        self._require_open()
        frame, packed = self.frame_count, self._store.pack(time, values)
        with self._guarded(f"cannot write frame {frame}"):
            if frame < self.safe_count and not self._store.holds(frame, packed):
                self._drop_from(frame)
            if frame == self.safe_count:
                self._store.add(packed)
        self.frame_count = frame + 1

    def save_checkpoint(self, state: Mapping[str, Any]) -> None:
        """Store the state that belongs to the frame last appended, for `resume`."""
        self._require_open()
        with self._guarded("cannot write the checkpoint"):
            write_checkpoint(self.path, self.frame_count, state)

    def close(self) -> None:
        """Finish the recording: nothing unfinished stays in it, all metadata is up to date."""
        if self._closed:
            return
        with self._guarded("cannot finish the metadata"):
            self._store.commit(self.safe_count)
            self._store.clear_tail()
            self._store.write_array_metadata()
            delete_leftovers(self.path, self._store.list_arrays())
        self._release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close, whatever happened; after a failed write there is nothing left to close."""
        self.close()

    def _rewind(self) -> State | None:
        """Go back to the last checkpoint; one ahead of the frames is of no use."""
        self.frame_count, state = read_checkpoint(self.path) or (0, None)
        if self.frame_count > self.safe_count:
            discard_file(self.path / CHECKPOINT_FILE)
            self.frame_count, state = 0, None
        return state

    def _drop_from(self, frame: int) -> None:
        self.diverged_at = frame
        self._store.commit(frame)
        self._store.clear_tail()

    def _require_open(self) -> None:
        if self._closed:
            raise ValueError(f"the recording {self.path} is closed")

    @contextmanager
    def _guarded(self, what: str) -> Iterator[None]:
        """Turn an OSError (a full disk, say) into one line, and let go of the recording."""
        try:
            yield
        except OSError as error:
            self._release()
            with suppress(OSError):
                delete_leftovers(self.path, self._store.list_arrays())
            raise UserError(
                f"{what} of the recording {self.path}: {error.strerror};"
                f" {describe_rest(self.path, self.safe_count)}"
            ) from error

    def _release(self) -> None:
        """Give back files and lock, and write nothing more."""
        if not self._closed:
            self._closed = True
            self._store.close()
            unlock_folder(self._lock)


def _check_same(folder: Path, found: Sequence[Channel], wanted: Sequence[Channel]) -> None:
    """Frames of other shapes cannot be appended."""
    before, now = ({one.name: (one.shape, one.dtype) for one in some} for some in (found, wanted))
    changed = sorted(
        name for name in before.keys() | now.keys() if before.get(name) != now.get(name)
    )
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        raise UserError(
            f"{folder}: holds another {changed[0]}{more} than this run would write;"
            " valid: another directory, or --overwrite to start again"
        )


def _reopen(folder: Path, attributes: Mapping[str, Any]) -> FrameStore:
    """The arrays of a recording; what a killed run left beside its frames goes with `close`."""
    layout = read_layout(folder)
    check_chunks(folder, layout)
    layout.attributes.update(attributes)
    return FrameStore(folder, layout.channels, layout.document, layout.frame_count)


def describe_rest(folder: Path, count: int) -> str:
    """What is really left of a recording of so many frames that cannot be written any more."""
    if not folder.is_dir():
        lost = f" and its {count} frames with it" if count else ""
        return f"the directory is gone, deleted or moved during the run,{lost}"
    try:
        layout = read_layout(folder)
        check_chunks(folder, layout)
    except UserError as error:
        return f"its {count} frames are lost or damaged: {error}"
    return f"its first {layout.frame_count} frames are safe"


@contextmanager
def _explained(what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(f"{what}: {error.strerror}") from error
