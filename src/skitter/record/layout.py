"""Reading a recording's `zarr.json`: what is in it, or in one line why it cannot be used."""

from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Any

from skitter.channel import DTYPES, TIME, Channel, check_channels
from skitter.disk import BadFile, read_json
from skitter.errors import UserError
from skitter.record.attributes import check_attributes
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
FILE_LIMIT = 1 << 26  # bytes of zarr.json
FRAME_LIMIT = 1 << 40  # frames


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
    document = _read_document(folder / ROOT_FILE, folder)
    attributes = document.get("attributes", {})
    facts = attributes.get("skitter") if isinstance(attributes, dict) else None
    if not isinstance(facts, dict) or "format" not in facts:
        raise UserError(f"{folder} holds Zarr data, but it is not a Skitter recording")
    if facts["format"] != FORMAT:
        raise UserError(
            f"{folder} is a recording of format {str(facts['format'])[:20]}, "
            f"and this version of Skitter reads format {FORMAT}: upgrade Skitter to open it"
        )
    try:
        layout = _parse_layout(document, facts)
        check_attributes(facts)
        return layout
    except KeyError as error:
        raise _DamagedError(folder, f"{error} is missing") from error
    except ValueError as error:
        raise _DamagedError(folder, error) from error
    except (TypeError, IndexError, AttributeError, OverflowError) as error:
        raise _DamagedError(folder, "a part of it is not as the format has it") from error


def read_draft(path: Path) -> Layout | None:
    """The arrays that a `zarr.json` names which is no longer, or not yet, that of a recording."""
    try:
        document = _read_document(path, path.parent)
        return _parse_layout(document, document["attributes"]["skitter"])
    except (UserError, KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
        return None


def _read_document(path: Path, folder: Path) -> Document:
    try:
        if not path.exists() and not path.is_symlink():
            raise UserError(f"{folder} is not a recording: {_why_not(folder)}")
        document = read_json(path, FILE_LIMIT, links=False)
    except OSError as error:
        raise UserError(f"cannot read the recording {folder}: {error.strerror}") from error
    except BadFile as error:
        raise _DamagedError(folder, error) from error
    except ValueError as error:
        raise UserError(f"{folder} is not a recording: {error}") from error
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
    frame_count = _take_sizes("time", arrays["time"], "shape")[0]
    moving = {n: a for n, a in arrays.items() if is_moving(a)}
    channels = [_parse_moving(name, array, frame_count) for name, array in moving.items()]
    statics = [_parse_static(name, arrays[name]) for name in arrays if name not in moving]
    times = [one for one in channels if one.name == TIME.name]
    if [(one.shape, one.dtype) for one in times] != [(TIME.shape, TIME.dtype)]:
        raise ValueError(f"time is not stored as format {FORMAT} prescribes")
    channels.remove(times[0])
    check_channels(channels, statics)
    return Layout(channels, statics, facts, frame_count, document)


def _parse_moving(name: str, array: Document, frame_count: int) -> Channel:
    if array["shape"][0] != frame_count:
        raise ValueError(f"{name} has {array['shape'][0]} frames and time has {frame_count}")
    channel = _parse_channel(name, array, 1)
    return _checked(channel, array, describe_moving(channel))


def _parse_static(name: str, array: Document) -> Channel:
    channel = _parse_channel(name, array, 0)
    return _checked(channel, array, describe_static(channel))


def _parse_channel(name: str, array: Document, first: int) -> Channel:
    """An array without its first dimensions, which are those of time."""
    dims, shape = array["dimension_names"], _take_sizes(name, array, "shape")
    if not isinstance(dims, list) or not all(isinstance(dim, str) for dim in dims):
        raise ValueError(f"{name}: dimension_names must be a list of texts")
    kind, texts = array["data_type"], [array["attributes"][key] for key in ("units", "long_name")]
    if not isinstance(kind, str) or kind not in DTYPES:
        raise ValueError(f"{name}: data_type is not one of {', '.join(DTYPES)}")
    if not all(isinstance(text, str) for text in texts):
        raise ValueError(f"{name}: units and long_name must be texts")
    return Channel(name, tuple(dims[first:]), tuple(shape[first:]), kind, *texts)


def _take_sizes(name: str, array: Document, key: str) -> list[int]:
    """A list of whole numbers that no disk is too small for."""
    sizes: Any = array[key]
    if not isinstance(sizes, list) or not all(_is_size(size) for size in sizes):
        raise ValueError(f"{name}: {key} must be a list of whole numbers, from 0 on")
    return sizes


def _is_size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= FRAME_LIMIT


def _checked(channel: Channel, array: Document, expected: Document) -> Channel:
    """The reader takes chunk files as they are, so an array stored otherwise must not pass."""
    for key in ("chunk_grid", "chunk_key_encoding", "codecs"):
        if array[key] != expected[key]:
            raise ValueError(f"{channel.name} is not stored as format {FORMAT} prescribes")
    return channel
