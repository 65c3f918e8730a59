"""The door of the studio: who may connect, what may be said, and what a bad guest can do."""

import contextlib
import errno
import gc
import http.client
import math
import random
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

viser = pytest.importorskip("viser")

import msgspec  # noqa: E402
import rich  # noqa: E402
import websockets.asyncio.server  # noqa: E402
from viser import _messages as viser_messages  # noqa: E402
from websockets.exceptions import ConnectionClosed, InvalidMessage, InvalidStatus  # noqa: E402
from websockets.frames import Frame, Opcode  # noqa: E402

from skitter.errors import SkitterError, UserError  # noqa: E402
from skitter.view import guard, listener  # noqa: E402
from skitter.view.guard import close_server, open_server, read_counts  # noqa: E402
from skitter.view.guard_limits import Limits  # noqa: E402
from skitter.view.guard_messages import ALLOWED, build_decoder  # noqa: E402
from view.hostile import PROTOCOL, make_garbage, open_client, send_garbage  # noqa: E402

CAMERA = {
    "type": "ViewerCameraMessage",
    "wxyz": [1, 0, 0, 0],
    "position": [0.5, 0, 2],
    "fov": 1.2,
    "near": 0.01,
    "far": 1000,
    "image_height": 700,
    "image_width": 900,
    "look_at": [0, 0, 0],
    "up_direction": [0, 0, 1],
}
FAST = Limits(
    openings_per_second=1000.0,
    openings_at_once=1000.0,
    pages_at_once=100.0,
    request_seconds=1.0,
    stall_seconds=0.3,
)


class Studio:
    """A server with one input of each kind, and the values they were given."""

    def __init__(self, limits: Limits = FAST) -> None:
        self.server = open_server(port=0, limits=limits)
        self.url = f"http://127.0.0.1:{self.server.get_port()}"
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

    def count(self, reason: str) -> int:
        return read_counts(self.server).get(reason, 0)

    def update(self, name: str, value: Any) -> bytes:
        return update(self.inputs[name]._impl.uuid, value)


@pytest.fixture
def studio() -> Iterator[Studio]:
    made = Studio()
    yield made
    close_server(made.server)


def pack(message: Any) -> bytes:
    return msgspec.msgpack.encode(message)


def update(uuid: str, value: Any) -> bytes:
    return pack({"type": "GuiUpdateMessage", "uuid": uuid, "updates": {"value": value}})


def wait_for(condition: Any, seconds: float = 3.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.005)
    return bool(condition())


def check_answers(studio: Studio, seconds: float = 3.0) -> None:
    """A good client is let in, and pressing its button has an effect, within this time."""
    start, before = time.monotonic(), studio.presses
    with open_client(studio.url) as client:
        client.send(pack(CAMERA))
        client.send(update(studio.button._impl.uuid, True))
        assert wait_for(lambda: studio.presses > before, seconds)
    assert time.monotonic() - start < seconds + 0.5


def get_close_code(client: Any, seconds: float = 3.0) -> int:
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


def fetch(studio: Studio, path: str = "/", *, method: str = "GET", **headers: str) -> Any:
    line = http.client.HTTPConnection("127.0.0.1", studio.server.get_port(), timeout=5)
    try:
        line.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            line.putheader(name, value)
        line.endheaders()
        response = line.getresponse()
        response.read()
        return response
    finally:
        line.close()


# Who may connect


def test_own_page_connects(studio: Studio) -> None:
    check_answers(studio)
    assert studio.count("strike") == 0


@pytest.mark.parametrize("origin", ["http", "https"])
def test_origin_equals_host(studio: Studio, origin: str) -> None:
    place = studio.url.removeprefix("http://")
    assert get_status(studio, origin=f"{origin}://{place}") == 101


@pytest.mark.parametrize(
    "origin",
    [
        None, "null", "", "http://evil.example", "http://127.0.0.1", "http://127.0.0.1:1",
        "http://localhost:1", "file://", "chrome-extension://abc", "http://127.0.0.1.evil.example",
    ],
)  # fmt: skip
def test_strange_origins_are_refused(studio: Studio, origin: str | None) -> None:
    assert get_status(studio, origin=origin) == 403


