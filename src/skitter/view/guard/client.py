"""One client of the studio: what it says is checked and braked, and it has to listen."""

import asyncio
import contextlib
from functools import partial
from typing import Any

from viser import _messages as viser_messages
from websockets.asyncio.server import ServerConnection
from websockets.frames import CloseCode, Frame, Opcode
from websockets.protocol import State
from websockets.server import ServerProtocol

from skitter.view.guard.changes import Changes
from skitter.view.guard.door import Guard
from skitter.view.guard.limits import Budget
from skitter.view.guard.messages import Refusal, check_message, read_message, write_message

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
# Seconds between two notices that something was left out.
NOTICE_SECONDS = 10.0
# Callbacks waiting for a thread before clients have to wait too.
MOST_WAITING = 64
# Where websockets keeps the largest size of a message and the size of the one being read.
LARGEST_SIZE, SIZE_SO_FAR = (
    ("max_message_size", "current_size")
    if hasattr(ServerProtocol(), "max_message_size")
    else ("max_size", "cur_size")
)


class GuardedConnection(ServerConnection):
    """One client. Its messages are checked, its haste is braked, and it has to listen."""

    def __init__(self, guard: Guard, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.guard = guard
        self.client: Any = None  # viser's view of this connection, once there is one
        self.budget = Budget(guard.limits.messages_per_second, guard.limits.messages_at_once)
        self.changes = Changes(guard.limits)
        self.warned = -NOTICE_SECONDS  # when something was last said to be left out
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
        """The next message that viser may have, when it is its turn."""
        while True:
            message = self.changes.take()
            try:
                if message is not None:
                    check_message(message, self)  # its input may be another by now
                    await self.wait_for_threads()
                    self.guard.counts["passed"] += 1
                    return write_message(message)
                async with asyncio.timeout(self.changes.seconds_to_wait()):
                    raw = await super().recv(decode=False)
                # Others get their turn, however much of this client is waiting to be read.
                await asyncio.sleep(0)
                if self.is_cut:
                    await self.wait_closed()
                    raise self.protocol.close_exc
                self.put_in_line(read_message(raw, self.guard.decoder, self))
            except TimeoutError:
                continue
            except Refusal as refusal:
                self.refuse(refusal)

    def put_in_line(self, message: Any) -> None:
        """What is more than the client's share lets through waits, or gives way to the next."""
        uuid = getattr(message, "uuid", "")
        handle = self.find_input(uuid) if uuid else None
        is_button = bool(handle is not None and handle._impl.is_button)
        if not self.changes.add(message, is_button=is_button):
            self.guard.counts["left out"] += 1
            self.warn("Too much at once", "Some clicks were left out, so that the world runs on.")

    def warn(self, title: str, text: str) -> None:
        """A notice in the page, not more often than it can be read."""
        server, now = self.guard.server, self.loop.time()
        if server is None or self.client is None or now - self.warned < NOTICE_SECONDS:
            return
        handle = server.get_clients().get(self.client.client_id)
        if handle is not None:
            self.warned = now
            handle.add_notification(title, text, auto_close_seconds=6.0, color="orange")

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
