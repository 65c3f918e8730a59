"""WCON files: units, reading with all features of the format, mistakes, and writing."""

import json
import os
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from wcon_rules import check_document, check_file

from skitter.errors import UserError
from skitter.measure.files import measure_source
from skitter.wcon.file import Record, Wcon
from skitter.wcon.read import read_wcon
from skitter.wcon.units import parse_unit
from skitter.wcon.write import write_wcon

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "wcon"
at_hand = pytest.mark.skipif(not DATA.exists(), reason="the files of tracker-commons are elsewhere")
MM = {"t": "s", "x": "mm", "y": "mm"}


@pytest.fixture
def read(tmp_path):
    """Reads a document that is given as a dictionary or as text."""

    def write_and_read(document, name="a.wcon"):
        path = tmp_path / name
        text = document if isinstance(document, str) else json.dumps(document)
        path.write_text(text, encoding="utf-8")
        return read_wcon(path)

    return write_and_read


def one(read, units=MM, **entry):
    """The only worm of a file with one entry."""
    return read({"units": units, "data": [{"id": "1", "t": [0], **entry}]}).worms[0]


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("s", 2, 2), ("min", 2, 120), ("hours", 0.5, 1800), ("d", 1, 86400), ("0.04*s", 25, 1),
        ("7*day", 1, 604800), ("ms", 5, 0.005), ("milliseconds", 5, 0.005), ("sec", 1, 1),
        ("mm", 3, 3), ("m", 3, 3000), ("metres", 1, 1000), ("meter", 1, 1000), ("cm", 1, 10),
        ("um", 1, 1e-3), ("µm", 1, 1e-3), ("μm", 1, 1e-3), ("micron", 1, 1e-3), ("Mm", 1, 1e9),
        ("in", 1, 25.4), ("inches", 2, 50.8), ("in/72", 72, 25.4), ("nanometres", 1, 1e-6),
        ("C", 20, 20), ("F", 212, 100), ("fahrenheit", 32, 0), ("K", 273.15, 0),
        ("kelvin", 300, 26.85),
        ("%", 40, 0.4), ("1", 7, 7), ("", 7, 7), ("m/min", 3, 50), ("1/min", 60, 1),
        ("mm/s^2", 3, 3), ("mm/(s^2)", 3, 3), ("cm^2", 1, 100), ("1/cm", 1, 0.1),
        ("m*s^-1", 1, 1000),
        ("9*F/5", 100, 100), ("km", 1, 1e6), ("Ks", 1, 1000), ("1e-3*m", 2, 2),
    ],
)  # fmt: skip
def test_units(text, value, expected):
    unit = parse_unit(text)
    assert value * unit.scale + unit.offset == pytest.approx(expected, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize(
    ("text", "plain"),
    [("in", "mm"), ("m/min", "mm/s"), ("1/cm", "1/mm"), ("F", "C"), ("%", "1"), ("um^2", "mm^2")],
)
def test_units_that_they_are_taken_to(text, plain):
    assert parse_unit(text).plain == plain
    assert parse_unit(plain).scale == 1


@pytest.mark.parametrize(
    "text", ["msecond", "millis", "mm^", "mm^0.5", "(mm", "mm)", "furlong", "*s", "mm s"]
)
def test_words_that_are_no_units(text):
    with pytest.raises(ValueError, match="no unit"):
        parse_unit(text)


def test_the_example_of_the_format(read):
    """Units within metadata, tags and data are converted, in settings and unknown keys not."""
    found = read(
        {
            "units": {"t": "s", "x": "12*in", "y": "12*in", "e": "min", "q": "%"},
            "metadata": {
                "q": 45,
                "@XJ": {"foo": {"e": 2}, "yes": "I think so"},
                "settings": {"q": 4, "r": 5},
                "mine": {"q": 4},
            },
            "data": [{"id": 1, "t": 0, "x": 1, "y": 2, "e": 1, "@XJ": {"e": 3, "f": {"p": 4}}}],
        }
    )
    assert found.metadata["q"] == pytest.approx(0.45)
    assert found.metadata["@XJ"] == {"foo": {"e": 120}, "yes": "I think so"}
    assert found.metadata["settings"] == {"q": 4, "r": 5}
    assert found.metadata["mine"] == {"q": 4}
    record = found.records[0]
    assert record.custom == {"@XJ": {"e": 180, "f": {"p": 4}}} and record.other == {"e": 60}
    np.testing.assert_allclose(found.worms[0].midline, [[[304.8, 609.6]]])
    assert found.worms[0].id == "1"


def test_a_frame_may_be_given_in_many_ways(read):
    """A number, an array, an array of arrays; with one time and with several; one entry alone."""
    for t, x in ((0, 4), ([0], [4]), ([0], [[4]]), (0, [4])):
        assert one(read, t=t, x=x, y=x).midline.tolist() == [[[4, 4]]]
    for t, x in ((0, [4, 5]), ([0], [[4, 5]]), ([0], [4, 5])):
        assert one(read, t=t, x=x, y=x).midline.tolist() == [[[4, 4], [5, 5]]]
    assert one(read, t=[0, 1], x=[4, 5], y=[6, 7]).midline.tolist() == [[[4, 6]], [[5, 7]]]
    alone = read({"units": MM, "data": {"id": "a", "t": 1, "x": [1, 2], "y": [3, 4]}})
    assert alone.worms[0].midline.tolist() == [[[1, 3], [2, 4]]]
    assert read({"units": MM, "data": []}).worms == []


def test_jagged_lines_and_what_is_not_known(read):
    worm = one(read, t=[0, 1, 2], x=[[1, 2, 3], [], [None, 5]], y=[[1, 2, 3], [], [4, None]])
    nan = np.nan
    expected = [[[1, 1], [2, 2], [3, 3]], [[nan, nan]] * 3, [[nan, 4], [5, nan], [nan, nan]]]
    np.testing.assert_array_equal(worm.midline, expected)
    assert [len(line) for line in worm.list_midlines()] == [3, 0, 0]


def test_origins_are_added(read):
    """Per frame or one for all; centroids and outlines count from them too."""
    units = MM | {"ox": "cm", "oy": "mm", "cx": "mm", "cy": "mm", "px": "mm", "py": "mm"}
    lines = {"t": [0, 1], "x": [[1, 2], [3, 4]], "y": [[0, 0], [0, 0]]}
    worm = one(read, units, **lines, ox=[1, 2], oy=[5, 6], cx=[1.5, 3.5], cy=[0, 0])
    assert worm.midline.tolist() == [[[11, 5], [12, 5]], [[23, 6], [24, 6]]]
    assert worm.centroid.tolist() == [[11.5, 5], [23.5, 6]]
    worm = one(read, units, **lines, ox=1, oy=5, cx=[1.5, 3.5], cy=[0, 0])
    assert worm.midline.tolist() == [[[11, 5], [12, 5]], [[13, 5], [14, 5]]]
    assert one(read, units, **lines, cx=[9, 9], cy=[9, 9]).midline[0].tolist() == [[1, 0], [2, 0]]
    square = {"px": [[4.5, 4.5, 3.5]], "py": [[3.5, 2.5, 2.5]]}
    found = read({"units": units, "data": [{"id": "1", "t": [0], "x": [4], "y": [3], **square}]})
    assert found.records[0].outline.tolist() == [[[4.5, 3.5], [4.5, 2.5], [3.5, 2.5]]]


def test_heads_and_sides(read):
    worm = one(
        read, t=[0, 1, 2], x=[[1, 2]] * 3, y=[[0, 0]] * 3, head=["L", "R", None], ventral="CCW"
    )
    assert worm.head == ("L", "R", "?") and worm.ventral == ("CCW",) * 3
    assert [line[0, 0] for line in worm.list_midlines()] == [1, 2, 1]


@pytest.mark.parametrize(
    ("head", "ventral", "on_left"),
    [
        ("L", "CCW", False),
        ("L", "CW", True),
        ("R", "CW", False),
        ("R", "CCW", True),
        ("L", "?", False),
    ],
)
def test_side_on_which_a_worm_lies(read, head, ventral, on_left):
    """Whichever end comes first: walking round the body clockwise from the right end goes below."""
    assert one(read, x=[[1, 2]], y=[[0, 0]], head=head, ventral=ventral).lies_on_left is on_left


def test_entries_of_one_worm_are_joined(read):
    """In the order of time; what one of two entries leaves out, the other may give."""
    entries = [
        {"id": "1", "t": [3], "x": [[5, 6]], "y": [[7, 8]]},
        {"id": "2", "t": [1], "x": [[0, 1]], "y": [[0, 1]]},
        {"id": "1", "t": [1], "x": [[1, None]], "y": [[1, None]], "ox": [10], "oy": [20]},
        {"id": "1", "t": [1], "x": [[1, 2]], "y": [[1, 2]], "head": "R"},
    ]
    worms = read({"units": MM | {"ox": "mm", "oy": "mm"}, "data": entries}).worms
    assert [worm.id for worm in worms] == ["1", "2"]
    assert worms[0].time.tolist() == [1, 3] and worms[0].head == ("R", "?")
    assert worms[0].midline.tolist() == [[[11, 21], [12, 22]], [[5, 7], [6, 8]]]


def test_what_is_unknown_is_kept(read):
    found = read(
        {
            "units": MM, "files": {"this": "_0", "next": ["_1"]}, "@OMG": 5, "comments": ["hello"],
            "data": [{"id": "1", "t": 0, "x": 1, "y": 2, "walk": {"px": [1, 2]}, "colour": "red"}],
        }
    )  # fmt: skip
    assert found.files == {"this": "_0", "next": ["_1"]}
    assert found.custom == {"@OMG": 5} and found.other == {"comments": ["hello"]}
    assert found.records[0].custom == {"walk": {"px": [1, 2]}}
    assert found.records[0].other == {"colour": "red"}


def test_zipped(read, tmp_path):
    read({"units": MM, "data": [{"id": "z", "t": 0, "x": 1, "y": 2}]}, "inside.wcon")
    with zipfile.ZipFile(tmp_path / "a.wcon.zip", "w") as archive:
        archive.write(tmp_path / "inside.wcon", "inside.wcon")
    assert read_wcon(tmp_path / "a.wcon.zip").worms[0].id == "z"
    with zipfile.ZipFile(tmp_path / "empty.zip", "w"):
        pass
    with pytest.raises(UserError, match="the archive is empty"):
        read_wcon(tmp_path / "empty.zip")
    (tmp_path / "no.zip").write_bytes(b"not a zip")
    with pytest.raises(UserError, match="is a damaged archive"):
        read_wcon(tmp_path / "no.zip")


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_every_damaged_byte_of_a_zip_is_answered(method, tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("a.wcon", json.dumps({"units": MM, "data": []}))
    data = path.read_bytes()
    for at in range(len(data)):
        for flip in (0x01, 0xFF):
            changed = bytearray(data)
            changed[at] ^= flip
            path.write_bytes(changed)
            with suppress(UserError):
                read_wcon(path)


def test_lines_that_would_fill_the_memory_are_refused(read):
    """A frame of many points among many of one: all would be as long as the longest."""
    frames = 30_000
    line = [[0.0]] * (frames - 1) + [[0.0] * frames]
    with pytest.raises(UserError, match="holds 30,000 lines of up to 30,000 points"):
        read({"units": MM, "data": [{"id": 1, "t": list(range(frames)), "x": line, "y": line}]})


@pytest.mark.parametrize(("step", "last"), [(1e-3, 1e6), (1e-9, 1e-7), (1e-9, 1.0)])
def test_times_that_are_too_uneven_are_not_made_even(step, last, tmp_path):
    """A thousand million even steps would be laid between the last two of these times."""
    times = [step * k for k in range(20)] + [last]
    line = [[0.1 * k for k in range(5)]] * len(times)
    entry = {"id": "1", "t": times, "x": line, "y": line}
    (tmp_path / "a.wcon").write_text(json.dumps({"units": MM, "data": [entry]}))
    found = measure_source(tmp_path / "a.wcon")
    assert all(name.startswith("1.") for name in found)


def test_a_pipe_is_no_track(tmp_path):
    os.mkfifo(tmp_path / "a.wcon")
    with pytest.raises(UserError, match="is not a regular file"):
        read_wcon(tmp_path / "a.wcon")


def entry(**more):
    return {"units": MM, "data": [{"id": "1", "t": [0], "x": [[1, 2]], "y": [[3, 4]]} | more]}


TWICE = {"units": MM, "data": [*entry()["data"], *entry(x=[[1, 9]])["data"]]}


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ("{", "is not JSON"),
        ('{"units": {"t": "s", "x": "mm", "y": "mm"}, "data": [NaN]}', "NaN is no number"),
        ('{"units": {}, "units": {}, "data": []}', "'units' is given twice"),
        ("[1]", "it is no JSON object"),
        ({"data": []}, "it lacks 'units'"),
        ({"units": MM}, "it lacks 'data'"),
        ({"units": {"t": "s", "x": "mm"}, "data": []}, "units lack 'y'"),
        ({"units": MM | {"x": "s"}, "data": []}, "the unit of 'x', s, is no length"),
        ({"units": MM | {"t": "mm"}, "data": []}, "the unit of 't', mm, is no time"),
        ({"units": MM | {"x": "ell"}, "data": []}, "the unit of 'x': 'ell' is no unit"),
        ({"units": MM | {"x": 1}, "data": []}, "the unit of 'x' is not a text"),
        ({"units": MM, "data": [{"id": "1", "t": 0, "x": 1}]}, r"data\[0\] lacks 'y'"),
        (entry(x=[[1, 2, 3]]), "frame 0: x has 3 points and y has 2"),
        (entry(t=[0, 1]), r"x has 1 frames, and t has 2"),
        (entry(x=[["a", 2]]), r'data\[0\].x has "a" where a number should be'),
        (entry(t=[True]), "has true where a number should be"),
        (entry(ox=[1]), "has one of 'ox' and 'oy'"),
        (entry(ox=[1], oy=[1]), "units lack 'ox'"),
        (entry(head="left"), "head is \"left\"; valid: L, R, ?"),
        (entry(head=["L", "L"]), "head has 2 values, and t has 1"),
        (entry(id=None), "id is neither text nor number"),
        (TWICE, "worm 1: its line at 0 s"),
        ("[" * 100000, "levels deep"),
    ],
)  # fmt: skip
def test_mistakes_are_told_in_one_line(read, tmp_path, document, words):
    with pytest.raises(UserError, match=words) as caught:
        read(document)
    assert str(tmp_path / "a.wcon") in str(caught.value) and "\n" not in str(caught.value)


