"""Hooks of the documentation site: files of the repository that pages link to, outside of docs/, become part of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
OUTSIDE = ("examples", "proof")


def on_files(files: Any, config: Any) -> Any:
    """Add the examples and the page of the proof."""
    from mkdocs.structure.files import File

    # Without a suffix MkDocs takes a file for a page of its own making: those are left as plain files.
    wanted = [path for path in (ROOT / "examples").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    for path in [*wanted, ROOT / "proof" / "README.md", ROOT / "proof" / "statements.txt"]:
        files.append(File.generated(config, path.relative_to(ROOT).as_posix(), abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Point to them where they are in the site."""
    for folder in OUTSIDE:
        markdown = markdown.replace(f"](../{folder}/", f"]({folder}/")
    markdown = markdown.replace("```sql refused", "```sql")  # a word for our tests, at which a fence would not begin
    return markdown.replace("](../docs/", "](../")
