"""Recordings: what a run leaves on the disk, written frame by frame and read lazily.

The format is described in docs/recordings.md, the reasons for it in
docs/decisions/001-recordings-raw-zarr.md.
"""

from skitter.channel import Channel, Static
from skitter.record.frames import FrameArray
from skitter.record.recording import Recording
from skitter.record.writer import RecordingWriter

__all__ = ["Channel", "FrameArray", "Recording", "RecordingWriter", "Static"]
