"""The package as installed: names, versions, what must not be imported."""

import ast
import os
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections import Counter

import pytest

import msd_sql

BUILD = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--disable-pip-version-check"]


def test_a_users_own_udfs_module_does_not_shadow_ours(tmp_path):
    (tmp_path / "udfs.py").write_text("WHOSE = 'the user'\n")
    code = (
        "import udfs, msd_sql.udfs, msd_sql.udfs.errors as ours;"
        "assert udfs.WHOSE == 'the user';"
        "assert ours.suggest('method', 'gredy', ['greedy']).startswith('Unknown method');"
        "assert msd_sql.udfs is not udfs;"
        "print('both')"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("both\n", "")


def test_version_is_the_same_everywhere(root):
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    assert msd_sql.__version__ == project["version"]


def test_every_package_is_listed_for_the_wheel(root):
    listed = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    found = {
        ".".join(init.parent.relative_to(root).parts)
        for init in [*(root / "msd_sql").rglob("__init__.py"), *(root / "msd_sql" / "udfs").rglob("__init__.py")]
        if "__pycache__" not in init.parts
    }
    assert set(listed) == found


def test_the_kernel_never_imports_duckdb(root):
    for file in (root / "udfs").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom) and node.level == 0
                else []
            )
            tops = {name.split(".")[0] for name in names}
            assert not tops & {"duckdb", "msd_sql", "pandas", "sqlglot"}, file


@pytest.fixture(scope="session")
def checkout(root, tmp_path_factory):
    """A copy of the checkout as git has it, so that building leaves nothing in the tree itself."""
    folder = tmp_path_factory.mktemp("checkout")
    names = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True).stdout.split("\n")
    for name in filter(None, names):
        if (root / name).exists() and not name.startswith(("tests/", "docs/", "benchmarks/")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, folder / name, follow_symlinks=False)
    return folder


@pytest.fixture(scope="session")
def wheel(checkout, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([*BUILD, "--wheel-dir", str(folder), str(checkout)], check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_every_module_once(root, wheel):
    held = [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith((".py", ".sql"))]
    assert [name for name, count in Counter(held).items() if count > 1] == []
    sources = [*(root / "msd_sql").rglob("*.py"), *(root / "udfs").rglob("*.py")]
    expected = set()
    for file in sources:
        name = file.relative_to(root).as_posix()
        if "__pycache__" not in name and not name.startswith("msd_sql/udfs/"):
            expected.add(f"msd_sql/{name}" if name.startswith("udfs/") else name)
    assert {name for name in held if name.endswith(".py")} == expected


@pytest.mark.slow
@pytest.mark.parametrize("way", ["plain", "editable"])
def test_the_checkout_imports_after_an_install(checkout, wheel, tmp_path, way):
    """In the checkout msd_sql/ comes before the installed package: it must hold the kernel too."""
    venv.create(tmp_path / "env", with_pip=False)
    python = tmp_path / "env" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    site = subprocess.run(
        [python, "-c", "import site; print(site.getsitepackages()[0])"], capture_output=True, text=True, check=True
    ).stdout.strip()
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", site]
    subprocess.run([*install, str(wheel)] if way == "plain" else [*install, "--editable", str(checkout)], check=True)
    code = "import msd_sql.udfs.errors as errors, msd_sql; print(msd_sql.__file__); print(errors.__file__)"
    for folder in (checkout, tmp_path):
        done = subprocess.run([python, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        package, kernel = done.stdout.splitlines()
        assert package.endswith("__init__.py")
        assert kernel.endswith("errors.py")
        inside = folder == checkout or way == "editable"
        assert package.startswith(str(checkout if inside else site))


def test_nothing_is_loaded_before_it_is_used():
    code = "import sys, msd_sql.udfs, msd_sql.cli; print(sorted({'duckdb', 'numpy', 'sqlglot'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_import_contracts_hold(root):
    code = "from importlinter.cli import lint_imports_command as check; check()"
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
