"""A server behind the guard, for tests of the guard, and what clients do to it.

Waits are patient: what is proven is that something happens, not how fast this machine is.
"""

import contextlib
import socket
import time
from collections.abc import Iterator
from typing import Any

import msgspec
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.frames import Frame

from skitter.view.guard.door import Guard
from skitter.view.guard.limits import Limits
from skitter.view.guard.server import close_server, guards, open_server
from view.hostile import PROTOCOL, open_client
from view.watcher import CAMERA, carry_token

PATIENCE = 20.0  # s
TOKEN = "a-token_for-the-tests-0123456789"
FAST = Limits(
    openings_per_second=1000.0,
    openings_at_once=1000.0,
    pages_per_second=1.0,
    pages_at_once=100.0,
    request_seconds=4.0,
    change_share=1000.0,
    change_seconds=1000.0,
)


class Studio:
    """A server with one input of each kind, and the values they were given."""

    def __init__(self, limits: Limits = FAST) -> None:
        self.server = open_server(port=0, limits=limits, token=TOKEN)
        self.place = f"127.0.0.1:{self.server.get_port()}"
        self.url = f"http://{self.place}/?token={TOKEN}"
        self.cookie = carry_token(self.url)["Cookie"]
        gui = self.server.gui
        self.inputs: dict[str, Any] = {
            "slider": gui.add_slider("slider", min=0.0, max=1.0, step=0.1, initial_value=0.5),
            "whole": gui.add_slider("whole", min=0, max=10, step=1, initial_value=3),
            "number": gui.add_number("number", 5.0, min=3.0),
            "switch": gui.add_checkbox("switch", False),
            "choice": gui.add_dropdown("choice", ("red", "blue")),
            "group": gui.add_button_group("group", ("one", "two")),
            "text": gui.add_text("text", "hello"),
            "colour": gui.add_rgb("colour", (1, 2, 3)),
            "place": gui.add_vector3("place", (0.0, 0.0, 0.0), min=(-1.0, -1.0, 0.0)),
            "off": gui.add_slider(
                "off", min=0.0, max=1.0, step=0.1, initial_value=0.5, disabled=True
            ),
        }
        self.button = gui.add_button("button")
        self.presses = 0
        self.button.on_click(self.press)

    def press(self, event: Any) -> None:
        self.presses += 1

    @property
    def guard(self) -> Guard:
        return guards[self.server]

    def count(self, reason: str) -> int:
        return self.guard.counts[reason]

    def update(self, name: str, value: Any) -> bytes:
        return update(self.inputs[name]._impl.uuid, value)


@contextlib.contextmanager
def open_studio(limits: Limits = FAST) -> Iterator[Studio]:
    """One that is closed afterwards."""
    made = Studio(limits)
    try:
        yield made
    finally:
        close_server(made.server)


def pack(message: Any) -> bytes:
    return msgspec.msgpack.encode(message)


def update(uuid: str, value: Any) -> bytes:
    return pack({"type": "GuiUpdateMessage", "uuid": uuid, "updates": {"value": value}})


def wait_for(condition: Any, seconds: float = PATIENCE) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.005)
    return bool(condition())


def check_answers(studio: Studio) -> float:
    """A good client is let in, and pressing its button has an effect; how many seconds it took."""
    start, before = time.monotonic(), studio.presses
    with open_client(studio.url) as client:
        client.send(pack(CAMERA))
        client.send(update(studio.button._impl.uuid, True))
        assert wait_for(lambda: studio.presses > before)
    return time.monotonic() - start


def get_close_code(client: Any, seconds: float = PATIENCE) -> int:
    """Read on until the server hangs up; 0 when it did not say why."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            client.recv(timeout=0.1)
        except TimeoutError:
            continue
        except ConnectionClosed as closed:
            return 0 if closed.rcvd is None else int(closed.rcvd.code)
    raise AssertionError("the connection is still open")


def get_status(studio: Studio, **options: Any) -> int:
    """The HTTP status that a websocket with these options ends with; 101 when it opens."""
    try:
        with open_client(studio.url, **options):
            return 101
    except InvalidStatus as error:
        return int(error.response.status_code)


def mask(frame: Frame) -> bytes:
    return frame.serialize(mask=True)


def make_handshake(host: str, origin: str, cookie: str) -> bytes:
    lines = [
        "GET / HTTP/1.1", f"Host: {host}", f"Origin: {origin}", "Upgrade: websocket",
        f"Cookie: {cookie}",
        "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Protocol: {PROTOCOL}", "", "",
    ]  # fmt: skip
    return "\r\n".join(lines).encode()


@contextlib.contextmanager
def open_deaf(studio: Studio) -> Iterator[socket.socket]:
    """A client that is let in and then reads nothing at all."""
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.connect(("127.0.0.1", studio.server.get_port()))
        line.sendall(make_handshake("127.0.0.1", "http://127.0.0.1", studio.cookie))
        yield line
