"""Room for creatures, by the clock and by number."""

import pytest

from skitter.errors import UserError
from skitter.view.room import FULL, MOST_CREATURES, Room

FRAME = 1 / 60  # s


def run(room: Room, share: float, count: int, frames: int = 40) -> None:
    """Frames that take so much of their time."""
    for _ in range(frames):
        room.mark(share * FRAME, count)


def has_room(room: Room, count: int, speed: float = 1.0) -> bool:
    try:
        room.check(count, FRAME, speed)
    except UserError as error:
        assert "\n" not in str(error)
        return False
    return True


def test_as_many_as_keep_pace() -> None:
    """On one thread, of creatures that take 0.11 of a frame six have room: 0.66 < 0.7 < 0.77."""
    assert FULL == 0.7
    for count in range(1, 9):
        room = Room(threads=1)
        run(room, 0.11 * count, count)
        assert has_room(room, count) == (count < 6)
        assert has_room(room, count, speed=0.25)
        assert not has_room(room, count, speed=4.0)


def test_clicks_in_a_row_are_counted_before_the_world_knows() -> None:
    room = Room(threads=1)
    run(room, 0.2, 1)
    assert [has_room(room, count) for count in (1, 2, 3, 4)] == [True, True, False, False]
    run(room, 0.3, 2, frames=3)  # too few to tell
    assert not has_room(room, 3)
    run(room, 0.3, 2)
    assert has_room(room, 3)


def test_creatures_side_by_side_may_yet_follow_each_other() -> None:
    """Two on two threads take 0.45: each alone may too, so a third makes 0.9 at worst."""
    room = Room(threads=2)
    run(room, 0.45, 2)
    assert not has_room(room, 2)
    room = Room(threads=1)
    run(room, 0.45, 2)
    assert has_room(room, 2)


def test_frames_that_take_longer_now_and_then_count() -> None:
    """A third of them take 0.5 of their time, the others 0.1: a second one may make it 1.0."""
    room = Room(threads=1)
    for number in range(30):
        room.mark((0.1 if number % 3 else 0.5) * FRAME, 1)
    assert not has_room(room, 1)


def test_the_number_is_a_limit_too() -> None:
    room = Room(threads=4)
    run(room, 1e-4, MOST_CREATURES - 1)
    room.check(MOST_CREATURES - 1, FRAME, 1.0)
    with pytest.raises(UserError, match="there are 32 creatures, and a living world takes no more"):
        room.check(MOST_CREATURES, FRAME, 1.0)


def test_a_world_that_has_not_run_takes_one() -> None:
    assert has_room(Room(threads=1), 1)
