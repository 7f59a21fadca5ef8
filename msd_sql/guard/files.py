"""Files behind relations, for the guard: whether two paths or glob patterns can mean a common file."""

from __future__ import annotations

import fnmatch
import glob
import os
import re
from collections.abc import Sequence

_SUFFIX = re.compile(
    r"\.(parquet|parq|csv|tsv|txt|json|jsonl|ndjson|xlsx|arrow|feather|avro|vortex|db|duckdb|sqlite)(\.(gz|zst|bz2))?$"
)
_REMOTE = re.compile(r"^[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_WILD = re.compile(r"[*?\[{]")


def ends_like_file(text: str) -> bool:
    """Tell whether a text ends as the name of a file that holds rows does.

    >>> ends_like_file("sales.csv.gz"), ends_like_file("main.sales")
    (True, False)
    """
    return bool(_SUFFIX.search(text.lower()))


def located(path: str, folders: Sequence[str] = (), home: str = "") -> set[str]:
    """The paths that DuckDB may look for, with its settings file_search_path and home_directory.

    >>> sorted(located("a.parquet", ["/data"]))
    ['/data/a.parquet', 'a.parquet']
    """
    found = {path}
    if path.startswith("~") and home:
        found.add(home.rstrip("/") + path[1:])
    elif not (_REMOTE.match(path) or path.lower().startswith("file:") or os.path.isabs(path)):
        found.update(there for folder in folders for there in located(f"{folder.rstrip('/')}/{path}", (), home))
    return found


def overlap(one: str, two: str) -> bool:
    """Tell whether the two can name a common file; in doubt (two patterns with a common stem) yes.

    >>> overlap("./sales/a.parquet", "sales/*.parquet"), overlap("a.parquet", "b.parquet")
    (True, False)
    """
    one, two = _normal(one), _normal(two)
    if one == two or _within(one, two) or _within(two, one):
        return True
    wild = bool(_WILD.search(one)), bool(_WILD.search(two))
    if all(wild):
        return _stem(one).startswith(_stem(two)) or _stem(two).startswith(_stem(one))
    if (wild[0] and _matches(two, one)) or (wild[1] and _matches(one, two)):
        return True
    return bool(_files(one) & _files(two))


def _normal(path: str) -> str:
    if path.lower().startswith("file:"):
        path = re.sub(r"^file:(//(localhost)?)?", "", path, flags=re.IGNORECASE)
    if _REMOTE.match(path):
        scheme, rest = path.split("://", 1)
        return f"{scheme.lower()}://{rest}"
    return os.path.realpath(os.path.expanduser(path))


def _within(inner: str, outer: str) -> bool:
    """A directory (of a partitioned table, Delta or Iceberg) holds everything below it."""
    return inner.startswith(outer.rstrip("/") + "/")


def _stem(pattern: str) -> str:
    found = _WILD.search(pattern)
    return pattern[: found.start()] if found else pattern


def _matches(path: str, pattern: str) -> bool:
    # fnmatch's * also crosses directories: more matches than DuckDB's, never fewer. Braces are beyond it.
    if "{" in pattern:
        return path.startswith(_stem(pattern))
    return fnmatch.fnmatchcase(path.lower(), pattern.lower().replace("**/", "*"))


def _files(path: str) -> set[tuple[int, int]]:
    """The identity of every local file of a pattern: a symbolic or hard link is the file it leads to."""
    if _REMOTE.match(path):
        return set()
    found = set()
    for file in glob.glob(path, recursive=True) if _WILD.search(path) else [path]:
        try:
            facts = os.stat(file)
        except OSError:
            continue
        found.add((facts.st_dev, facts.st_ino))
    return found
