"""Viser behind the guard: how it starts and stops.

The seams: viser calls `websockets.asyncio.server.serve`, which is wrapped while the server
starts, and prints with `rich.print`, which is kept quiet while it starts and stops. If viser no
longer works that way, the start fails; it never runs unguarded.
"""

import atexit
import contextlib
import logging
import socket
import threading
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import rich
import viser
import websockets.asyncio.server
from websockets.server import ServerProtocol

from skitter.errors import SkitterError
from skitter.view.guard.client import LARGEST_SIZE, SIZE_SO_FAR, GuardedConnection
from skitter.view.guard.door import OPENING, Guard
from skitter.view.guard.limits import Limits
from skitter.view.guard.listener import bind_listener
from skitter.view.guard.token import Pass, check_token, make_token

START_SECONDS = 20.0
STOP_SECONDS = 2.0

# Servers that are open, and what guards them.
guards: dict[viser.ViserServer, Guard] = {}
# The seams are shared by all servers of the process, so one starts or stops at a time.
seams = threading.RLock()


def open_server(
    host: str = "127.0.0.1",
    port: int = 8080,
    *,
    label: str = "Skitter",
    limits: Limits | None = None,
    token: str | None = None,
) -> viser.ViserServer:
    """A viser server that strangers cannot use; its port is the first free one from `port` on.

    Without a `token`, it gets one that nobody can guess.
    """
    chosen = make_token() if token is None else check_token(token)
    listener = bind_listener(host, port)
    guard = Guard(host, limits or Limits(), Pass(chosen, listener.getsockname()[1]))
    try:
        with seams:
            server = start_viser(guard, listener, host, label)
    except BaseException:
        listener.close()
        raise
    guards[server] = guard
    # Viser stops its servers when the interpreter exits, and says so; ours stop quietly.
    atexit.unregister(server.stop)
    atexit.unregister(server._websock_server.stop)
    guard.server = server
    return server


def find_address(server: viser.ViserServer) -> str:
    """Where browsers find an open server, with the token that lets them in."""
    host = server.get_host()
    name = "localhost" if host in ("127.0.0.1", "0.0.0.0") else host
    place = f"{f'[{name}]' if ':' in name else name}:{server.get_port()}"
    return f"http://{place}/?token={guards[server].admission.token}"


def charge(server: viser.ViserServer, client_id: int, seconds: float) -> None:
    """Take from a client's share what came of its messages; from any thread."""
    guard = guards.get(server)
    if guard is not None:
        with contextlib.suppress(RuntimeError):  # the loop may be closed already
            server._event_loop.call_soon_threadsafe(guard.charge, client_id, seconds)


def close_server(server: viser.ViserServer) -> None:
    """Stop for good: clients are put out, the port is free again and no thread is left."""
    guard = guards.pop(server, None)
    if guard is None:
        return
    guard.server = None
    deadline = time.monotonic() + STOP_SECONDS
    with seams, quiet_rich(guard.thread):
        with contextlib.suppress(RuntimeError):  # the loop may be closed already
            server._event_loop.call_soon_threadsafe(guard.hang_up)
        server._websock_server.stop()
        join_until(deadline, guard.thread)
    server._thread_executor.shutdown(wait=False)
    join_until(deadline, *server._thread_executor._threads)


@atexit.register
def close_all_servers() -> None:
    """Whatever is still open when the program ends."""
    for server in list(guards):
        close_server(server)


def start_viser(guard: Guard, listener: socket.socket, host: str, label: str) -> viser.ViserServer:
    """Start viser behind the guard. It starts in a thread, since a failed start would hang."""
    port = listener.getsockname()[1]
    result: list[Any] = []

    def build() -> None:
        try:
            result.append(viser.ViserServer(host=host, port=port, label=label, verbose=False))
        except Exception as error:
            result.append(error)

    builder = threading.Thread(target=build, name="skitter-view-start", daemon=True)
    with wrapped_serve(guard, listener), quiet_rich(builder):
        builder.start()
        builder.join(START_SECONDS)
    server = result[0] if result else None
    if isinstance(server, viser.ViserServer):
        if guard.thread and server.get_port() == port and follow_clients(server):
            return server
        server.stop()
    reason = f" ({type(server).__name__}: {server})" if isinstance(server, Exception) else ""
    raise SkitterError(f"viser {viser.__version__} cannot be guarded, so it was not used{reason}")


def follow_clients(server: viser.ViserServer) -> bool:
    """Tell each connection which client it is; False when viser is not as expected."""

    def introduce(client: Any) -> None:
        connection = OPENING.get(None)
        if isinstance(connection, GuardedConnection):
            connection.client = client

    if not all(hasattr(ServerProtocol(), name) for name in (LARGEST_SIZE, SIZE_SO_FAR)):
        return False
    sockets = getattr(server, "_websock_server", None)
    expected = ("_incoming_handlers", "on_client_connect", "stop")
    if not all(hasattr(sockets, name) for name in expected):
        return False
    if not isinstance(getattr(server.gui, "_gui_input_handle_from_uuid", None), dict):
        return False
    if not all(name in vars(server) for name in ("_thread_executor", "_event_loop")):
        return False
    server._websock_server.on_client_connect(introduce)
    return True


@contextlib.contextmanager
def wrapped_serve(guard: Guard, listener: socket.socket) -> Iterator[None]:
    """While this lasts, whoever serves at the port of `listener` serves behind the guard."""
    original = websockets.asyncio.server.serve
    own_port = listener.getsockname()[1]

    def serve(handler: Any, host: Any = None, port: Any = None, **options: Any) -> Any:
        if port != own_port or guard.thread is not None:
            return original(handler, host, port, **options)
        guard.thread = threading.current_thread()
        options |= {
            "process_request": partial(guard.answer_request, options.get("process_request")),
            "create_connection": partial(GuardedConnection, guard),
            "max_size": guard.limits.message_bytes,
            "max_queue": (64, 16),
            "open_timeout": guard.limits.request_seconds,
            "ping_interval": 10.0,
            "ping_timeout": 20.0,
            "server_header": None,
            "logger": make_silent_logger(),
        }
        return original(partial(guard.handle, handler), sock=listener, **options)

    websockets.asyncio.server.serve = serve  # type: ignore[assignment,misc]
    try:
        yield
    finally:
        websockets.asyncio.server.serve = original  # type: ignore[misc]


def make_silent_logger() -> logging.Logger:
    """Websockets logs every malformed request with a traceback, which strangers could fill."""
    logger = logging.Logger("skitter.view.guard")
    logger.addHandler(logging.NullHandler())
    return logger


@contextlib.contextmanager
def quiet_rich(thread: threading.Thread | None) -> Iterator[None]:
    """While this lasts, `rich.print` prints nothing of this thread."""
    original = rich.print

    def print_others(*args: Any, **options: Any) -> None:
        if threading.current_thread() is not thread:
            original(*args, **options)

    rich.print = print_others
    try:
        yield
    finally:
        rich.print = original


def join_until(deadline: float, *threads: threading.Thread | None) -> None:
    """Wait for threads to end, until a moment of the monotonic clock, s."""
    for thread in threads:
        if thread is not None and thread is not threading.current_thread():
            thread.join(max(0.0, deadline - time.monotonic()))
