"""The arrays of a recording on the disk, and the one step that makes a frame exist in all."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from skitter.channel import TIME, Channel, Static
from skitter.record.chunks import Track, Values, write_static
from skitter.record.files import WholeFile, count_allowed_files, make_folder
from skitter.record.metadata import (
    CHUNK_FRAMES,
    ROOT_FILE,
    Document,
    build_array_texts,
    build_root_text,
)

OPEN_FILES_MAX = 4096  # chunk files that stay open at most; arrays beyond reopen theirs each frame


class FrameStore:
    """Chunk files and metadata of all arrays; `safe_count` frames are in them for good."""

    def __init__(
        self, folder: Path, channels: Sequence[Channel], document: Document, safe_count: int
    ) -> None:
        self.folder = folder
        self.safe_count = safe_count
        self._root_text = build_root_text(document)
        self._root_file = WholeFile(folder / ROOT_FILE)
        self._array_texts = build_array_texts(document)
        most = min(OPEN_FILES_MAX, count_allowed_files() // 2)  # others need some as well
        self._tracks = {
            channel.name: Track(folder, channel, keep_open=k < most)
            for k, channel in enumerate([TIME, *channels])
        }
        self._names = self._tracks.keys() - {TIME.name}

    def make(self, statics: Sequence[Static]) -> None:
        """Write a recording of no frames; its `zarr.json`, which makes it one, comes last."""
        for name in self._array_texts:
            make_folder(self.folder / name)
        self.write_array_metadata()
        for static in statics:
            write_static(self.folder, static)
        self.commit(0)

    def pack(self, time: float, values: Mapping[str, Any]) -> list[Values]:
        """All arrays of a frame as bytes, checked before any of it is written."""
        if wrong := values.keys() ^ self._names:
            raise ValueError(f"channels missing from the frame or unknown: {sorted(wrong)}")
        every = {**values, TIME.name: float(time)}
        return [track.pack(every[name]) for name, track in self._tracks.items()]

    def add(self, packed: list[Values]) -> None:
        """Write the next frame into its place in all arrays, then let it exist."""
        frame = self.safe_count
        if frame and frame % CHUNK_FRAMES == 0:
            self.write_array_metadata()
        for track, values in zip(self._tracks.values(), packed, strict=True):
            track.write(frame, values)
        self.commit(frame + 1)

    def holds(self, frame: int, packed: list[Values]) -> bool:
        """Whether the frame is on the disk exactly so."""
        tracks = zip(self._tracks.values(), packed, strict=True)
        return all(track.holds(frame, values) for track, values in tracks)

    def commit(self, frame_count: int) -> None:
        """The moment at which frames begin, or cease, to exist."""
        self._root_file.replace(self._root_text.at(frame_count))
        self.safe_count = frame_count

    def clear_tail(self) -> None:
        """Remove what was written of frames that do not exist."""
        for track in self._tracks.values():
            track.clear_from(self.safe_count)

    def write_array_metadata(self) -> None:
        """The arrays' own `zarr.json`, for readers that open a single array."""
        for name, text in self._array_texts.items():
            WholeFile(self.folder / name / ROOT_FILE).replace(text.at(self.safe_count))

    def list_arrays(self) -> list[str]:
        """Names of all arrays, those that do not change among them."""
        return list(self._array_texts)

    def close(self) -> None:
        """Let go of all open files."""
        for track in self._tracks.values():
            track.close()
