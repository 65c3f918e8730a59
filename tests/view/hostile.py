"""A client that means harm: everything that should never arrive, sent as fast as it goes."""

import contextlib
import math
import random
import struct
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import msgspec
import viser
import zstandard
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection, connect

from view.watcher import CAMERA

PROTOCOL = f"viser-v{viser.__version__}"
EAGER = 0.001  # s between two messages of a flood
ODD_VALUES = (
    None, True, -1, 2**63, 1e300, math.nan, math.inf, -math.inf, "", "x" * 5000, "\0",
    b"\xff" * 300, [], [math.nan] * 3, [[[]]], {}, {"value": 1}, "../../etc/passwd",
)  # fmt: skip
KINDS = (
    "ViewerCameraMessage", "GuiUpdateMessage", "GuiButtonHoldMessage", "CommandTriggerMessage",
    "ScenePointerMessage", "SceneNodeClickMessage", "SceneNodeDragMessage",
    "TransformControlsUpdateMessage", "GetRenderResponseMessage", "FileTransferStartUpload",
    "FileTransferPart", "ShareUrlRequest", "GuiFormDirtyMessage", "RunJavascriptMessage",
    "ResetGuiMessage", "NoSuchMessage", "", "__init__",
)  # fmt: skip
FIELDS = (
    "uuid", "updates", "wxyz", "position", "fov", "name", "owner", "phase", "payload",
    "event_type", "screen_pos", "ray_origin", "ray_direction", "modifier", "frequency", "__class__",
)  # fmt: skip


def send_garbage(url: str, count: int, seed: int) -> int:
    """Send so many malformed messages to the studio at `url`, coming back whenever thrown out.

    Returns how many were sent. Gives up when nobody has answered for ten seconds.
    """
    chance = random.Random(seed)
    sent, patience = 0, time.monotonic() + 10.0
    while sent < count and time.monotonic() < patience:
        try:
            with open_client(url) as client:
                patience = time.monotonic() + 10.0
                uuids = read_uuids(client)
                while sent < count:
                    client.send(make_garbage(chance, uuids))
                    sent += 1
        except (ConnectionClosed, InvalidHandshake, OSError):
            time.sleep(0.02)
    return sent


def flood_sliders(url: str, seconds: float, seed: int) -> int:
    """Move all sliders of the page a little, as fast as it goes; returns how many times."""
    chance = random.Random(seed)
    with open_client(url) as client:
        client.send(msgspec.msgpack.encode(CAMERA))
        sliders = [m for m in read_messages(client, 0.5) if m["type"] == "GuiSliderMessage"]
        return send_until(client, seconds, lambda: make_move(chance, chance.choice(sliders)))


def flood_creatures(url: str, seconds: float, seed: int) -> int:
    """Choose the tool that drops creatures, and click all over the ground; returns how often."""
    chance = random.Random(seed)
    with open_client(url) as client:
        client.send(msgspec.msgpack.encode(CAMERA))
        inputs = [m for m in read_messages(client, 0.5) if m["type"] == "GuiDropdownMessage"]
        tool = next(m for m in inputs if m["props"]["label"] == "Tool")
        client.send(make_value(tool["uuid"], "creature"))
        return send_until(client, seconds, lambda: make_click(chance))


def send_until(client: ClientConnection, seconds: float, make: Callable[[], bytes]) -> int:
    """Send far more than is taken, and read what comes, until the time is over or the door is shut.

    Not as fast as it goes: that would take a core from the world, which no guard can prevent.
    """
    count, end = 0, time.monotonic() + seconds
    with contextlib.suppress(ConnectionClosed):
        while time.monotonic() < end:
            client.send(make())
            count += 1
            time.sleep(EAGER)
            with contextlib.suppress(TimeoutError):
                while True:
                    client.recv(timeout=0)
    return count


def make_value(uuid: str, value: Any) -> bytes:
    message = {"type": "GuiUpdateMessage", "uuid": uuid, "updates": {"value": value}}
    return msgspec.msgpack.encode(message)


