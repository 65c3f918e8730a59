"""The door: who may fetch the page, and who may open a connection."""

import ipaddress
import re
import threading
from collections import Counter
from collections.abc import Callable
from contextvars import ContextVar
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import viser
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode
from websockets.http11 import Request, Response

from skitter.console import complain
from skitter.view.guard.limits import Budget, Limits
from skitter.view.guard.messages import build_decoder
from skitter.view.guard.token import REFUSAL, Pass

if TYPE_CHECKING:
    from skitter.view.guard.client import GuardedConnection

PAGE_HEADERS = {
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
HOST_HEADER = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^\s:/@\[\]]+)(:[0-9]{1,5})?")
# The connection that viser is being told of.
OPENING: ContextVar[ServerConnection] = ContextVar("opening")


class Guard:
    """Decides who may connect to one server; its connections decide what may be said."""

    def __init__(self, host: str, limits: Limits, admission: Pass) -> None:
        self.host = host.lower()
        self.limits = limits
        self.admission = admission
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
            is_refused = status is HTTPStatus.FORBIDDEN
            response = connection.respond(status, REFUSAL if is_refused else f"{status.phrase}\n")
        if response is not None:
            response.headers.update(PAGE_HEADERS)
            if status is None and self.admission.is_in_address(request):
                response.headers["Set-Cookie"] = self.admission.header
        return response

    def judge_request(self, request: Request) -> HTTPStatus | None:
        """Whoever has the token may come in; what another site's page asks for is refused anyway.

        Pages reached under a stranger's name are refused too: that name may point here on purpose.
        A page of evil.example whose address turns into 127.0.0.1 is of the same origin as the
        studio, to the browser. It gives itself away by the name.
        """
        if self.server is None:
            return HTTPStatus.SERVICE_UNAVAILABLE
        hosts = request.headers.get_all("Host")
        if len(hosts) != 1 or not self.knows_host(hosts[0]):
            return HTTPStatus.FORBIDDEN
        if is_embedded(request) or not comes_from(hosts[0], request.headers.get_all("Origin")):
            return HTTPStatus.FORBIDDEN
        admission = self.admission
        if not (admission.is_in_address(request) or admission.is_in_cookie(request)):
            return HTTPStatus.FORBIDDEN
        return None

    def judge_opening(self, connection: ServerConnection, request: Request) -> HTTPStatus | None:
        """A websocket may be opened by the studio's own page alone, and by not too many."""
        if not request.headers.get_all("Origin"):  # browsers name it for every websocket
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

    def charge(self, client_id: int, seconds: float) -> None:
        """Runs in the server's loop: what a client changed took so much of the world's time."""
        for connection in self.connections:
            if connection.client is not None and connection.client.client_id == client_id:
                connection.changes.charge(seconds)

    def hang_up(self) -> None:
        """Runs in the server's loop: whoever does not leave in time is put out."""
        for connection in self.connections:
            connection.abort_soon()


def is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def comes_from(host: str, origins: list[str]) -> bool:
    """Whether the page that asks, if it says who it is, is one of this host."""
    own = (f"http://{host.lower()}", f"https://{host.lower()}")
    return len(origins) <= 1 and all(one.lower() in own for one in origins)


def is_embedded(request: Request) -> bool:
    """Whether another site's page fetches this one, rather than a person going there."""
    site, mode = (request.headers.get(f"Sec-Fetch-{name}", "") for name in ("Site", "Mode"))
    return site in ("cross-site", "same-site") and mode != "navigate"
