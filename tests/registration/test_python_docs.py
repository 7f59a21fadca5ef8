"""docs/python.md is what the docstrings say."""

import runpy
from pathlib import Path

import msd_sql

MAKE = Path(__file__).parents[2] / "docs" / "make_python.py"


def test_the_page_is_what_the_docstrings_say():
    made = runpy.run_path(str(MAKE))
    assert made["page"]() == made["PAGE"].read_text("utf-8"), "run python docs/make_python.py"


def test_it_has_every_public_name():
    named = {name for names in runpy.run_path(str(MAKE))["PARTS"].values() for name in names}
    assert named == set(msd_sql.__all__)
