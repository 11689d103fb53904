"""The table of rooms on docs/architecture.md is that of tests/test_rooms.py."""

from tools import generated, rooms


def test_the_table_is_fresh() -> None:
    assert generated.stale(rooms.files()) == [], "renew with: python -m tools.rooms"
