"""The package as installed: names, versions, what must not be imported."""

import ast
import subprocess
import sys
import tomllib

import msd_sql


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
