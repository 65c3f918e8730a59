"""The door of the studio: who may connect, and what is served to whom."""

import contextlib
import gc
import http.client
import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

pytest.importorskip("viser")

from guarded import (
    TOKEN,
    Studio,
    check_answers,
    get_close_code,
    get_status,
    make_handshake,
    open_studio,
)

from skitter.errors import UserError
from skitter.view.guard.door import PAGE_HEADERS
from skitter.view.guard.server import close_server, find_address, open_server
from skitter.view.guard.token import read_token
from view.hostile import open_client


@pytest.fixture
def studio() -> Iterator[Studio]:
    with open_studio() as made:
        yield made


def fetch(studio: Studio, path: str = "/", *, method: str = "GET", **headers: str) -> Any:
    """With the cookie of the studio's page, unless another is given."""
    return fetch_bare(studio, path, method=method, **{"Cookie": studio.cookie} | headers)


def fetch_bare(studio: Studio, path: str = "/", *, method: str = "GET", **headers: str) -> Any:
    line = http.client.HTTPConnection("127.0.0.1", studio.server.get_port(), timeout=5)
    try:
        line.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            line.putheader(name, value)
        line.endheaders()
        response = line.getresponse()
        response.text = response.read().decode("latin-1")  # type: ignore[attr-defined]
        return response
    finally:
        line.close()


def test_own_page_connects(studio: Studio) -> None:
    check_answers(studio)
    assert studio.count("strike") == 0


@pytest.mark.parametrize("origin", ["http", "https"])
def test_origin_equals_host(studio: Studio, origin: str) -> None:
    assert get_status(studio, origin=f"{origin}://{studio.place}") == 101


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
        line.sendall(make_handshake(host, origin, studio.cookie))
        return line.recv(4096).split(b"\r\n")[0]


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
    for name, value in PAGE_HEADERS.items():
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


SENTENCE = (
    "This studio is open only at its address with the token, which `skitter view` printed in"
    " the terminal that it runs in.\n"
)
WRONG = "b" + TOKEN[1:]
WITHOUT = [  # path, cookie
    ("/", ""),
    ("/index.html", ""),
    ("/nothing", ""),
    ("/../../etc/passwd", ""),
    ("/?token=", ""),
    (f"/?token={WRONG}", ""),
    (f"/?token={TOKEN[:-1]}", ""),
    (f"/?token={TOKEN}x", ""),
    (f"/?Token={TOKEN}", ""),
    (f"/{TOKEN}", ""),
    (f"/?token=%ff%00{TOKEN}", ""),
    ("/", "skitter-{port}="),
    ("/", f"skitter-{{port}}={WRONG}"),
    ("/", f"skitter-1={TOKEN}"),  # of a studio at another port
    ("/", f"token={TOKEN}"),
    ("/", f"x=skitter-{{port}}={TOKEN}"),
]


@pytest.mark.parametrize(("path", "cookie"), WITHOUT)
def test_nothing_is_served_without_the_token(studio: Studio, path: str, cookie: str) -> None:
    cookie = cookie.format(port=studio.server.get_port())
    refused = fetch_bare(studio, path, Cookie=cookie)
    assert (refused.status, refused.text) == (403, SENTENCE)
    assert "Set-Cookie" not in refused.headers
    assert refused.headers["Content-Type"].startswith("text/plain")


@pytest.mark.parametrize(("path", "cookie"), WITHOUT)
def test_no_websocket_opens_without_the_token(studio: Studio, path: str, cookie: str) -> None:
    cookie = cookie.format(port=studio.server.get_port())
    handshake = make_handshake(studio.place, f"http://{studio.place}", cookie)
    with socket.create_connection(("127.0.0.1", studio.server.get_port()), timeout=5) as line:
        line.sendall(handshake.replace(b"GET / ", f"GET {path} ".encode(), 1))
        assert b" 403 " in line.recv(4096).split(b"\r\n")[0]
    assert not studio.server.get_clients()
    assert studio.guard.count_clients() == 0


def test_the_address_with_the_token_opens_the_page_again_and_again(studio: Studio) -> None:
    for _ in range(2):
        page = fetch_bare(studio, f"/?token={TOKEN}")
        assert page.status == 200
        port = studio.server.get_port()
        (cookie,) = page.headers.get_all("Set-Cookie")
        pair, *rules = cookie.split("; ")
        assert pair == f"skitter-{port}={TOKEN}"
        assert {*rules} == {"Path=/", "HttpOnly", "SameSite=Strict"}
        assert fetch_bare(studio, "/index.html", Cookie=f"other=1; {pair}").status == 200
        headers = {"Cookie": pair}
        assert get_status(Bare(studio), additional_headers=headers) == 101
        assert get_status(Bare(studio)) == 403


class Bare:
    """The studio as one knows it who has no token."""

    def __init__(self, studio: Studio) -> None:
        self.url = f"http://{studio.place}/"


def test_the_token_does_not_help_other_sites(studio: Studio) -> None:
    path = f"/?token={TOKEN}"
    assert fetch_bare(studio, path, Host="evil.example").status == 403
    assert fetch_bare(studio, path, Origin="http://evil.example").status == 403
    assert get_status(studio, origin="http://evil.example") == 403
    assert get_status(studio, origin=None) == 403


def test_every_studio_has_a_token_of_its_own() -> None:
    servers = [open_server(port=0) for _ in range(2)]
    try:
        addresses = [find_address(server) for server in servers]
        tokens = [parse_qs(urlsplit(one).query)["token"][0] for one in addresses]
        assert tokens[0] != tokens[1]
        assert all(len(one) >= 32 for one in tokens)  # of 64 letters: 192 bits
    finally:
        for server in servers:
            close_server(server)


def test_tokens_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SKITTER_TOKEN", raising=False)
    assert read_token(None) is None
    assert read_token("12345678") == "12345678"
    monkeypatch.setenv("SKITTER_TOKEN", "of_the-environment")
    assert read_token(None) == "of_the-environment"
    assert read_token("12345678") == "12345678"
    monkeypatch.setenv("SKITTER_TOKEN", "")
    assert read_token(None) is None


@pytest.mark.parametrize(
    "text", ["", "1234567", "a" * 129, "with space", "a&token=b", "käferkäfer"]
)
def test_tokens_that_cannot_stand_in_an_address(text: str, monkeypatch: Any) -> None:
    with pytest.raises(UserError, match=r"--token: .*; valid: 8 to 128 letters") as caught:
        read_token(text)
    assert "\n" not in str(caught.value)
    if text:
        monkeypatch.setenv("SKITTER_TOKEN", text)
        with pytest.raises(UserError, match=r"SKITTER_TOKEN: .*; valid: 8 to 128 letters"):
            read_token(None)


def test_version_mismatch_is_quiet(studio: Studio, capfd: pytest.CaptureFixture[str]) -> None:
    with open_client(studio.url, subprotocols=["viser-v0.0.1"]) as client:
        assert get_close_code(client) == 1002
    assert capfd.readouterr() == ("", "")
