"""What one client changes, at a pace that the world does not feel.

A client has a share of the world's time. A message costs what the interpreter needs to pass it on,
and whoever carries it out adds what that took (`charge`): a creature that is dropped costs as much
as some dozen moves of a slider. While a client has used up its share its messages wait, one for
each input, tool or thing: of a slider the last value counts, and of clicks the last click.
"""

from typing import Any

from skitter.view.guard.limits import Budget, Limits

CHEAP, USUAL, DEAR = 0.0005, 0.0015, 0.02  # s of the interpreter
COSTS = {"ViewerCameraMessage": CHEAP, "ScenePointerMessage": DEAR, "SceneNodeClickMessage": DEAR}
# Of these each one counts. Of the others only the last matters, so none is missed.
SINGLE = ("ScenePointerMessage", "SceneNodeClickMessage", "CommandTriggerMessage")
LONGEST_WAIT = 3.0  # s, however much a change has taken
SHORTEST_WAIT = 0.005  # s


class Changes:
    """What one client wants to change and has not yet."""

    def __init__(self, limits: Limits) -> None:
        share, burst = limits.change_share, limits.change_seconds
        self.budget = Budget(share, burst, debt=LONGEST_WAIT * share)
        # A page just opened has saved nothing, or coming again and again would pay.
        self.budget.tokens = min(burst, DEAR)
        self.waiting: dict[tuple[str, ...], Any] = {}

    def add(self, message: Any, *, is_button: bool) -> bool:
        """Let a message wait for its turn; False where another, which is lost, made room for it."""
        kind, key = type(message).__name__, name_change(message)
        is_lost = key in self.waiting and (is_button or kind in SINGLE)
        self.waiting[key] = message
        return not is_lost

    def take(self) -> Any:
        """The message whose turn it is; None while there is none, or nothing left of the share."""
        if not self.waiting or not self.budget.has_some():
            return None
        message = self.waiting.pop(next(iter(self.waiting)))
        self.budget.spend(COSTS.get(type(message).__name__, USUAL))
        return message

    def charge(self, seconds: float) -> None:
        """What came of a message took so long."""
        self.budget.spend(seconds)

    def seconds_to_wait(self) -> float | None:
        """Until the next turn; None while nothing waits."""
        return max(self.budget.seconds_in_debt(), SHORTEST_WAIT) if self.waiting else None


def name_change(message: Any) -> tuple[str, ...]:
    """What a message is about; a later one about the same takes its place."""
    parts = (getattr(message, name, "") for name in ("uuid", "name", "phase"))
    return (type(message).__name__, *map(str, parts))