def test_files_that_are_not_there(tmp_path):
    for path in (tmp_path / "none.wcon", tmp_path):
        with pytest.raises(UserError, match=str(path)):
            read_wcon(path)


def make_wcon():
    rng = np.random.default_rng(5)
    line = rng.normal(size=(3, 4, 2))
    line[1, 2] = np.nan
    line[2, 3] = np.nan
    nowhere = np.full((3, 2), np.nan)
    many = Record(
        "a", np.array([0, 0.1, 1 / 3]), line, rng.normal(size=(3, 2)), nowhere,
        rng.normal(size=(3, 5, 2)), ("L", "R", "?"), ("CCW",) * 3, {"@it": {"speed": 0.1}},
    )  # fmt: skip
    parts = (many.time, line, nowhere, nowhere, many.outline[:, :0])
    few = Record("b", *(part[:1] for part in parts), ("?",), ("?",))
    return Wcon([many, few], {"speed": "mm/s"}, {"who": "ö"}, {"this": "_0"}, {"@it": [1]})


def test_written_files_keep_the_rules_and_come_back(tmp_path):
    wcon = make_wcon()
    write_wcon(tmp_path / "a.wcon", wcon)
    document = check_file(tmp_path / "a.wcon")
    assert {key: document["units"][key] for key in MM} == MM
    assert "head" not in document["data"][1]
    back = read_wcon(tmp_path / "a.wcon")
    for before, after in zip(wcon.records, back.records, strict=True):
        for name in ("time", "midline", "origin", "centroid", "outline"):
            np.testing.assert_allclose(
                getattr(after, name), getattr(before, name), rtol=0, atol=1e-12, err_msg=name
            )
        assert (after.head, after.ventral, after.custom) == (
            before.head,
            before.ventral,
            before.custom,
        )
    assert (back.metadata, back.files, back.custom) == (wcon.metadata, wcon.files, wcon.custom)
    assert back.units["speed"] == "mm/s"
    write_wcon(tmp_path / "b.wcon", back)
    assert (tmp_path / "a.wcon").read_bytes() == (tmp_path / "b.wcon").read_bytes()


