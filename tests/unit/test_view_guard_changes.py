"""A client's share of the world: what is too much waits, and of values the last counts."""

import time
from collections.abc import Iterator

import pytest

pytest.importorskip("viser")

from guarded import CAMERA, Studio, open_studio, pack, update, wait_for

from skitter.view.guard.limits import Budget, Limits
from skitter.view.guard.server import charge
from view.hostile import open_client, read_messages

USUAL = Limits()


@pytest.fixture
def studio() -> Iterator[Studio]:
    with open_studio(USUAL) as made:
        yield made


def test_of_a_slider_that_is_moved_too_fast_the_last_value_counts(studio: Studio) -> None:
    moves = []
    studio.inputs["slider"].on_update(lambda event: moves.append(event.target.value))
    values = [k / 400 for k in range(1, 401)]
    with open_client(studio.url) as client:
        client.send(pack(CAMERA))
        for value in values:
            client.send(studio.update("slider", value))
        assert wait_for(lambda: studio.inputs["slider"].value == values[-1])
    assert wait_for(lambda: moves[-1] == values[-1])
    assert moves == sorted(moves)
    # What a message costs, 1.5 ms, is in their share of 0.06: about 40 a second.
    assert len(moves) < 200
    assert studio.count("left out") == 0


def test_clicks_that_are_left_out_are_told_once(studio: Studio) -> None:
    with open_client(studio.url) as client:
        client.send(pack(CAMERA))
        assert wait_for(studio.server.get_clients)
        for _ in range(300):
            client.send(update(studio.button._impl.uuid, True))
        assert wait_for(lambda: studio.count("left out") > 100)
        found = [m for m in read_messages(client, 0.5) if "Notification" in m["type"]]
    assert len(found) == 1
    assert found[0]["props"]["title"] == "Too much at once"
    assert found[0]["props"]["body"] == "Some clicks were left out, so that the world runs on."
    assert 1 <= studio.presses < 150


def test_who_clicks_at_leisure_is_never_held_up(studio: Studio) -> None:
    with open_client(studio.url) as client:
        client.send(pack(CAMERA))
        for count in range(1, 16):
            client.send(update(studio.button._impl.uuid, True))
            assert wait_for(lambda n=count: studio.presses == n)
            time.sleep(0.05)
    assert studio.count("left out") == 0


def test_what_took_long_is_waited_off_but_not_for_long(studio: Studio) -> None:
    with open_client(studio.url) as client, open_client(studio.url) as other:
        for one in (client, other):
            one.send(pack(CAMERA))
        assert wait_for(lambda: len(studio.server.get_clients()) == 2)
        charge(studio.server, min(studio.server.get_clients()), 60.0)
        time.sleep(0.1)
        start = time.monotonic()
        other.send(studio.update("whole", 7))
        assert wait_for(lambda: studio.inputs["whole"].value == 7)
        assert time.monotonic() - start < 1.5, "the other one did nothing"
        client.send(studio.update("slider", 0.9))
        assert wait_for(lambda: studio.inputs["slider"].value == 0.9)
        assert 1.5 < time.monotonic() - start < 6.0


def test_a_click_that_waits_for_an_input_that_has_gone_does_nothing(studio: Studio) -> None:
    with open_client(studio.url) as client:
        client.send(pack(CAMERA))
        assert wait_for(studio.server.get_clients)
        charge(studio.server, min(studio.server.get_clients()), 60.0)
        time.sleep(0.1)
        client.send(studio.update("slider", 0.9))
        time.sleep(0.3)
        studio.inputs["slider"].disabled = True
        client.send(studio.update("whole", 7))
        assert wait_for(lambda: studio.inputs["whole"].value == 7)
        assert studio.inputs["slider"].value == 0.5


def test_a_budget_forgets_debts_beyond_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    budget = Budget(0.5, 2.0, debt=1.0)
    budget.spend(50.0)
    assert budget.seconds_in_debt() == pytest.approx(2.0)  # 1 at 0.5 a second
    now[0] += 1.9
    assert not budget.has_some()
    now[0] += 0.2
    assert budget.has_some()