def open_raw(studio: Studio, host: str, origin: str) -> bytes:
    """The first line of the answer to a handshake with any Host and Origin."""
    with socket.create_connection(("127.0.0.1", studio.server.get_port()), timeout=5) as line:
        line.sendall(make_handshake(host, origin))
        return line.recv(4096).split(b"\r\n")[0]


def make_handshake(host: str, origin: str) -> bytes:
    lines = [
        "GET / HTTP/1.1", f"Host: {host}", f"Origin: {origin}", "Upgrade: websocket",
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
        line.sendall(make_handshake("127.0.0.1", "http://127.0.0.1"))
        yield line


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("evil.example:8080", b"403"),  # a name that was made to point here
        ("localhost.evil.example", b"403"),
        ("127.0.0.1.nip.example", b"403"),
        ("[::1]:8080", b"101"),
        ("192.168.0.7:8080", b"101"),
        ("localhost:8080", b"101"),
        ("LOCALHOST", b"101"),
        ("[::1", b"403"),
        ("", b"403"),
        ("localhost:80@evil.example", b"403"),
    ],
)
def test_names_of_the_host(studio: Studio, host: str, status: bytes) -> None:
    assert status in open_raw(studio, host, f"http://{host}")


def test_origin_of_another_known_host_is_refused(studio: Studio) -> None:
    assert b"403" in open_raw(studio, "localhost:8080", "http://127.0.0.1:8080")


def test_two_hosts_or_origins_are_refused(studio: Studio) -> None:
    twice = "127.0.0.1\r\nHost: evil.example"
    assert b"403" in open_raw(studio, twice, "http://127.0.0.1")
    origins = "http://127.0.0.1\r\nOrigin: http://evil.example"
    assert b"403" in open_raw(studio, "127.0.0.1", origins)


def test_page_has_its_headers(studio: Studio) -> None:
    response = fetch(studio)
    assert response.status == 200
    for name, value in guard.PAGE_HEADERS.items():
        assert response.headers.get_all(name) == [value]
    refused = fetch(studio, Host="evil.example")
    assert refused.status == 403
    assert refused.headers["X-Frame-Options"] == "DENY"


def test_pages_of_other_sites_get_nothing(studio: Studio) -> None:
    for site, mode, status in (
        ("cross-site", "no-cors", 403),
        ("same-site", "cors", 403),
        ("cross-site", "navigate", 200),
        ("none", "navigate", 200),
    ):
        headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode}
        assert fetch(studio, **headers).status == status


def test_page_is_not_served_without_end(studio: Studio) -> None:
    found = [fetch(studio).status for _ in range(150)]
    assert found[:100] == [200] * 100
    assert 503 in found


@pytest.mark.parametrize(
    "path",
    ["/nothing", "/../../etc/passwd", "/%2e%2e/_viser.py", "/%00", "/" + "a" * 5000, "//x", "*"],
)
def test_odd_paths(studio: Studio, path: str) -> None:
    assert fetch(studio, path).status in (404, 200)
    assert fetch(studio).status == 200


def test_other_methods_and_broken_requests(
    studio: Studio, capfd: pytest.CaptureFixture[str]
) -> None:
    for method in ("POST", "HEAD", "OPTIONS", "DELETE"):
        with contextlib.suppress(http.client.HTTPException, OSError):
            assert fetch(studio, method=method).status >= 400
    for request in (
        b"\r\n\r\n",
        b"GET /\r\n\r\n",
        b"\x16\x03\x01\x02" * 500,
        b"GET " + b"x" * 20000,
    ):
        with socket.create_connection(("127.0.0.1", studio.server.get_port()), timeout=5) as line:
            line.sendall(request)
            with contextlib.suppress(OSError):
                line.recv(100)
    check_answers(studio)
    gc.collect()
    assert capfd.readouterr() == ("", "")


