"""How the guarded server starts and stops."""

import contextlib
import errno
import gc
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("viser")

import rich
import websockets.asyncio.server
from guarded import CAMERA, Studio, check_answers, open_deaf, open_studio, pack, wait_for

from skitter.errors import SkitterError, UserError
from skitter.view.guard import listener, server
from skitter.view.guard.server import close_server, open_server
from view.hostile import open_client

# s; without an end to its patience the server would wait ten for whoever does not say goodbye
STOPPED = 6.0


@pytest.fixture
def studio() -> Iterator[Studio]:
    with open_studio() as made:
        yield made


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
    assert time.monotonic() - start < 30


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
        assert time.monotonic() - before < STOPPED
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
        assert wait_for(lambda: len(studio.guard.connections) == 1)
        thread = studio.guard.thread
        before = time.monotonic()
        close_server(studio.server)
        assert time.monotonic() - before < STOPPED
        assert thread is not None and not thread.is_alive()


def test_viser_that_cannot_be_guarded_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = set(threading.enumerate())
    monkeypatch.setattr(server, "follow_clients", lambda server: False)
    with pytest.raises(SkitterError, match="cannot be guarded"):
        open_server(port=0)
    assert wait_for(lambda: set(threading.enumerate()) <= threads)
