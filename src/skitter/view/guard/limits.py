"""How much of the studio's server its clients may take up."""

import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """How much of the server one client, and all of them together, may take up."""

    clients: int = 16
    sockets: int = 32  # clients, pages being fetched and those who have not yet said what they want
    openings_per_second: float = 10.0
    openings_at_once: float = 32.0
    pages_per_second: float = 10.0
    pages_at_once: float = 40.0
    messages_per_second: float = 120.0
    messages_at_once: float = 480.0
    change_share: float = 0.06  # of the world's time, for what one client changes
    change_seconds: float = 0.3  # of the world's time, that one client may have saved up
    strikes: int = 50
    message_bytes: int = 64 * 1024
    render_bytes: int = 4 * 3840 * 2160 + 2**20  # a 4K picture that does not compress
    request_seconds: float = 10.0  # until a page has been asked for and fetched
    stall_seconds: float = 15.0


class Budget:
    """A token bucket. It may go into debt, which is then waited off."""

    def __init__(self, rate: float, burst: float, *, debt: float | None = None) -> None:
        self.rate = rate
        self.burst = burst
        self.most_debt = 4 * burst if debt is None else debt
        self.tokens = burst
        self.time = time.monotonic()

    def afford(self, cost: float) -> bool:
        """Spend as much if it is there; otherwise spend nothing."""
        self.spend(0.0)
        if self.tokens < cost:
            return False
        self.tokens -= cost
        return True

    def spend(self, cost: float) -> None:
        now = time.monotonic()
        self.tokens = min(self.burst, self.tokens + (now - self.time) * self.rate)
        self.time = now
        self.tokens = max(self.tokens - cost, -self.most_debt)

    def has_some(self) -> bool:
        """Whether anything is left to spend."""
        self.spend(0.0)
        return self.tokens > 0

    def seconds_in_debt(self) -> float:
        return max(0.0, -self.tokens / self.rate)
