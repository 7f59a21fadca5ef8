import pytest

from msd_sql.shell.statements import blank, finished, split


@pytest.mark.parametrize(
    ("text", "statements", "rest"),
    [
        ("", [], ""),
        ("SELECT 1;", ["SELECT 1"], ""),
        ("SELECT 1; SELECT 2; SELECT", ["SELECT 1", "SELECT 2"], " SELECT"),
        ("SELECT ';'; x", ["SELECT ';'"], " x"),
        ("SELECT 1 -- one\n", [], "SELECT 1 -- one\n"),
        ('SELECT 1 AS "a;b";', ['SELECT 1 AS "a;b"'], ""),
        ("SELECT $$ a;b $$;", ["SELECT $$ a;b $$"], ""),
        ("SELECT 'it''s; fine';", ["SELECT 'it''s; fine'"], ""),
        ("SELECT 'é;ü'; SELECT 'ß'", ["SELECT 'é;ü'"], " SELECT 'ß'"),
        ("-- one; two\nSELECT 1;", ["-- one; two\nSELECT 1"], ""),
        ("SELECT 1; -- done;", ["SELECT 1"], ""),
        ("/* a; */ SELECT 1", [], "/* a; */ SELECT 1"),
        (";;SELECT 1;;", ["SELECT 1"], ""),
        ("SELECT 'open;", [], "SELECT 'open;"),
    ],
)
def test_text_is_cut_at_semicolons_that_end_a_statement(text: str, statements: list[str], rest: str) -> None:
    assert split(text) == (statements, rest)


def test_a_comment_alone_is_blank() -> None:
    assert blank(" -- nothing\n/* here */ ")
    assert not blank("SELECT 1 -- something")


def test_a_dot_command_needs_no_semicolon() -> None:
    assert finished(".tables")
    assert finished("SELECT 1;")
    assert not finished("SELECT 1")
    assert not finished("SELECT 'a;")
