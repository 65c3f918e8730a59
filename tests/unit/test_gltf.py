"""glTF files as strangers write them: bad ones are refused in one line, odd ones survive."""

import base64
import json
import os
import re
import struct

import numpy as np
import pytest

from skitter.errors import UserError
from skitter.export.own.drop import drop_animations
from skitter.gltf.read import Fault, has_bytes, read_accessor, read_beside, read_gltf
from skitter.gltf.write import GltfWriter

POINTS = np.arange(12, dtype=np.float32).reshape(4, 3)
ASSET = {"asset": {"version": "2.0"}}


def pack(document: dict, blob: bytes = b"") -> bytes:
    """A GLB, by hand."""
    text = document if isinstance(document, bytes) else json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    chunks += struct.pack("<I4s", len(blob), b"BIN\0") + blob
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks


def describe(**accessor) -> dict:
    """A document of one accessor over POINTS."""
    usual = {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"}
    return ASSET | {
        "buffers": [{"byteLength": POINTS.nbytes}],
        "bufferViews": [{"buffer": 0, "byteLength": POINTS.nbytes}],
        "accessors": [usual | accessor],
    }


def load(tmp_path, data, name="a.glb"):
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    return read_gltf(path)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "line 1, column 1"),
        (b"glTF\2\0", "cut short"),
        (b"glTF" + struct.pack("<II", 2, 12), "no JSON"),
        (b'{"asset": ', "its JSON cannot be read"),
        (b"\xff\xfe\x00{", "JSON"),
        (b"[" * 200_000, "nested 200,000 levels deep"),
        (b'{"asset":{"version":"2.0"},"extras":' + b"[" * 150 + b"]" * 150 + b"}", "nested"),
        (b'{"asset":{"version":"2.0"},"extras":' + b"9" * 5000 + b"}", "too many digits"),
        (b'{"asset":{"version":"2.0"},"extras":NaN}', "the number NaN"),
        (b'{"asset":{"version":"2.0"},"extras":-1e400}', "the number -1e400"),
        (b"[]", "no asset of version 2"),
        (b'{"asset":{"version":"1.0"}}', "no asset of version 2"),
        (b'{"asset":{"version":"2.0"},"nodes":{}}', "'nodes' is not a list of objects"),
        (b'{"asset":{"version":"2.0"},"nodes":[5]}', "'nodes' is not a list of objects"),
        (b'{"asset":{"version":"2.0"},"buffers":[{}]}', "lacks 'byteLength'"),
        (b'{"asset":{"version":"2.0"},"buffers":[{"byteLength":1.5}]}', "whole number from 0"),
        (b'{"asset":{"version":"2.0"},"buffers":[{"byteLength":4}]}', "a buffer is cut short"),
    ],
)
def test_what_is_no_gltf_is_refused(data, words, tmp_path):
    with pytest.raises(UserError, match=r"is not a glTF 2\.0 file") as caught:
        load(tmp_path, data)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("accessor", "words"),
    [
        ({"count": 10**12}, "beyond its buffer"),
        ({"count": 5}, "beyond its buffer"),
        ({"byteOffset": 4}, "beyond its buffer"),
        ({"count": -5}, "'count' is -5"),
        ({"count": 2.5}, "'count' is 2.5"),
        ({"count": True}, "'count' is true"),
        ({"byteOffset": -4}, "'byteOffset' is -4"),
        ({"bufferView": 1}, "number 1 of its bufferViews, and there are 1"),
        ({"bufferView": -1}, "number -1 of its bufferViews"),
        ({"bufferView": 0.0}, "number 0.0 of its bufferViews"),
        ({"componentType": 1}, "componentType"),
        ({"type": "VEC9"}, "type"),
    ],
)
def test_accessors_that_are_not_there_are_refused(accessor, words, tmp_path):
    document, blob = load(tmp_path, pack(describe(**accessor), POINTS.tobytes()))
    with pytest.raises(Fault, match=re.escape(words)):
        read_accessor(document, blob, 0)


def test_counts_without_bytes_are_bounded(tmp_path):
    document = describe(count=10**12)
    del document["accessors"][0]["bufferView"]
    document, blob = load(tmp_path, pack(document, POINTS.tobytes()))
    with pytest.raises(ValueError, match="has no bytes"):
        read_accessor(document, blob, 0)
    document["accessors"][0]["count"] = 3
    assert (read_accessor(document, blob, 0) == np.zeros((3, 3))).all()


def test_a_stride_leads_over_what_lies_between(tmp_path):
    document = describe(type="SCALAR")
    document["bufferViews"][0]["byteStride"] = 12
    document, blob = load(tmp_path, pack(document, POINTS.tobytes()))
    assert read_accessor(document, blob, 0).tolist() == [0, 3, 6, 9]
    document["bufferViews"][0]["byteStride"] = -12
    with pytest.raises(ValueError, match="byteStride"):
        read_accessor(document, blob, 0)


