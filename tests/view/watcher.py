"""A page without a picture: connects as the browser's page does, and counts what it is sent."""

import threading
import time
from collections import Counter
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import viser
import zstandard
from websockets.sync.client import connect

CAMERA = {  # what a page says first: where it looks from
    "type": "ViewerCameraMessage",
    "wxyz": [1.0, 0.0, 0.0, 0.0],
    "position": [0.0, 3.0, 6.0],
    "image_height": 400,
    "image_width": 640,
    "fov": 0.5,
    "near": 0.01,
    "far": 1000.0,
    "look_at": [0.0, 0.0, 0.0],
    "up_direction": [0.0, 1.0, 0.0],
}


def carry_token(address: str) -> dict[str, str]:
    """The header with which a browser that has opened an address sends its token along."""
    parts = urlsplit(address)
    return {"Cookie": f"skitter-{parts.port}={parse_qs(parts.query)['token'][0]}"}


class Watcher:
    """Reads everything that the studio sends, in a thread of its own."""

    def __init__(self, address: str) -> None:
        self.windows = 0
        self.updates: Counter[str] = Counter()  # by node and property
        self.times: list[float] = []  # of every update of a first body
        place = urlsplit(address).netloc
        self._socket = connect(
            f"ws://{place}",
            origin=f"http://{place}",  # type: ignore[arg-type]
            additional_headers=carry_token(address),
            subprotocols=[f"viser-v{viser.__version__}"],  # type: ignore[list-item]
            max_size=None,
            compression=None,
        )
        self._socket.send(msgspec.msgpack.encode(CAMERA))
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def __enter__(self) -> "Watcher":
        return self

    def __exit__(self, *_: Any) -> None:
        self._socket.close()
        self._thread.join(timeout=5)

    def _read(self) -> None:
        unpack = zstandard.ZstdDecompressor()
        for raw in self._socket:
            assert isinstance(raw, bytes)
            size, packed = (int.from_bytes(raw[k : k + 8], "little") for k in (0, 8))
            text = unpack.decompress(raw[16 : 16 + packed], max_output_size=size)
            for message in msgspec.msgpack.decode(text)["messages"]:
                self._count(message)
            self.windows += 1

    def _count(self, message: dict[str, Any]) -> None:
        if message["type"] != "SceneNodeUpdateMessage":
            return
        for key in message["updates"]:
            self.updates[f"{message['name']}:{key}"] += 1
            if message["name"].endswith("/body_0") and key == "batched_positions":
                self.times.append(time.monotonic())

    def rate(self, seconds: float) -> float:
        """Updates of the first body per second, from now on."""
        time.sleep(seconds)
        end = time.monotonic()
        return sum(end - seconds <= moment for moment in self.times) / seconds
