"""What stands between the network and viser.

Viser trusts whoever connects. Here only the studio's own page may connect, it may only say what
the page of viser says in ordinary use, and only so fast. Whatever else arrives is dropped before
viser sees it, and whoever keeps sending it is cut off.

The seams: viser calls `websockets.asyncio.server.serve`, which is wrapped while the server
starts, and prints with `rich.print`, which is kept quiet while it starts and stops. If viser no
longer works that way, the start fails; it never runs unguarded.
"""

import asyncio
import atexit
import contextlib
import ipaddress
import logging
import re
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import partial
from http import HTTPStatus
from typing import Any

import rich
import viser
import websockets.asyncio.server
from viser import _messages as viser_messages
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.server import ServerProtocol

from skitter.console import complain
from skitter.errors import SkitterError
from skitter.view.guard_limits import Budget, Limits
from skitter.view.guard_messages import Refusal, build_decoder, read_message
from skitter.view.listener import bind_listener

PAGE_HEADERS = {
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
HOST_HEADER = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^\s:/@\[\]]+)(:[0-9]{1,5})?")

START_SECONDS = 20.0
STOP_SECONDS = 2.0
# How long a client may take over its part of a goodbye.
GRACE_SECONDS = 0.5
# A write buffer that never empties in this time belongs to a client that reads by the byte.
SLOWEST_SECONDS = 120.0
# Bytes taken from a socket at once: enough for a thousand tiny frames and no more.
READ_BYTES = 8 * 1024
RENDER_READ_BYTES = 256 * 1024
# A message costs one token, and one more for each of so many bytes.
BYTES_PER_TOKEN = 1024
# Frames of one message. Browsers cut up what is long, but not that finely.
MOST_FRAGMENTS = 4096
# Callbacks waiting for a thread before clients have to wait too.
MOST_WAITING = 64


# Where websockets keeps the largest size of a message and the size of the one being read.
LARGEST_SIZE, SIZE_SO_FAR = (
    ("max_message_size", "current_size")
    if hasattr(ServerProtocol(), "max_message_size")
    else ("max_size", "cur_size")
)


class Guard:
    """Decides who may connect to one server; its connections decide what may be said."""

    def __init__(self, host: str, limits: Limits) -> None:
        self.host = host.lower()
        self.limits = limits
        self.decoder = build_decoder()
        self.openings = Budget(limits.openings_per_second, limits.openings_at_once)
        self.pages = Budget(limits.pages_per_second, limits.pages_at_once)
        share = 4  # as much as so many clients who use all that they may
        self.messages = Budget(share * limits.messages_per_second, share * limits.messages_at_once)
        self.counts: Counter[str] = Counter()
        self.connections: set[GuardedConnection] = set()
        # The thread that serves; None until viser has taken its place behind the guard.
        self.thread: threading.Thread | None = None
        # None while the server starts and once it stops: nobody is let in then.
        self.server: viser.ViserServer | None = None

    def answer_request(
        self, serve_page: Callable[..., Any] | None, connection: ServerConnection, request: Request
    ) -> Response | None:
        """The answer to an HTTP request; None lets a websocket open."""
        try:
            status = self.judge_request(request)
            response = None if status or not serve_page else serve_page(connection, request)
            if status is None and response is None:
                status = self.judge_opening(connection, request)
            elif status is None and not self.pages.afford(1.0):
                status = HTTPStatus.SERVICE_UNAVAILABLE
        except Exception:  # a path no file system can name
            status, response = HTTPStatus.NOT_FOUND, None
        if status is not None:
            self.counts[f"http {status.value}"] += 1
            response = connection.respond(status, f"{status.phrase}\n")
        if response is not None:
            response.headers.update(PAGE_HEADERS)
        return response

    def judge_request(self, request: Request) -> HTTPStatus | None:
        """Pages reached under a stranger's name are refused: that name may point here on purpose.

        A page of evil.example whose address turns into 127.0.0.1 is of the same origin as the
        studio, to the browser. It gives itself away by the name.
        """
        if self.server is None:
            return HTTPStatus.SERVICE_UNAVAILABLE
        hosts = request.headers.get_all("Host")
        if len(hosts) != 1 or not self.knows_host(hosts[0]):
            return HTTPStatus.FORBIDDEN
        if is_embedded(request):
            return HTTPStatus.FORBIDDEN
        return None

    def judge_opening(self, connection: ServerConnection, request: Request) -> HTTPStatus | None:
        """A websocket may be opened by the studio's own page alone, and by not too many."""
        host, origins = request.headers["Host"].lower(), request.headers.get_all("Origin")
        if len(origins) != 1 or origins[0].lower() not in (f"http://{host}", f"https://{host}"):
            return HTTPStatus.FORBIDDEN
        if self.count_clients() >= self.limits.clients or not self.openings.afford(1.0):
            return HTTPStatus.SERVICE_UNAVAILABLE
        return None

    def knows_host(self, header: str) -> bool:
        match = HOST_HEADER.fullmatch(header)
        if match is None:
            return False
        name = match[1].lower()
        return name in ("localhost", self.host) or is_address(name.strip("[]"))

    def count_clients(self) -> int:
        """Websockets that are open or not yet gone."""
        return sum(c.is_accepted for c in self.connections)

    async def handle(self, handler: Callable[..., Any], connection: ServerConnection) -> None:
        """Viser's handler, after the version check that it would print about."""
        wanted = f"viser-v{viser.__version__}"
        if connection.subprotocol != wanted:
            self.counts["version"] += 1
            found = (connection.subprotocol or "unknown").removeprefix("viser-v")[:40]
            await connection.close(
                CloseCode.PROTOCOL_ERROR,
                f"Version mismatch. Client: {found}, Server: {viser.__version__}",
            )
            return
        OPENING.set(connection)
        try:
            await handler(connection)
        except ConnectionClosed:
            raise
        except Exception as error:
            # Nothing a client says leads here, so it is a mistake of ours and should be seen.
            complain(f"a page lost its connection: {type(error).__name__}: {error}")
            raise

    def hang_up(self) -> None:
        """Runs in the server's loop: whoever does not leave in time is put out."""
        for connection in self.connections:
            connection.abort_soon()