@pytest.mark.parametrize(
    "uri",
    [
        "/etc/hostname",
        "../out.bin",
        "sub/../../out.bin",
        "%2e%2e/out.bin",
        "http://x/y.bin",
        "file:///etc/hostname",
        "link.bin",
        "sub",
        "pipe.bin",
        "none.bin",
        "a%00b",
        "",
        5,
        "data:nocomma",
        "data:text/plain,abc",
    ],
)
def test_only_regular_files_beside_a_document_are_read(uri, tmp_path):
    folder = tmp_path / "rig"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "out.bin").write_bytes(bytes(100))
    (folder / "link.bin").symlink_to(tmp_path / "out.bin")
    os.mkfifo(folder / "pipe.bin")
    with pytest.raises(UserError, match=r"uri|only files beside it are read"):
        load(folder, ASSET | {"buffers": [{"uri": uri, "byteLength": 4}]}, "a.gltf")


def test_buffers_of_all_kinds_become_one(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a b.bin").write_bytes(b"beside and longer")
    inline = "data:application/octet-stream;base64," + base64.b64encode(b"inline").decode()
    document = ASSET | {
        "buffers": [
            {"uri": "sub/x/../a%20b.bin", "byteLength": 6},
            {"uri": inline, "byteLength": 6},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 6},
            {"buffer": 1, "byteOffset": 2, "byteLength": 4},
        ],
    }
    document, blob = load(tmp_path, document, "a.gltf")
    assert blob == b"beside\0\0inline\0\0"
    assert [view["byteOffset"] for view in document["bufferViews"]] == [0, 10]
    assert read_beside(tmp_path, "sub/a%20b.bin", 3) == b"bes"


def test_a_pipe_is_no_document(tmp_path):
    os.mkfifo(tmp_path / "a.glb")
    with pytest.raises(UserError, match="is not a regular file"):
        read_gltf(tmp_path / "a.glb")


def test_compressed_views_survive(tmp_path):
    """As gltfpack writes them: a buffer without bytes stands in for what is packed elsewhere."""
    name = "EXT_meshopt_compression"
    packed = {"buffer": 2, "byteOffset": 4, "byteLength": 8, "count": 4, "byteStride": 12}
    data = {
        n: "data:;base64," + base64.b64encode(n.encode()).decode()
        for n in ("first", "xxxxpackedit")
    }
    document = describe() | {
        "extensionsUsed": [name],
        "extensionsRequired": [name],
        "buffers": [
            {"uri": data["first"], "byteLength": 5},
            {"byteLength": 48, "extensions": {name: {"fallback": True}}},
            {"uri": data["xxxxpackedit"], "byteLength": 12},
        ],
        "bufferViews": [{"buffer": 1, "byteLength": 48, "extensions": {name: packed}}],
    }
    document, blob = load(tmp_path, document, "a.gltf")
    assert not has_bytes(document, 0)
    with (tmp_path / "b.glb").open("wb") as file:
        GltfWriter(document, blob).write(file)
    again, blob = read_gltf(tmp_path / "b.glb")
    view = again["bufferViews"][0]
    place = view["extensions"][name]
    assert blob[place["byteOffset"] :][: place["byteLength"]] == b"packedit"
    assert place["buffer"] == 0
    assert view["buffer"] == 1
    assert again["buffers"][1] == {"byteLength": 48, "extensions": {name: {"fallback": True}}}


def test_animations_take_their_bytes_along():
    writer = GltfWriter()
    mesh = writer.add_array(POINTS)
    writer.add("meshes", {"primitives": [{"attributes": {"POSITION": mesh}}]})
    times, values = writer.add_array(POINTS[:, 0].copy()), writer.add_array(POINTS)
    sampler = {"input": times, "output": values}
    writer.add("animations", {"samplers": [sampler], "channels": []})
    blob = POINTS.tobytes() + POINTS[:, 0].tobytes() + POINTS.tobytes()
    assert drop_animations(writer.document, blob) == POINTS.tobytes()
    assert len(writer.document["accessors"]) == len(writer.document["bufferViews"]) == 1
    assert "animations" not in writer.document


def test_numbers_that_others_may_name_stay():
    """Of two accessors of an animation the last is named by an extension, so both stay."""
    writer = GltfWriter()
    times, values = writer.add_array(POINTS[:, 0].copy()), writer.add_array(POINTS)
    sampler = {"input": times, "output": values}
    writer.add("animations", {"samplers": [sampler], "channels": []})
    writer.add("nodes", {"extensions": {"ANY": {"attributes": {"TRANSLATION": values}}}})
    blob = POINTS[:, 0].tobytes() + POINTS.tobytes()
    assert drop_animations(writer.document, blob) == blob
    assert len(writer.document["accessors"]) == 2
