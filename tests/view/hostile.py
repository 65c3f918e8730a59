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

PROTOCOL = f"viser-v{viser.__version__}"
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
