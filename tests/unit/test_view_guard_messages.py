"""What may be said to the studio, and what is dropped before viser sees it."""

import gc
import math
import time
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("viser")

from guarded import CAMERA, Studio, check_answers, mask, open_studio, pack, wait_for
from viser import _messages as viser_messages
from websockets.frames import Frame, Opcode

from skitter.view.guard.messages import ALLOWED, build_decoder, clean_value
from view.hostile import open_client


@pytest.fixture
def studio() -> Iterator[Studio]:
    with open_studio() as made:
        yield made


def test_every_allowed_message_is_one_of_visers() -> None:
    known = {kind.__name__ for kind in viser_messages.Message.get_subclasses()}
    assert set(ALLOWED) <= known
    build_decoder()


def test_good_values_pass(studio: Studio) -> None:
    good = {
        "slider": 1, "whole": 10, "number": 3.5, "switch": True, "choice": "blue", "group": "two",
        "text": "wörm", "colour": [255, 0, 7], "place": [1, 2.5, 0],
    }  # fmt: skip
    with open_client(studio.url) as client:
        client.send(pack(CAMERA))
        for name, value in good.items():
            client.send(studio.update(name, value))
        assert wait_for(lambda: studio.inputs["place"].value == (1.0, 2.5, 0.0))
    found = {name: studio.inputs[name].value for name in good}
    assert found == good | {"colour": (255, 0, 7), "place": (1.0, 2.5, 0.0)}
    assert studio.count("strike") == 0


BAD_VALUES = [
    ("slider", 1.5), ("slider", -0.1), ("slider", math.nan), ("slider", math.inf), ("slider", "1"),
    ("slider", True), ("slider", None), ("slider", [0.5]), ("slider", {}), ("slider", 2**64 - 1),
    ("whole", 3.5), ("whole", 11), ("number", 2.9), ("number", 1e300), ("switch", 1),
    ("switch", "x"), ("choice", "green"), ("choice", 0), ("group", "three"), ("text", "x" * 201),
    ("text", 7), ("text", b"abc"), ("colour", [1, 2]), ("colour", [1, 2, 256]),
    ("colour", [-1, 2, 3]), ("colour", [1, 2, "3"]), ("colour", [0.5, 0, 0]), ("colour", "red"),
    ("place", [0, 0, -1]), ("place", [0, 0, math.nan]), ("place", [[0], 0, 0]), ("off", 0.7),
]  # fmt: skip


def test_bad_values_are_dropped(studio: Studio, capfd: pytest.CaptureFixture[str]) -> None:
    before = {name: handle.value for name, handle in studio.inputs.items()}
    with open_client(studio.url) as client:
        client.send(pack(CAMERA))
        for name, value in BAD_VALUES:
            client.send(studio.update(name, value))
        assert wait_for(lambda: studio.count("strike") + studio.count("dropped") == len(BAD_VALUES))
    assert {name: handle.value for name, handle in studio.inputs.items()} == before
    gc.collect()
    assert capfd.readouterr() == ("", "")


def test_only_the_value_of_an_input_can_be_changed(studio: Studio) -> None:
    uuid = studio.inputs["slider"]._impl.uuid
    with open_client(studio.url) as client:
        client.send(pack(CAMERA))
        for name in ("disabled", "props", "update_cb", "removed", "uuid"):
            updates = {name: True}
            client.send(pack({"type": "GuiUpdateMessage", "uuid": uuid, "updates": updates}))
            updates["value"] = True
            client.send(pack({"type": "GuiUpdateMessage", "uuid": uuid, "updates": updates}))
        assert wait_for(lambda: studio.count("strike") == 10)
    assert not studio.inputs["slider"]._impl.removed


def test_rounding_of_a_slider_is_no_offence() -> None:
    class Slider:
        value, min, max = 0.5, 1 / 3, 1.0

    assert clean_value(Slider(), 0.3333333) == 1 / 3


