"""The proof in `proof/` is whole, it notices when it is not, and the code computes what its theorems say."""

import math
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from msd_sql.udfs.privacy import bounds, renyi
from tests.proof.coq_formulas import Statements, evaluate

NOISE = [0.001, 0.0151, 0.1, 0.5, 1.0]
ROUNDS = [1, 2, 6, 20, 100]
DELTAS = [1e-3, 1e-6, 1e-9, 1e-15]


@pytest.fixture(scope="module")
def statements(root: Path) -> Statements:
    return Statements(root / "proof" / "statements.txt")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where what is compiled is kept, so that a change takes the time of what follows it."""
    return tmp_path_factory.mktemp("built")


def check(folder: Path, built: Path) -> subprocess.CompletedProcess[str]:
    if not shutil.which("coqc"):
        if os.environ.get("CI"):
            pytest.fail("CI must have Coq: apt-get install -y --no-install-recommends coq libcoq-stdlib")
        pytest.skip("the proof needs Coq: apt-get install -y --no-install-recommends coq libcoq-stdlib")
    environment = {**os.environ, "BUILT": str(built)}
    return subprocess.run(
        [folder / "check.sh"], capture_output=True, text=True, check=False, timeout=900, env=environment
    )


@pytest.mark.slow
@pytest.mark.xdist_group("proof")
def test_the_proof_is_whole(root: Path, built: Path):
    done = check(root / "proof", built)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("ok: ")


# What is changed in which file, and what check.sh says of it.
BROKEN = {
    "a constant of a theorem": (
        "Clocks.v",
        "eps (tanh (A * eta / 2) * exp",
        "eps (tanh (A * eta / 3) * exp",
        "Clocks.v does not compile",
    ),
    "a weaker theorem": (
        "Scores.v",
        "(INR T * (2 * m * eta)).\nProof. intros Hm Hgain.",
        "(INR T * (2 * m * eta)) \\/ False.\nProof. intros Hm Hgain. left.",
        "not as in statements.txt",
    ),
    "a theorem that is no longer listed": ("Check.v", "Check @best_match_clocks.\n", "", "best_match_clocks"),
    "a step that is left out": ("Renyi.v", "rewrite E in H2. lra.\nQed.", "Admitted.", "an unproved step"),
    "an axiom by another name": (
        "Check.v",
        "Example toy_transcripts : length (transcripts toy_menu 5) = 9%nat.\nProof. reflexivity. Qed.",
        "Variable granted'1 : False.\n"
        "Example toy_transcripts : length (transcripts toy_menu 5) = 9%nat.\nProof. destruct granted'1. Qed.",
        "other axioms",
    ),
}


@pytest.mark.slow
@pytest.mark.xdist_group("proof")
@pytest.mark.parametrize("change", BROKEN)
def test_a_broken_proof_is_noticed(change: str, root: Path, tmp_path: Path, built: Path):
    name, before, after, complaint = BROKEN[change]
    folder = tmp_path / "proof"
    shutil.copytree(root / "proof", folder)
    text = (folder / name).read_text(encoding="utf-8")
    assert text.count(before) == 1
    (folder / name).write_text(text.replace(before, after), encoding="utf-8")

    done = check(folder, built)
    assert done.returncode == 1
    assert complaint in done.stderr


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("- 2 ^ 2 / 8", -0.5),
        ("1 - 2 - 3", -4),
        ("/ 4 * INR 8", 2),
        ("2 * Rpower (1 + 1) (INR (Nat.min 3 5))", 16),
        ("- (x / (x - 1)) * ln (exp (- x))", 4.5),
    ],
)
def test_formulas_are_read_as_coq_reads_them(formula: str, value: float):
    assert evaluate(formula, x=3) == pytest.approx(value)


def test_what_is_not_understood_is_not_guessed():
    with pytest.raises(ValueError, match="beyond what is read"):
        evaluate("x :: nil", x=1)
    with pytest.raises(KeyError, match="cosh"):
        evaluate("cosh 1")


@pytest.mark.parametrize("theorem", ["coverage_clocks", "best_match_clocks", "apart_clocks", "clocks"])
@pytest.mark.parametrize("eta", NOISE)
@pytest.mark.parametrize("delta", DELTAS)
def test_clocks_is_the_theorem(statements: Statements, theorem: str, eta: float, delta: float):
    eps = bounds.clocks(eta, delta)
    claimed_eps, claimed_delta = statements.approximate(theorem)
    assert claimed_eps == "eps"
    proved = evaluate(claimed_delta, A=1, eta=eta, eps=eps)
    if eps > 0:
        assert proved == pytest.approx(delta, rel=1e-9)
    else:
        assert proved <= delta


@pytest.mark.parametrize("theorem", ["coverage_covering", "covering"])
@pytest.mark.parametrize("rounds", ROUNDS)
@pytest.mark.parametrize("eta", NOISE)
@pytest.mark.parametrize("spared", [0, 0.1, 3, 20])
def test_covering_is_the_theorem(statements: Statements, theorem: str, rounds: int, eta: float, spared: float):
    values = {"eta": eta, "T": rounds, "l": spared, "lambda": spared}
    eps, delta = (evaluate(claim, **values) for claim in statements.approximate(theorem))
    assert bounds.covering(eta, rounds, delta) == pytest.approx(eps, rel=1e-9)


@pytest.mark.parametrize("rounds", ROUNDS)
@pytest.mark.parametrize("eta", NOISE)
@pytest.mark.parametrize("total", [1, 3, 6])
def test_telescoping_is_the_theorem(statements: Statements, rounds: int, eta: float, total: int):
    for theorem in ("telescoping", "selection_telescoping"):
        eps = evaluate(statements.pure(theorem), T=rounds, A=total, eta=eta)
        assert bounds.telescoping(eta, rounds, total) == pytest.approx(eps)
    eps = evaluate(statements.pure("capped_telescoping"), T=rounds, cap=total, eta=eta)
    assert bounds.telescoping(eta, rounds, min(total, rounds)) == pytest.approx(eps)


@pytest.mark.parametrize("rounds", ROUNDS)
@pytest.mark.parametrize("most", [1, 3])
def test_basic_is_the_theorem(statements: Statements, rounds: int, most: int):
    for theorem in ("basic", "scores_basic"):
        eps = evaluate(statements.pure(theorem), T=rounds, m=most, eta=0.1)
        assert bounds.basic(2 * 0.1 * most, rounds) == pytest.approx(eps)


@pytest.mark.parametrize("alpha", [1.01, 2, 8.5, 36, 200])
@pytest.mark.parametrize("eta", [0.0001, 0.001, 0.0151, 0.1, 0.5])
@pytest.mark.parametrize("total", [1, 3])
def test_the_renyi_divergence_is_the_theorem(statements: Statements, alpha: float, eta: float, total: int):
    if (alpha - 1) * math.expm1(eta) >= 1:
        assert renyi.greedy_divergence(alpha, eta, total) == math.inf
        return
    for theorem in ("renyi", "selection_renyi"):
        proved = evaluate(statements.at_most(theorem), alpha=alpha, eta=eta, A=total)
        assert renyi.greedy_divergence(alpha, eta, total) == pytest.approx(proved, rel=1e-6)


@pytest.mark.parametrize("alpha", [1.01, 2, 8.5, 36, 200])
@pytest.mark.parametrize("delta", DELTAS)
def test_the_conversion_is_the_theorem(statements: Statements, alpha: float, delta: float):
    rho = 0.2
    proved = evaluate(
        statements.definitions["conversion"], alpha=alpha, rho=rho, eps=rho + renyi.conversion(alpha, delta)
    )
    assert proved == pytest.approx(delta, rel=1e-9)
    assert statements.approximate("renyi_approximate") == ("eps", "( conversion alpha rho eps )")
    assert statements.approximate("filter_two_rules") == ("eps_B", "( delta_sum + conversion alpha rho_B eps_B )")


@pytest.mark.parametrize("alpha", [1.01, 2, 36])
@pytest.mark.parametrize("rounds", ROUNDS)
@pytest.mark.parametrize("most", [1, 3])
def test_the_bounded_range_is_the_theorem(statements: Statements, alpha: float, rounds: int, most: int):
    eta = 0.1
    for theorem in ("bounded_range", "scores_bounded_range"):
        proved = evaluate(statements.at_most(theorem), alpha=alpha, eta=eta, m=most, T=rounds)
        assert renyi.bounded_range_divergence(alpha, 2 * most * eta, rounds) == pytest.approx(proved)
