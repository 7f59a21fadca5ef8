"""Write the tables of docs/architecture.md: one a package, its modules by the first line of their docstrings.

python docs/make_architecture.py            writes the page
python docs/make_architecture.py --check    fails where the page is not what it would write
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "architecture.md"
START, END = "<!-- tables: made by docs/make_architecture.py -->", "<!-- end of tables -->"
ORDER = (
    "", "surface", "database", "catalog", "guard", "engines", "engines/memory", "engines/sql", "engines/spark",
    "runtime", "question", "actions", "remote", "curator", "shell", "bridge", "commands", "demo", "studies",
)  # fmt: skip


def first_line(path: Path) -> str:
    """What a module says that it is: the first line of its docstring, without a full stop."""
    told = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return told.split("\n")[0].rstrip(".:").replace("|", "\\|")


def table(package: Path) -> list[str]:
    """The heading and the table of one package."""
    name = f"`{package.relative_to(ROOT).as_posix()}/`"
    lines = [
        "",
        f"### {name}",
        "",
        _sentence(first_line(package / "__init__.py")),
        "",
        "| module | what it is |",
        "|---|---|",
    ]
    for module in sorted(package.glob("*.py")):
        if module.name != "__init__.py":
            lines.append(f"| `{module.stem}` | {first_line(module)} |")
    return lines


def _sentence(text: str) -> str:
    return text if text.endswith("?") else f"{text}."


def packages() -> list[Path]:
    """Every package, in the order in which one reads them."""
    top = ROOT / "msd_sql"
    known = [top / name if name else top for name in ORDER]
    found = {init.parent for init in top.rglob("__init__.py") if "udfs" not in init.relative_to(top).parts}
    kernel = sorted(init.parent for init in (ROOT / "udfs").rglob("__init__.py"))
    return [*(one for one in known if one in found), *sorted(found - set(known)), *kernel]


def page() -> str:
    """The page with its tables made anew."""
    before, _, rest = PAGE.read_text("utf-8").partition(START)
    after = rest.partition(END)[2]
    made = [line for package in packages() for line in table(package)]
    return f"{before}{START}\n" + "\n".join(made).lstrip("\n") + f"\n\n{END}{after}"


if __name__ == "__main__":
    if "--check" in sys.argv:
        fresh = page() == PAGE.read_text("utf-8")
        sys.exit(0 if fresh else "docs/architecture.md is out of date: python docs/make_architecture.py")
    PAGE.write_text(page(), "utf-8")
