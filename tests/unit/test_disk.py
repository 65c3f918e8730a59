"""What comes from a disk is looked at before it is read: kinds of file, sizes, nesting."""

import io
import json
import os
import zipfile
from contextlib import suppress

import numpy as np
import pytest

from skitter.disk import (
    BadFile,
    open_regular,
    parse_json,
    parse_numbers,
    read_json,
    read_members,
    read_npy,
    read_npz,
    read_regular,
    scan_json,
)


def refuse(call, *arguments, **options) -> str:
    with pytest.raises(BadFile) as caught:
        call(*arguments, **options)
    return str(caught.value)


def pack(array) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def test_a_regular_file_is_read_up_to_its_limit(tmp_path):
    file = tmp_path / "a"
    file.write_bytes(b"12345")
    assert read_regular(file, 5) == b"12345"
    assert refuse(read_regular, file, 4) == "is too large (5 bytes); valid: at most 4"


def test_what_is_no_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "link")
    assert "not a regular file" in refuse(open_regular, tmp_path / "pipe", 9)
    assert "not a regular file" in refuse(open_regular, "/dev/zero", 9)
    assert "is a directory" in refuse(open_regular, tmp_path, 9)
    assert "no such file" in refuse(open_regular, tmp_path / "none", 9)
    assert "link" in refuse(open_regular, tmp_path / "link", 9)
    assert "cannot be read" in refuse(open_regular, "a\0b", 9)


def test_links_are_followed_only_where_they_may(tmp_path):
    (tmp_path / "a").write_bytes(b"1")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert read_regular(tmp_path / "link", 9) == b"1"
    assert "is a link" in refuse(read_regular, tmp_path / "link", 9, links=False)


def test_json_is_measured_before_it_is_built():
    counts, depth = scan_json(b'{"a\\\\": [1, "]\\"["], "b\\"{[[": 2}')
    assert depth == 2
    assert (counts[ord("[")], counts[ord("{")], counts[ord(":")]) == (1, 1, 2)
    assert "200,000 levels" in refuse(parse_json, b"[" * 200_000)
    assert "MB of memory" in refuse(parse_json, b"[]," * 10_000_000)


@pytest.mark.parametrize("depth", [1, 99, 100])
def test_json_may_be_as_deep_as_it_may(depth):
    assert json.dumps(parse_json(b"[" * depth + b"]" * depth)) == "[" * depth + "]" * depth
    assert "levels" in refuse(parse_json, b"[" * 101 + b"]" * 101)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is not JSON (line 1, column 1"),
        (b'{"a": ', "is not JSON (line 1, column 7"),
        (b"\xff", "is not UTF-8 text (byte 0)"),
        (b"[NaN]", "NaN"),
        (b"[" + b"9" * 5000 + b"]", "too many digits"),
        (b'["\\', "is not JSON"),
    ],
)
def test_what_is_no_json_is_refused(data, words, tmp_path):
    (tmp_path / "a.json").write_bytes(data)
    assert words in refuse(read_json, tmp_path / "a.json", 10_000)


def test_arrays_come_back_as_they_were_saved():
    for array in (np.arange(6.0).reshape(2, 3), np.arange(6).reshape(3, 2).T, np.float32(3)):
        found = read_npy(pack(array), 1000)
        assert np.array_equal(found, array) and found.dtype == np.asarray(array).dtype


def test_an_array_may_not_ask_for_more_than_there_is():
    data, huge = pack(np.zeros((2, 3))), io.BytesIO()
    head = {"descr": "<f8", "fortran_order": False, "shape": (10**9, 3)}
    np.lib.format.write_array_header_1_0(huge, head)
    assert "says 24,000,000,000 bytes" in refuse(read_npy, huge.getvalue(), 1 << 20)
    assert "is cut short" in refuse(read_npy, data[:-1], 1000)
    assert "not understood" in refuse(read_npy, b"PK\3\4 and so on", 1000)
    assert "Python objects" in refuse(read_npy, data.replace(b"'<f8'", b"'|O' "), 1000)


def test_every_flipped_bit_of_a_head_is_answered():
    """The head of an .npy file is Python text, which fails in a hundred ways."""
    data = pack(np.zeros((2, 3)))
    for at in range(80):
        for bit in range(8):
            changed = bytearray(data)
            changed[at] ^= 1 << bit
            with suppress(BadFile):
                read_npy(bytes(changed), 1000)


def test_an_archive_is_unpacked_up_to_its_limit():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb", bytes(10_000_000))
    assert "more than may be unpacked" in refuse(read_members, file.getvalue(), 999, list)
    assert "damaged archive" in refuse(read_members, b"no archive", 999, list)


def test_every_flipped_byte_of_an_archive_is_answered():
    file = io.BytesIO()
    np.savez_compressed(file, a=np.arange(5))
    assert np.array_equal(read_npz(file.getvalue(), 1000)["a"], np.arange(5))
    data = file.getvalue()
    for at in range(len(data)):
        changed = bytearray(data)
        changed[at] ^= 0x55
        with suppress(BadFile):
            read_npz(bytes(changed), 1000)


def test_numbers_of_a_text():
    assert parse_numbers(b" 1 -2.5e3\t.5\n").tolist() == [1, -2500, 0.5]
    assert len(parse_numbers(b" \n")) == 0
    assert "word" in refuse(parse_numbers, b"1 2 three")