def test_version_mismatch_is_quiet(studio: Studio, capfd: pytest.CaptureFixture[str]) -> None:
    with open_client(studio.url, subprotocols=["viser-v0.0.1"]) as client:
        assert get_close_code(client) == 1002
    assert capfd.readouterr() == ("", "")


# What may be said


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

    assert guard_clean(Slider(), 0.3333333) == 1 / 3


def guard_clean(handle: Any, value: Any) -> Any:
    from skitter.view.guard_messages import clean_value

    return clean_value(handle, value)


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


def mask(frame: Frame) -> bytes:
    return frame.serialize(mask=True)


# What a bad guest can do


def test_strikes_end_the_connection(studio: Studio) -> None:
    with open_client(studio.url) as client:
        with contextlib.suppress(ConnectionClosed):
            for _ in range(50):
                client.send(b"\xc1")
        assert get_close_code(client) == 1008
    assert studio.count("strike") == 50
    check_answers(studio)


@pytest.mark.serial
def test_flood_of_garbage(studio: Studio, capfd: pytest.CaptureFixture[str]) -> None:
    """The rest of the program keeps at least nine tenths of its pace."""
    kept = 0.0
    for seed in range(12):  # other programs may be in the way of some tries, hardly of all
        with Ticker() as ticker:
            quiet = ticker.measure(0.4)
            sender = threading.Thread(target=send_garbage, args=(studio.url, 2000, seed))
            sender.start()
            flooded = ticker.measure_until(lambda: not sender.is_alive())  # noqa: B023
        check_answers(studio, seconds=1.0)
        kept = max(kept, flooded / quiet)
        if kept > 0.9:
            break
    assert kept > 0.9
    assert studio.count("strike") >= 100
    gc.collect()
    assert capfd.readouterr() == ("", "")


class Ticker:
    """A thread that ticks every 2 ms, as long as it gets the interpreter."""

    def __enter__(self) -> "Ticker":
        self.count, self.is_over = 0, False
        self.thread = threading.Thread(target=self.tick)
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.is_over = True
        self.thread.join()

    def tick(self) -> None:
        while not self.is_over:
            time.sleep(0.002)
            self.count += 1

    def measure(self, seconds: float) -> float:
        over = time.monotonic() + seconds
        return self.measure_until(lambda: time.monotonic() > over)

    def measure_until(self, condition: Any) -> float:
        """Ticks per second until then."""
        before, start = self.count, time.monotonic()
        wait_for(condition, 15.0)
        return (self.count - before) / (time.monotonic() - start)


def test_flood_of_good_messages_is_braked(studio: Studio) -> None:
    """Ten thousand clicks at once: about the burst arrives, the rest waits its turn."""
    click = mask(Frame(Opcode.BINARY, update(studio.button._impl.uuid, True)))
    with open_client(studio.url) as client:
        client.send(pack(CAMERA))
        client.socket.settimeout(0.3)
        with contextlib.suppress(TimeoutError):
            client.socket.sendall(click * 10000)
        time.sleep(1.0)
        check_answers(studio)
        passed = studio.count("passed")
        # What one read may hold beyond the burst is paid for afterwards.
        assert 400 < passed < 1200
        assert studio.count("braked") >= 1
    assert studio.count("strike") == 0


@pytest.mark.serial
def test_flood_of_pings_is_braked(studio: Studio, caplog: pytest.LogCaptureFixture) -> None:
    ping = mask(Frame(Opcode.PING, b""))
    with open_client(studio.url) as client, Ticker() as ticker:
        quiet = ticker.measure(0.4)
        client.socket.settimeout(0.3)
        with contextlib.suppress(TimeoutError, OSError):
            client.socket.sendall(ping * 300000)
        assert max(ticker.measure(0.4) for _ in range(3)) > 0.8 * quiet
        assert studio.count("braked") >= 1
    check_answers(studio)
    assert not caplog.records  # pongs to one who has left


