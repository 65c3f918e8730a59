"""The token in the studio's address: who knows it may come in, and nobody else.

A page is opened with the token in its address. The answer sets a cookie, which the browser sends
with all that the page asks for afterwards, its websocket too. Cookies are shared by all ports of a
machine, so each studio has its own, named after its port.
"""

import hmac
import os
import re
import secrets
from urllib.parse import parse_qs, urlsplit

from websockets.http11 import Request

from skitter.errors import UserError

TOKEN = "SKITTER_TOKEN"  # of the environment
VALID = re.compile(r"[A-Za-z0-9_-]{8,128}")
RULE = "8 to 128 letters (a to z, A to Z), digits, - and _"
REFUSAL = (
    "This studio is open only at its address with the token, which `skitter view` printed in"
    " the terminal that it runs in.\n"
)


def read_token(given: str | None) -> str | None:
    """The token of the command line, or else of the environment; None where neither has one."""
    label, text = ("--token", given) if given is not None else (TOKEN, os.environ.get(TOKEN))
    if text is None or (text == "" and given is None):
        return None
    return check_token(text, label)


def check_token(text: str, label: str = "token") -> str:
    """The same text, if it can stand in an address. A mistake does not repeat it: it is secret."""
    if VALID.fullmatch(text) is None:
        raise UserError(f"{label}: {len(text)} characters that make no token; valid: {RULE}")
    return text


def make_token() -> str:
    return secrets.token_urlsafe(24)


class Pass:
    """Knows the token of the studio at a port, and finds it in requests."""

    def __init__(self, token: str, port: int) -> None:
        self.token = token
        self.cookie = f"skitter-{port}"

    def is_in_address(self, request: Request) -> bool:
        given = parse_qs(urlsplit(request.path).query, max_num_fields=64).get("token", [])
        return any(self.matches(one) for one in given)

    def is_in_cookie(self, request: Request) -> bool:
        pairs = [
            part.strip().partition("=")
            for header in request.headers.get_all("Cookie")
            for part in header.split(";")
        ]
        return any(name == self.cookie and self.matches(value) for name, _, value in pairs)

    def matches(self, given: str) -> bool:
        """In a time that does not tell how much of it is right."""
        return hmac.compare_digest(given.encode(errors="replace"), self.token.encode())

    @property
    def header(self) -> str:
        """What makes a browser keep it: out of reach of scripts, and never for other sites."""
        return f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Strict"
