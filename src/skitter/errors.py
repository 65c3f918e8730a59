"""The two ways a run can end badly, and the exit code each one gets on the command line."""


class SkitterError(Exception):
    """Anything Skitter raises on purpose; the message is one clear line."""

    exit_code = 1

    def __init__(self, message: str) -> None:
        super().__init__(make_one_line(message))


class UserError(SkitterError):
    """A mistake in what the user gave: what was found, where, and what would be valid."""

    exit_code = 2


class SimulationError(SkitterError):
    """The simulation itself failed: which creature, which step, what to try."""


def make_one_line(text: str) -> str:
    """The text with line breaks joined and unprintable characters escaped.

    File names and keys come from outside: neither may break the line or drive the terminal.
    """
    joined = " ".join(text.split())
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in joined)
