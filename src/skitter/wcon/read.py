"""Reading WCON, of which nothing is believed: a mistake ends in one line that says where it is."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from skitter.disk import BadFile, parse_json, read_members, read_regular
from skitter.errors import UserError
from skitter.wcon.file import Floats, Record, Wcon, stack
from skitter.wcon.units import Unit, parse_unit

MOST_BYTES = 1 << 28  # of a file, unpacked
KNOWN = ("units", "data", "metadata", "files")
OF_DATA = ("id", "t", "x", "y", "ox", "oy", "cx", "cy", "px", "py", "head", "ventral")
OBJECTS = ("lab", "arena", "software", "interpolate")  # of the metadata
UNTOUCHED = "settings"  # in which nothing is converted
PLACES = ("x", "y", "ox", "oy", "cx", "cy", "px", "py")
HEADS, SIDES = ("L", "R", "?"), ("CW", "CCW", "?")


class Fault(ValueError):
    """What is wrong with a file, in words for its author."""


def read_wcon(path: str | Path) -> Wcon:
    """The file, which may be a .zip with one inside, in s and mm."""
    path = Path(path)
    try:
        wcon = parse_wcon(read_data(path))
        _ = wcon.worms
    except Fault as error:
        raise UserError(f"{path}: is not a WCON file ({error})") from error
    except (BadFile, UserError) as error:
        raise UserError(f"{path}: {error}") from error
    except (ValueError, OverflowError, MemoryError) as error:
        problem = "a number in it is too large, or there are too many"
        raise UserError(f"{path}: is not a WCON file ({problem})") from error
    return wcon


def read_data(path: Path) -> bytes:
    """The bytes of a file, or of the first WCON file in a .zip."""
    data = read_regular(path, MOST_BYTES, valid="a WCON file, or a .zip of one")
    if path.suffix.lower() != ".zip":
        return data
    members = read_members(data, MOST_BYTES, choose_member)
    if not members:
        raise Fault("the archive is empty")
    return next(iter(members.values()))


def choose_member(names: list[str]) -> list[str]:
    names = sorted(names)
    return ([name for name in names if name.lower().endswith((".wcon", ".json"))] or names)[:1]


def parse_wcon(data: bytes) -> Wcon:
    """A document; ValueError where it is not one."""
    document = parse_json(data, object_pairs_hook=check_keys)
    if not isinstance(document, dict):
        raise Fault("it is no JSON object")
    for key in ("units", "data"):
        if key not in document:
            raise Fault(f"it lacks '{key}'")
    units = read_units(document["units"])
    entries = document["data"] if isinstance(document["data"], list) else [document["data"]]
    records = [read_record(entry, units, f"data[{k}]") for k, entry in enumerate(entries)]
    metadata = convert(expect(document.get("metadata", {}), dict, "metadata"), units)
    tags = {key: value for key, value in document.items() if key.startswith("@")}
    other = {key: value for key, value in document.items() if key not in KNOWN and key not in tags}
    return Wcon(
        records=records,
        units={key: unit.plain for key, unit in units.items() if key not in ("t", "x", "y")},
        metadata=metadata,
        files=expect(document.get("files", {}), dict, "files"),
        custom=convert(tags, units),
        other=other,
    )


def check_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, whose keys must be there once."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise Fault(f"'{twice[:40]}' is given twice in one object")
    return found


def expect(value: Any, kind: type, where: str) -> Any:
    if not isinstance(value, kind):
        raise Fault(f"{where} is not {'an object' if kind is dict else 'a text'}")
    return value


def show(value: Any) -> str:
    """A value as it stands in the file, cut where it is long."""
    short = value[:40] if isinstance(value, str | list) else value
    return "an object" if isinstance(value, dict) else json.dumps(short)[:40]


def read_units(given: Any) -> dict[str, Unit]:
    """Of each quantity; times must be times and places lengths."""
    units = {}
    for name, text in expect(given, dict, "units").items():
        try:
            units[name] = parse_unit(expect(text, str, f"the unit of '{name}'"))
        except Fault:
            raise
        except ValueError as error:
            raise Fault(f"the unit of '{name}': {error}") from error
    for name in ("t", "x", "y"):
        if name not in units:
            raise Fault(f"units lack '{name}'")
    for name, unit in units.items():
        powers = (unit.time, unit.length, unit.warmth)
        if name == "t" and powers != (1, 0, 0):
            raise Fault(f"the unit of 't', {given['t']}, is no time; valid: such as s")
        if name in PLACES and powers != (0, 1, 0):
            raise Fault(f"the unit of '{name}', {given[name]}, is no length; valid: such as mm")
    return units


def read_record(entry: Any, units: dict[str, Unit], where: str) -> Record:
    """One entry of the data."""
    expect(entry, dict, where)
    for key in ("id", "t", "x", "y"):
        if key not in entry:
            raise Fault(f"{where} lacks '{key}'")
    for pair in (("ox", "oy"), ("cx", "cy"), ("px", "py")):
        if (pair[0] in entry) != (pair[1] in entry):
            raise Fault(f"{where} has one of '{pair[0]}' and '{pair[1]}'; valid: both")
    for key in PLACES:
        if key in entry and key not in units:
            raise Fault(f"units lack '{key}', which {where} has")
    id = entry["id"]
    if isinstance(id, bool) or not isinstance(id, str | int | float):
        raise Fault(f"{where}.id is neither text nor number")
    times = entry["t"] if isinstance(entry["t"], list) else [entry["t"]]
    single = not isinstance(entry["t"], list)
    time = read_numbers(times, units["t"], f"{where}.t")
    count = len(time)
    tags = {key: value for key, value in entry.items() if key.startswith("@") or key == "walk"}
    rest = {key: v for key, v in entry.items() if key not in OF_DATA and key not in tags}
    return Record(
        id=id,
        time=time,
        midline=read_lines(entry, ("x", "y"), units, count, single, where),
        origin=read_points(entry, ("ox", "oy"), units, count, where),
        centroid=read_points(entry, ("cx", "cy"), units, count, where),
        outline=read_lines(entry, ("px", "py"), units, count, single, where),
        head=read_words(entry.get("head"), HEADS, count, f"{where}.head"),
        ventral=read_words(entry.get("ventral"), SIDES, count, f"{where}.ventral"),
        custom=convert(tags, units),
        other=convert(rest, units),
    )


def read_numbers(values: list[Any], unit: Unit, where: str) -> Floats:
    """Numbers in s or mm; null is nan."""
    for value in values:
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise Fault(f"{where} has {show(value)} where a number should be")
    numbers = np.array([np.nan if value is None else value for value in values], float)
    numbers[~np.isfinite(numbers)] = np.nan  # larger than any number
    return np.asarray(numbers * unit.scale + unit.offset)


def read_lines(
    entry: dict[str, Any],
    names: tuple[str, str],
    units: dict[str, Unit],
    count: int,
    single: bool,
    where: str,
) -> Floats:
    """Points of each frame [frame, point, xy], of a value for each time, or for the only one."""
    if names[0] not in entry:
        return np.full((count, 0, 2), np.nan)
    columns = []
    for name in names:
        value = entry[name]
        frames = split_frames(value, count, single)
        if len(frames) != count:
            raise Fault(f"{where}.{name} has {len(frames)} frames, and t has {count}")
        columns.append(
            [
                read_numbers(
                    one if isinstance(one, list) else [one], units[name], f"{where}.{name}"
                )
                for one in frames
            ]
        )
    for k, (x, y) in enumerate(zip(*columns, strict=True)):
        if len(x) != len(y):
            at = f"{where}, frame {k}"
            raise Fault(f"{at}: {names[0]} has {len(x)} points and {names[1]} has {len(y)}")
    return stack([np.stack(pair, axis=1) for pair in zip(*columns, strict=True)])


def split_frames(value: Any, count: int, single: bool) -> list[Any]:
    """The values of each time: a number or an array. One time needs no array of its own."""
    if not isinstance(value, list):
        return [value]
    nested = any(isinstance(one, list) for one in value)
    if single and not nested:
        return [value]
    return [value] if count == 1 and not nested and len(value) != 1 else value


def read_points(
    entry: dict[str, Any], names: tuple[str, str], units: dict[str, Unit], count: int, where: str
) -> Floats:
    """One point for each frame [frame, xy]; one that is given alone holds for all."""
    if names[0] not in entry:
        return np.full((count, 2), np.nan)
    columns = []
    for name in names:
        value = entry[name]
        given = value if isinstance(value, list) else [value] * count
        numbers = read_numbers(given, units[name], f"{where}.{name}")
        if len(numbers) != count:
            raise Fault(f"{where}.{name} has {len(numbers)} values, and t has {count}")
        columns.append(numbers)
    return np.stack(columns, axis=1)


def read_words(value: Any, valid: tuple[str, ...], count: int, where: str) -> tuple[str, ...]:
    """One word for each frame; one that is given alone holds for all, null is ?."""
    words = value if isinstance(value, list) else [value] * count
    told = tuple("?" if word is None else word for word in words)
    if len(told) != count:
        raise Fault(f"{where} has {len(told)} values, and t has {count}")
    for word in told:
        if word not in valid:
            raise Fault(f"{where} is {show(word)}; valid: {', '.join(valid)}")
    return told


def convert(tree: Any, units: dict[str, Unit], deep: bool = False) -> Any:
    """A tree with the numbers of known quantities in s and mm: those at its top, in objects that
    the format knows and anywhere in tags with @, but nothing in `settings` or below other keys."""
    if isinstance(tree, list):
        return [convert(one, units, deep) for one in tree]
    if not isinstance(tree, dict):
        return tree
    found = {}
    for key, value in tree.items():
        if key in units and key != UNTOUCHED:
            found[key] = scale(value, units[key])
        elif key != UNTOUCHED and (deep or key.startswith("@") or key in OBJECTS):
            found[key] = convert(value, units, deep or key.startswith("@"))
        else:
            found[key] = value
    return found


def scale(value: Any, unit: Unit) -> Any:
    """Numbers of a value, in arrays too."""
    if isinstance(value, list):
        return [scale(one, unit) for one in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return value * unit.scale + unit.offset