def test_the_judge_sees_mistakes():
    good = entry()
    check_document(good)
    for key in ("units", "data"):
        with pytest.raises(AssertionError):
            check_document({k: v for k, v in good.items() if k != key})
    for more in ({"x": [[1]]}, {"t": [0, 1]}, {"head": "left"}, {"ox": [0]}, {"id": 1}):
        with pytest.raises(AssertionError):
            check_document(entry(**more))


@at_hand
def test_file_of_a_series():
    found = read_wcon(DATA / "maximal_0.wcon")
    assert found.files["next"] == ["maximal_1.wcon", "maximal_2.wcon"]
    (worm,) = found.worms
    assert (worm.id, worm.time.tolist()) == ("3", [1.3])
    assert worm.midline.tolist() == [[[3, 5.4], [4, 3]]]


@at_hand
def test_file_with_a_spine():
    found = read_wcon(DATA / "spine.wcon")
    (worm,) = found.worms
    assert worm.midline[0, 2].tolist() == [2.0, 1.7] and worm.midline.shape == (1, 5, 2)
    np.testing.assert_allclose(np.diff(worm.midline[0], axis=0), [[0.2, 0.3]] * 4)
    assert len(found.other["comments"]) == 2


@at_hand
def test_file_with_everything():
    """x is in mm, y in m; at 1.3 s one entry has an origin and another does not say."""
    found = read_wcon(DATA / "minimax.wcon")
    worms = {worm.id: worm for worm in found.worms}
    assert set(worms) == {"1", "2", "4"} and len(found.records) == 7
    assert worms["1"].time.tolist() == [1.3, 1.4, 1.5, 2.5]
    np.testing.assert_allclose(worms["1"].midline[0, :3], [[5001, 2000]] * 3)
    np.testing.assert_allclose(worms["1"].midline[1, 1], [1216.14, 265230])
    np.testing.assert_allclose(
        worms["1"].midline[2, :3, 0], [np.nan, 5001 + 1216.14, 5001 + 1217.12]
    )
    np.testing.assert_allclose(worms["1"].midline[3, 4], [3423.2, -323200])
    assert worms["1"].head == ("R", "?", "R", "?") and worms["2"].ventral == ("?", "CW")
    np.testing.assert_allclose(worms["2"].midline[0, 2], [117.12, 21135080])
    assert found.metadata["humidity"] == pytest.approx(0.402)
    assert found.metadata["age"] == pytest.approx(18.511 * 3600)
    assert found.metadata["temperature"] == 22 and found.metadata["strain"] == "CB4856"
    assert found.custom == {"@OMG": 5}
    assert found.records[4].custom == {"@OMG": {"speed": [55, 55, 55]}}


@at_hand
def test_file_with_many_worms():
    """24 entries, one of them twice."""
    worms = read_wcon(DATA / "multiworm.wcon").worms
    assert len(worms) == 23
    assert [worm.id for worm in worms[:3]] == ["3111", "3", "444"]
    assert "-11" in [worm.id for worm in worms] and "434234.34234" in [worm.id for worm in worms]
    for worm in worms:
        np.testing.assert_allclose(
            worm.midline, [[[1215.11, 234890], [1216.14, 265230], [1217.12, 235080]]]
        )


@at_hand
@pytest.mark.parametrize("name", ["maximal_0", "minimax", "multiworm", "spine"])
def test_files_come_back(name, tmp_path):
    first = read_wcon(DATA / f"{name}.wcon")
    write_wcon(tmp_path / "a.wcon", first)
    second = read_wcon(tmp_path / "a.wcon")
    for one, other in zip(first.worms, second.worms, strict=True):
        np.testing.assert_allclose(one.midline, other.midline, rtol=0, atol=1e-12)
    assert second.metadata == first.metadata and second.custom == first.custom
