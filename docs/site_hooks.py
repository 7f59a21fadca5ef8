"""Hooks of the documentation site: files of the repository that pages link to, outside of docs/, become part of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
OUTSIDE = ("examples", "proof")


def on_files(files: Any, config: Any) -> Any:
    """Add the examples and the page of the proof."""
    from mkdocs.structure.files import File

    wanted = [path for path in (ROOT / "examples").iterdir() if path.suffix in (".py", ".sql", ".ipynb")]
    for path in [*wanted, ROOT / "proof" / "README.md", ROOT / "proof" / "statements.txt"]:
        files.append(File.generated(config, path.relative_to(ROOT).as_posix(), abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Point to them where they are in the site."""
    for folder in OUTSIDE:
        markdown = markdown.replace(f"](../{folder}/", f"]({folder}/")
    return markdown.replace("](../docs/", "](../")