FORBIDDEN = [
    {"type": "FileTransferStartUpload", "source_component_uuid": "x", "transfer_uuid": "y",
     "filename": "f", "mime_type": "m", "part_count": 1, "size_bytes": 10},
    {"type": "FileTransferPart", "source_component_uuid": "x", "transfer_uuid": "y",
     "part_index": 0, "content": b"0"},
    {"type": "ShareUrlRequest"}, {"type": "GuiFormDirtyMessage", "uuid": "x"},
    {"type": "RunJavascriptMessage", "source": "1"}, {"type": "ResetGuiMessage"},
    {"type": "Message"}, {"type": "__class__"}, {"type": None}, {"type": ["GuiUpdateMessage"]},
    {}, [], None, 1, "GuiUpdateMessage",
    {k: v for k, v in CAMERA.items() if k != "fov"}, CAMERA | {"extra": 1},
    CAMERA | {"fov": math.nan}, CAMERA | {"fov": "1"}, CAMERA | {"position": [0, 0]},
    CAMERA | {"position": [0, 0, math.inf]}, CAMERA | {"wxyz": [0, 0, 0, 0]},
    CAMERA | {"image_height": -1},
    {"type": "ScenePointerMessage", "event_type": "click", "ray_origin": None,
     "ray_direction": None, "screen_pos": [], "modifier": None},
    {"type": "ScenePointerMessage", "event_type": "rect-select", "ray_origin": None,
     "ray_direction": None, "screen_pos": [[0, 0]], "modifier": None},
    {"type": "ScenePointerMessage", "event_type": "hover", "ray_origin": None,
     "ray_direction": None, "screen_pos": [], "modifier": None},
    {"type": "CommandTriggerMessage", "uuid": "x" * 201},
]  # fmt: skip


def test_forbidden_messages_are_strikes(studio: Studio, capfd: pytest.CaptureFixture[str]) -> None:
    with open_client(studio.url) as client:
        for message in FORBIDDEN:
            client.send(pack(message))
        assert wait_for(lambda: studio.count("strike") == len(FORBIDDEN))
    assert studio.count("passed") == 0
    gc.collect()
    assert capfd.readouterr() == ("", "")


def test_second_type_does_not_slip_through(studio: Studio) -> None:
    """A map with two types could be one thing to the check and another to viser."""
    twice = b"\x83" + b"".join(
        pack(part)
        for part in ("type", "CommandTriggerMessage", "uuid", "x", "type", "GuiFormDirtyMessage")
    )
    seen: list[Any] = []
    studio.server._websock_server.register_handler(
        viser_messages.GuiFormDirtyMessage, lambda client, message: seen.append(message)
    )
    with open_client(studio.url) as client:
        client.send(twice)
        client.send(b"\xc1")
        assert wait_for(lambda: studio.count("strike") >= 1)
        time.sleep(0.05)
    assert not seen


def test_garbage_of_every_kind(studio: Studio, capfd: pytest.CaptureFixture[str]) -> None:
    nested = [b"\x91" * 30000, b"\x81" * 30000, b"\x82\xa1z" + b"\x91" * 30000]
    broken = [b"", b"\xc1", b"\xdf\xff\xff\xff\xff", b"\xdb\xff\xff\xff\xff", b"\xc7\xff\x01"]
    with open_client(studio.url) as client:
        for message in [*nested, *broken, "text", "", '{"type": 1}']:
            client.send(message)
        assert wait_for(lambda: studio.count("strike") == len(nested) + len(broken) + 3)
    check_answers(studio)
    gc.collect()
    assert capfd.readouterr() == ("", "")


def test_text_that_is_no_text(studio: Studio) -> None:
    with open_client(studio.url) as client:
        client.socket.sendall(mask(Frame(Opcode.TEXT, b"\xff\xfe")))
        assert wait_for(lambda: studio.count("strike") == 1)
    check_answers(studio)