def make_move(chance: random.Random, slider: dict[str, Any]) -> bytes:
    """A slider, a tenth of its value up or down at most: a world that goes on as before."""
    low, high = (slider["props"][name] for name in ("min", "max"))
    wanted = slider["value"] * chance.uniform(0.9, 1.1)
    return make_value(slider["uuid"], min(max(wanted, low), high))


def make_click(chance: random.Random) -> bytes:
    """A click straight down at the ground."""
    message = {
        "type": "ScenePointerMessage",
        "event_type": "click",
        "ray_origin": [chance.uniform(-8, 8), 5.0, chance.uniform(-8, 8)],
        "ray_direction": [0.0, -1.0, 0.0],
        "screen_pos": [[0.5, 0.5]],
        "modifier": None,
    }
    return msgspec.msgpack.encode(message)


@contextlib.contextmanager
def open_client(url: str, **options: Any) -> Iterator[ClientConnection]:
    """A client that gets past the door: it has the token, and says that it is the studio's page."""
    _, place, path, query, _ = urlsplit(url)
    options = {"origin": f"http://{place}", "subprotocols": [PROTOCOL]} | options
    options = {"compression": None, "max_size": None, "close_timeout": 1, "proxy": None} | options
    with connect(f"ws://{place}{path}?{query}", **options) as client:
        yield client


def read_messages(client: ClientConnection, seconds: float) -> Iterator[dict[str, Any]]:
    """What the server says, until it is silent for so long, or for a second: a world that runs is
    never silent."""
    last = time.monotonic() + 1.0
    with contextlib.suppress(TimeoutError):
        while time.monotonic() < last:
            yield from decode_window(client.recv(timeout=seconds, decode=False))


def decode_window(raw: bytes) -> list[dict[str, Any]]:
    """Viser's wire format: two lengths, compressed msgpack, arrays."""
    _, packed = struct.unpack_from("<QQ", raw)
    window = msgspec.msgpack.decode(zstandard.decompress(raw[16 : 16 + packed]))
    return list(window["messages"])


def read_uuids(client: ClientConnection) -> list[str]:
    """The inputs of the page, so that some of the harm is aimed."""
    found = [m["uuid"] for m in read_messages(client, 0.05) if isinstance(m.get("uuid"), str)]
    return found or ["nobody"]


def make_garbage(chance: random.Random, uuids: list[str]) -> bytes | str:
    makers: tuple[Callable[[random.Random, list[str]], bytes | str], ...] = (
        make_noise, make_text, make_nested, make_cut_short, make_mapping, make_update,
    )  # fmt: skip
    return chance.choice(makers)(chance, uuids)


def make_noise(chance: random.Random, uuids: list[str]) -> bytes:
    return chance.randbytes(chance.choice((0, 1, 7, 100, 4000)))


def make_text(chance: random.Random, uuids: list[str]) -> str:
    return chance.choice(('{"type": "GuiUpdateMessage"}', "", "hello", "\U0001f577" * 100))


def make_nested(chance: random.Random, uuids: list[str]) -> bytes:
    head = chance.choice((b"", b"\x82\xa1z", b"\x82\xa4type\xb0GuiUpdateMessage\xa7updates"))
    return head + chance.choice((b"\x91", b"\x81")) * chance.choice((10, 2000, 20000))


def make_cut_short(chance: random.Random, uuids: list[str]) -> bytes:
    whole = msgspec.msgpack.encode({"type": chance.choice(KINDS), "uuid": chance.choice(uuids)})
    return whole[: chance.randrange(len(whole))]


def make_mapping(chance: random.Random, uuids: list[str]) -> bytes:
    names = chance.sample(FIELDS, chance.randrange(len(FIELDS)))
    content = {name: chance.choice(ODD_VALUES) for name in names}
    return msgspec.msgpack.encode(content | {"type": chance.choice(KINDS)})


def make_update(chance: random.Random, uuids: list[str]) -> bytes:
    name = chance.choice(("value", "value", "disabled", "update_cb", "__class__"))
    update = {name: chance.choice(ODD_VALUES)}
    message = {"type": "GuiUpdateMessage", "uuid": chance.choice(uuids), "updates": update}
    return msgspec.msgpack.encode(message)