OPENING: ContextVar[ServerConnection] = ContextVar("opening")


class GuardedConnection(ServerConnection):
    """One client. Its messages are checked, its haste is braked, and it has to listen."""

    def __init__(self, guard: Guard, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.guard = guard
        self.client: Any = None  # viser's view of this connection, once there is one
        self.budget = Budget(guard.limits.messages_per_second, guard.limits.messages_at_once)
        self.strikes = 0
        self.fragments = 0
        self.holds: set[str] = set()
        self.is_turned_away = False
        self.is_cut = False
        self.is_leaving = False
        self.stalls = 0
        self.stall_check: asyncio.TimerHandle | None = None
        self.paused_since = 0.0

    # Coming and going

    @property
    def is_accepted(self) -> bool:
        """A websocket, not just a page being fetched."""
        return self.response is not None and self.response.status_code == 101

    def connection_made(self, transport: Any) -> None:
        if len(self.guard.connections) >= self.guard.limits.sockets:
            self.turn_away(transport)
            return
        self.guard.connections.add(self)
        transport.max_size = READ_BYTES
        super().connection_made(transport)
        # Two reasons may stop the reading; it goes on when neither is left.
        self.recv_messages.pause = partial(self.hold, "queue")
        self.recv_messages.resume = partial(self.release, "queue")

    def turn_away(self, transport: Any) -> None:
        """Too many sockets: an answer without so much as reading the question."""
        self.is_turned_away = True
        self.guard.counts["http 503"] += 1
        transport.write(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n")
        transport.write(b"Connection: close\r\n\r\n")
        transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        if self.is_turned_away:
            return
        self.guard.connections.discard(self)
        self.forget_stall()
        super().connection_lost(exc)

    def eof_received(self) -> None:
        if not self.is_turned_away:
            super().eof_received()

    def cut_off(self, reason: str) -> None:
        """Close without waiting for an answer, whatever is still on its way."""
        if self.is_cut:
            return
        self.is_cut = True
        self.guard.counts[reason] += 1
        if self.protocol.state is State.OPEN:
            self.protocol.fail(CloseCode.POLICY_VIOLATION, reason)
            with contextlib.suppress(Exception):
                self.send_data()
        self.abort_soon()

    def abort_soon(self) -> None:
        if not self.is_leaving:
            self.is_leaving = True
            self.loop.call_later(GRACE_SECONDS, self.transport.abort)

    # Listening

    def data_received(self, data: bytes) -> None:
        if self.is_turned_away:
            return
        self.set_sizes()
        if self.is_accepted and self.protocol.state is not State.OPEN:
            self.budget.spend(1 + len(data) / 64)  # said after the goodbye
        super().data_received(data)
        if self.is_accepted and self.protocol.close_expected():
            self.abort_soon()
        self.wait_for_budget()

    def set_sizes(self) -> None:
        """Only the picture that was asked for may be large."""
        if getattr(self.protocol, SIZE_SO_FAR) is not None:
            return  # in the middle of a message
        limits, awaited = self.guard.limits, self.awaits_render()
        largest = limits.render_bytes if awaited else limits.message_bytes
        setattr(self.protocol, LARGEST_SIZE, largest)
        self.transport.max_size = RENDER_READ_BYTES if awaited else READ_BYTES  # type: ignore[attr-defined]

    def process_event(self, event: Any) -> None:
        if isinstance(event, Frame):
            self.pay_for(event)
        super().process_event(event)

    def pay_for(self, frame: Frame) -> None:
        """Every frame costs, pings and empty continuations too; only awaited pictures are cheap."""
        if frame.opcode is Opcode.CONT:
            self.fragments += 1
        elif frame.opcode in (Opcode.TEXT, Opcode.BINARY):
            self.fragments = 0
        if self.fragments > MOST_FRAGMENTS:
            self.cut_off("fragments")
        cost = 1.0 + len(frame.data) // BYTES_PER_TOKEN
        if len(frame.data) >= BYTES_PER_TOKEN and self.awaits_render():
            cost = 0.0 if self.fragments else self.budget.burst / 10
        self.budget.spend(cost)
        self.guard.messages.spend(cost)

    def wait_for_budget(self) -> None:
        """Many who talk fast wait for each other; one who does not is never made to wait."""
        seconds = self.budget.seconds_in_debt()
        if self.budget.tokens < self.budget.burst / 2:
            seconds = max(seconds, self.guard.messages.seconds_in_debt())
        if seconds > 0 and "budget" not in self.holds:
            self.guard.counts["braked"] += 1
            self.hold("budget")
            self.loop.call_later(seconds, self.release, "budget")

    def hold(self, why: str) -> None:
        self.holds.add(why)
        self.transport.pause_reading()

    def release(self, why: str) -> None:
        self.holds.discard(why)
        if not self.holds:
            self.transport.resume_reading()

    async def recv(self, decode: bool | None = None) -> Any:
        """The next message that viser may have."""
        while True:
            raw = await super().recv(decode=False)
            # Others get their turn, however much of this client is waiting to be read.
            await asyncio.sleep(0)
            if self.is_cut:
                await self.wait_closed()
                raise self.protocol.close_exc
            try:
                message = read_message(raw, self.guard.decoder, self)
            except Refusal as refusal:
                self.refuse(refusal)
                continue
            await self.wait_for_threads()
            self.guard.counts["passed"] += 1
            return message

    def refuse(self, refusal: Refusal) -> None:
        self.guard.counts["strike" if refusal.strike else "dropped"] += 1
        self.strikes += refusal.strike
        if self.strikes >= self.guard.limits.strikes:
            self.cut_off("too many messages that make no sense")

    async def wait_for_threads(self) -> None:
        """Viser queues callbacks without limit; a client waits while many are queued."""
        server = self.guard.server
        queue = getattr(getattr(server, "_thread_executor", None), "_work_queue", None)
        while queue is not None and queue.qsize() > MOST_WAITING and not self.is_cut:
            await asyncio.sleep(0.01)

    def awaits_render(self) -> bool:
        if self.client is None:
            return False
        return bool(self.client._incoming_handlers.get(viser_messages.GetRenderResponseMessage))

    def find_input(self, uuid: str) -> Any:
        """An input that all clients share, or one of this client alone."""
        server = self.guard.server
        if server is None or self.client is None:
            return None
        own = server.get_clients().get(self.client.client_id)
        for gui in (server.gui, own.gui if own else None):
            handle = gui._gui_input_handle_from_uuid.get(uuid) if gui else None
            if handle is not None:
                return handle
        return None

    # Talking: a client that does not read leaves what it is sent in our memory

    def send_data(self) -> None:
        """All in one piece: asyncio would complain of every write to a client that has left."""
        pieces = self.protocol.data_to_send()
        if self.transport.is_closing():
            return
        if any(pieces):
            self.transport.write(b"".join(pieces))
        if pieces and not pieces[-1]:  # an empty piece marks the end
            with contextlib.suppress(OSError, RuntimeError):
                self.transport.write_eof()

    def pause_writing(self) -> None:
        super().pause_writing()
        self.stalls = 0
        self.paused_since = self.loop.time()
        self.watch_writing()

    def resume_writing(self) -> None:
        super().resume_writing()
        self.forget_stall()

    def watch_writing(self) -> None:
        size = self.transport.get_write_buffer_size()
        self.stall_check = self.loop.call_later(
            self.guard.limits.stall_seconds, self.check_writing, size
        )

    def check_writing(self, size_before: int) -> None:
        """Twice in a row nothing was read: once may be a message added meanwhile."""
        stuck = self.transport.get_write_buffer_size() >= size_before
        self.stalls = self.stalls + 1 if stuck else 0
        if self.stalls >= 2 or self.loop.time() - self.paused_since > SLOWEST_SECONDS:
            self.guard.counts["does not read"] += 1
            self.is_cut = True
            self.transport.abort()
        else:
            self.watch_writing()

    def forget_stall(self) -> None:
        if self.stall_check is not None:
            self.stall_check.cancel()
            self.stall_check = None


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
) -> viser.ViserServer:
    """A viser server that strangers cannot use; its port is the first free one from `port` on."""
    guard = Guard(host, limits or Limits())
    listener = bind_listener(host, port)
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
    for server in list(guards):
        close_server(server)


def read_counts(server: viser.ViserServer) -> dict[str, int]:
    """How many messages passed and how many were refused, by reason."""
    return dict(guards[server].counts)


def is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_embedded(request: Request) -> bool:
    """Whether another site's page fetches this one, rather than a person going there."""
    site, mode = (request.headers.get(f"Sec-Fetch-{name}", "") for name in ("Site", "Mode"))
    return site in ("cross-site", "same-site") and mode != "navigate"


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
    for thread in threads:
        if thread is not None and thread is not threading.current_thread():
            thread.join(max(0.0, deadline - time.monotonic()))
