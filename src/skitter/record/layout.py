"""Reading a recording's `zarr.json`: what is in it, or in one line why it cannot be used."""

import json
from dataclasses import dataclass
from pathlib import Path
from time import sleep

from skitter.channel import Channel
from skitter.errors import UserError
from skitter.record.files import temporary_path
from skitter.record.metadata import (
    FORMAT,
    ROOT_FILE,
    Document,
    describe_moving,
    describe_static,
    is_moving,
)

READ_ATTEMPTS = 5
READ_PAUSE = 0.002  # seconds


@dataclass(frozen=True)
class Layout:
    """What `zarr.json` says: the arrays, the attributes and how many frames are finished."""

    channels: list[Channel]
    statics: list[Channel]
    attributes: Document
    frame_count: int
    document: Document


def read_layout(folder: Path) -> Layout:
    """Read and check `zarr.json`; anything but a sound recording is a UserError.

    While a run writes, a slow reader may find the file halfway to the next frame; the whole one
    is there a moment later, so damage is believed only when it stays.
    """
    for _ in range(READ_ATTEMPTS - 1):
        try:
            return _read_once(folder)
        except _DamagedError:
            sleep(READ_PAUSE)
    return _read_once(folder)


class _DamagedError(UserError):
    def __init__(self, folder: Path, what: object) -> None:
        super().__init__(f"the recording {folder} is damaged: {ROOT_FILE}: {what}")


def _read_once(folder: Path) -> Layout:
    document = _read_document(folder)
    facts = document.get("attributes", {}).get("skitter")
    if not isinstance(facts, dict) or "format" not in facts:
        raise UserError(f"{folder} holds Zarr data, but it is not a Skitter recording")
    if facts["format"] != FORMAT:
        raise UserError(
            f"{folder} is a recording of format {facts['format']}, "
            f"and this version of Skitter reads format {FORMAT}: upgrade Skitter to open it"
        )
    try:
        return _parse_layout(document, facts)
    except KeyError as error:
        raise _DamagedError(folder, f"{error} is missing") from error
    except (TypeError, ValueError, IndexError, AttributeError) as error:
        raise _DamagedError(folder, error) from error


def _read_document(folder: Path) -> Document:
    path = folder / ROOT_FILE
    try:
        document = json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise UserError(f"{folder} is not a recording: {_why_not(folder)}") from None
    except OSError as error:
        raise UserError(f"cannot read the recording {folder}: {error.strerror}") from error
    except ValueError as error:
        raise _DamagedError(folder, error) from error
    if not isinstance(document, dict):
        raise _DamagedError(folder, "a JSON object was expected")
    return document


def _why_not(folder: Path) -> str:
    if not folder.exists():
        return "there is nothing at that path"
    if not folder.is_dir():
        return "a recording is a directory"
    if temporary_path(folder / ROOT_FILE).exists():
        return "a run was stopped there before its first frame; start it again"
    return f"it has no {ROOT_FILE}"


def _parse_layout(document: Document, facts: Document) -> Layout:
    arrays = dict(document["consolidated_metadata"]["metadata"])
    frame_count = arrays.pop("time")["shape"][0]
    if not isinstance(frame_count, int) or frame_count < 0:
        raise ValueError(f"a number of frames was expected, not {frame_count!r}")
    moving = {n: a for n, a in arrays.items() if is_moving(a)}
    channels = [_parse_moving(name, array, frame_count) for name, array in moving.items()]
    statics = [_parse_static(name, arrays[name]) for name in arrays if name not in moving]
    return Layout(channels, statics, facts, frame_count, document)


def _parse_moving(name: str, array: Document, frame_count: int) -> Channel:
    if array["shape"][0] != frame_count:
        raise ValueError(f"{name} has {array['shape'][0]} frames and time has {frame_count}")
    channel = _parse_channel(name, array, array["dimension_names"][1:], array["shape"][1:])
    return _checked(channel, array, describe_moving(channel))


def _parse_static(name: str, array: Document) -> Channel:
    channel = _parse_channel(name, array, array["dimension_names"], array["shape"])
    return _checked(channel, array, describe_static(channel))


def _parse_channel(name: str, array: Document, dims: list[str], shape: list[int]) -> Channel:
    texts = array["attributes"]
    return Channel(
        name, tuple(dims), tuple(shape), array["data_type"], texts["units"], texts["long_name"]
    )


def _checked(channel: Channel, array: Document, expected: Document) -> Channel:
    """The reader takes chunk files as they are, so an array stored otherwise must not pass."""
    for key in ("chunk_grid", "chunk_key_encoding", "codecs"):
        if array[key] != expected[key]:
            raise ValueError(f"{channel.name} is not stored as format {FORMAT} prescribes")
    return channel