def test_endless_fragments(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MOST_FRAGMENTS", 100)
    first = mask(Frame(Opcode.BINARY, b"", fin=False))
    more = mask(Frame(Opcode.CONT, b"", fin=False))
    ping = mask(Frame(Opcode.PING, b""))
    with open_client(studio.url) as client:
        client.socket.sendall(first + (more + ping) * 200)
        assert get_close_code(client) == 1008
    check_answers(studio)


@pytest.mark.parametrize("size", [70_000, 40_000_000])
def test_large_frames_are_refused(studio: Studio, size: int) -> None:
    with open_client(studio.url) as client:
        with contextlib.suppress(ConnectionClosed, OSError):
            client.send(bytes(size))
        assert get_close_code(client) in (1009, 0)  # 0: cut off in the middle of it
        assert wait_for(lambda: not guard.guards[studio.server].connections)
    check_answers(studio)


def test_message_of_many_fragments_is_refused_too(studio: Studio) -> None:
    with open_client(studio.url) as client:
        with contextlib.suppress(ConnectionClosed, OSError):
            client.send([bytes(20_000)] * 5)
        assert get_close_code(client) == 1009


def test_picture_only_when_asked_for(studio: Studio) -> None:
    picture = {"type": "GetRenderResponseMessage", "payload": bytes(3_000_000), "render_uuid": "x"}
    with open_client(studio.url) as client:
        client.send(pack(CAMERA))
        assert wait_for(studio.server.get_clients)
        client.send(pack(picture | {"payload": b"small"}))
        assert wait_for(lambda: studio.count("dropped") == 1)
        handle = next(iter(studio.server.get_clients().values()))
        asked = threading.Thread(target=ask_for_picture, args=(handle,))
        asked.start()
        connection = next(iter(guard.guards[studio.server].connections))
        assert wait_for(connection.awaits_render)
        client.send(pack(picture))
        assert wait_for(lambda: studio.count("passed") == 2)
        asked.join(5)
        assert not connection.awaits_render()
        with contextlib.suppress(ConnectionClosed, OSError):
            client.send(pack(picture))
        assert get_close_code(client) in (1009, 0)


def ask_for_picture(handle: Any) -> None:
    with contextlib.suppress(TimeoutError, RuntimeError):
        handle.get_render(100, 100, timeout=1.0)


def test_seventeenth_client_waits_outside(studio: Studio) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(16):
            stack.enter_context(open_client(studio.url))
        assert [get_status(studio) for _ in range(20)] == [503] * 20
    assert wait_for(lambda: get_status(studio) == 101)
    check_answers(studio)


def test_hundreds_of_silent_sockets() -> None:
    studio = Studio(Limits(request_seconds=1.5))
    try:
        address = ("127.0.0.1", studio.server.get_port())
        lines = [socket.create_connection(address, timeout=5) for _ in range(300)]
        connections = guard.guards[studio.server].connections
        # Whoever comes late may find a place that has been given up meanwhile.
        assert wait_for(lambda: studio.count("http 503") >= 230)
        assert len(connections) <= 32
        assert wait_for(lambda: not connections)
        check_answers(studio)
        for line in lines:
            line.close()
    finally:
        close_server(studio.server)


def test_coming_back_too_often() -> None:
    studio = Studio(Limits(openings_per_second=20.0, openings_at_once=5.0))
    try:
        found = [get_status(studio) for _ in range(12)]
        assert found[:5] == [101] * 5
        assert 503 in found
        time.sleep(0.6)
        check_answers(studio)
    finally:
        close_server(studio.server)


def test_client_that_never_reads_is_cut_off(studio: Studio) -> None:
    with open_client(studio.url) as reader:
        reader.send(pack(CAMERA))
        with open_deaf(studio):
            assert wait_for(lambda: len(guard.guards[studio.server].connections) == 2)
            points = np.zeros((400_000, 3), dtype=np.float32)
            deadline = time.monotonic() + 6
            while not studio.count("does not read") and time.monotonic() < deadline:
                studio.server.scene.add_point_cloud("/cloud", points, (0, 0, 0))
                with contextlib.suppress(TimeoutError):
                    while True:
                        reader.recv(timeout=0.02)
            assert studio.count("does not read") == 1
        # The one that reads is still there.
        reader.send(update(studio.button._impl.uuid, True))
        assert wait_for(lambda: studio.presses == 1)
    assert wait_for(lambda: not studio.server._websock_server._client_state_from_id)
    assert not studio.server._websock_server._broadcast_buffer.generator_cursors


def test_client_that_leaves_leaves_nothing(studio: Studio) -> None:
    sockets = studio.server._websock_server
    for _ in range(5):
        check_answers(studio)
    with contextlib.suppress(InvalidMessage):
        send_garbage(studio.url, 200, 5)
    assert wait_for(lambda: not guard.guards[studio.server].connections)
    assert wait_for(lambda: not sockets._client_state_from_id)
    assert not studio.server.get_clients()
    assert not sockets._broadcast_buffer.generator_cursors


def test_slow_callbacks_make_the_client_wait(studio: Studio) -> None:
    """Viser would queue them all."""
    wait = threading.Event()
    studio.button.on_click(lambda event: wait.wait(5))
    try:
        with open_client(studio.url) as client:
            client.send(pack(CAMERA))
            for _ in range(400):
                client.send(update(studio.button._impl.uuid, True))
            time.sleep(0.5)
            assert studio.server._thread_executor._work_queue.qsize() < 140
    finally:
        wait.set()


# Starting and stopping


def test_port_in_use_takes_the_next(studio: Studio) -> None:
    port = studio.server.get_port()
    other = open_server(port=port)
    try:
        assert other.get_port() > port
        assert other.get_host() == "127.0.0.1"
    finally:
        close_server(other)


@pytest.mark.parametrize(
    ("host", "port"),
    [("no-such-host.invalid", 8080), ("203.0.113.7", 8080), ("", 8080), ("127.0.0.1", 70000)],
)
def test_hosts_that_cannot_be_had(host: str, port: int) -> None:
    start = time.monotonic()
    with pytest.raises(UserError) as caught:
        open_server(host=host, port=port)
    assert "\n" not in str(caught.value)
    assert time.monotonic() - start < 10


def test_port_that_is_forbidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> Any:
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(listener, "listen_at", refuse)
    with pytest.raises(UserError, match="port 80: Permission denied"):
        open_server(port=80)


def test_start_and_stop_are_quiet_and_leave_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    threads = set(threading.enumerate())
    serve, rich_print = websockets.asyncio.server.serve, rich.print
    studio = Studio()
    port = studio.server.get_port()
    with contextlib.ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(open_client(studio.url)).send(pack(CAMERA))
        assert wait_for(lambda: len(studio.server.get_clients()) == 3)
        silent = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
        check_answers(studio)
        before = time.monotonic()
        close_server(studio.server)
        assert time.monotonic() - before < 2.0
        close_server(studio.server)  # a second time is nothing
        silent.settimeout(1)
        with contextlib.suppress(OSError):
            assert silent.recv(1) == b""
    assert wait_for(lambda: set(threading.enumerate()) <= threads)
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", port), timeout=1)
    assert (websockets.asyncio.server.serve, rich.print) == (serve, rich_print)
    gc.collect()
    assert capfd.readouterr() == ("", "")


def test_client_that_does_not_say_goodbye_does_not_hold_the_stop() -> None:
    studio = Studio()
    with open_deaf(studio):
        assert wait_for(lambda: len(guard.guards[studio.server].connections) == 1)
        thread = guard.guards[studio.server].thread
        before = time.monotonic()
        close_server(studio.server)
        assert time.monotonic() - before < 2.0
        assert thread is not None and not thread.is_alive()


def test_viser_that_cannot_be_guarded_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = set(threading.enumerate())
    monkeypatch.setattr(guard, "follow_clients", lambda server: False)
    with pytest.raises(SkitterError, match="cannot be guarded"):
        open_server(port=0)
    assert wait_for(lambda: set(threading.enumerate()) <= threads)


def test_garbage_is_the_same_for_the_same_seed() -> None:
    first, second = random.Random(4), random.Random(4)
    made = [(make_garbage(first, ["a"]), make_garbage(second, ["a"])) for _ in range(200)]
    assert all(a == b for a, b in made)
