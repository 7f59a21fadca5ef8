"""A short, seeded run of the fuzzer; CI runs it for a minute (`python -m tests.guard.fuzz --minutes 1`)."""

from tests.guard.fuzz import fuzz


def test_no_statement_that_is_answered_shows_one_users_rows():
    found = fuzz(7, statements=150)
    assert found.leaks == []
    assert found.answered > 30
    assert found.refused > 15
