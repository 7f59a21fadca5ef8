"""The fixture `msd_shop`: people's own tests, run by pytest itself, twice, with the same answers."""

import os
import subprocess
import sys

TEST = """
import msd_sql
def test_of_mine(msd_shop):
    found = msd_sql.select("FROM products", con=msd_shop, k=4, eps=0.1, diversity=0.5)
    print("answer", found.items, found.receipt.private, msd_sql.reach(msd_shop, found, 0.1))
"""


def test_answers_repeat_and_are_not_private(tmp_path):
    (tmp_path / "test_mine.py").write_text(TEST)
    plugin = ["-p", "msd_sql.integrations.pytest_plugin", "-p", "no:cacheprovider"]  # loaded by itself once installed
    command = [sys.executable, "-m", "pytest", "-q", "-s", *plugin, "--rootdir", str(tmp_path), str(tmp_path)]
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    told = [
        subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=alone) for _ in range(2)
    ]
    answers = [line for one in told for line in one.stdout.splitlines() if line.startswith("answer")]
    assert len(answers) == 2, told[0].stdout + told[0].stderr
    assert answers[0] == answers[1]
    assert "False" in answers[0]
