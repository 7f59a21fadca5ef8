"""Public scores and embeddings against pyversity's MSD, and coverage alone against apricot's."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator

import duckdb
import numpy as np
from scipy import sparse

import msd_sql
from benchmarks.data.generate import generate
from benchmarks.speed.measure import Figure, against, race, said
from msd_sql.udfs import Angular, Coverage, CoverageIndex, Score, Uniform, evaluate, plan, select

DIMENSION = 128
DIVERSITY = 0.5


def run(*, quick: bool) -> Iterator[Figure]:
    """Measure the kernel, the way from SQL to it, and coverage."""
    sizes = (1_000, 10_000) if quick else (1_000, 10_000, 100_000)
    for n in sizes:
        for k in (10, 50):
            yield _pyversity(n, k, 3 if quick else 5 if n > 10_000 else 25)
    for dimension in (DIMENSION, 384):
        for k, now, goal in ((10, 0.5, 0.3), (50, 0.25, 0.15)):
            yield _from_sql(sizes[-1], k, dimension, 3 if quick else 9, now, goal)
    if not quick:
        yield _from_sql(1_000_000, 10, DIMENSION, 3, 0.5, 0.2)
    yield _apricot(quick)


def documents(n: int, dimension: int = DIMENSION) -> tuple[np.ndarray, np.ndarray]:
    """Make embeddings in clusters, as texts have them, and a relevance score for each."""
    rng = np.random.default_rng(n)
    centres = rng.normal(size=(40, dimension)).astype(np.float32)
    vectors = rng.standard_normal((n, dimension), dtype=np.float32)
    vectors *= np.float32(0.8)
    vectors += centres[rng.integers(0, 40, n)]
    return vectors, rng.beta(2, 5, n)


def _kernel(vectors: np.ndarray, scores: np.ndarray, k: int) -> tuple[int, ...]:
    n = len(scores)
    todo = plan(n=n, k=k, eps=None, diversity=DIVERSITY, relevance="score", method="greedy")
    return select(todo, Score(scores, k), Angular(vectors), Uniform(n, k)).picks


def _pyversity(n: int, k: int, turns: int) -> Figure:
    from pyversity import Strategy, diversify

    vectors, scores = documents(n)
    picks: dict[str, list[int]] = {}

    def ours() -> None:
        picks["ours"] = list(_kernel(vectors, scores, k))

    def theirs() -> None:
        found = diversify(vectors, scores, k, strategy=Strategy.MSD, diversity=DIVERSITY)
        picks["theirs"] = [int(item) for item in found.indices]

    with said(f"pyversity, n = {n:,}, k = {k}"):
        found = race({"ours": ours, "theirs": theirs}, turns)
    values = {
        name: evaluate(Score(scores, k), Angular(vectors), chosen, diversity=DIVERSITY).objective
        for name, chosen in picks.items()
    }
    lower = "" if values["ours"] >= values["theirs"] - 1e-12 else ", LOWER"
    return Figure(
        f"public score + embeddings ÷ pyversity MSD, n = {n:,}, k = {k}",
        found["ours"].best / found["theirs"].best,
        1.0,
        0.5,
        detail=f"{found['ours'].best * 1e3:.1f} ms against {found['theirs'].best * 1e3:.1f} ms; "
        f"objective {values['ours']:.4f} against {values['theirs']:.4f}{lower}",
    )


def _from_sql(n: int, k: int, dimension: int, turns: int, now: float, goal: float) -> Figure:
    """The whole way from a table to the chosen rows, ours and what one would write instead."""
    from pyversity import Strategy, diversify

    vectors, scores = documents(n, dimension)
    with duckdb.connect() as con:
        con.execute(f"CREATE TABLE hits (doc_id INTEGER, embedding FLOAT[{dimension}], bm25 DOUBLE)")
        _fill(con, vectors, scores)
        msd_sql.register(con)
        sql = (
            f"SELECT msd_select(doc_id, {k}, NULL, {DIVERSITY}, features := embedding, score := bm25, "
            "distance := 'angular') FROM hits"
        )

        def by_hand() -> list[tuple[object, ...]]:
            fetched = con.sql("SELECT doc_id, embedding, bm25 FROM hits").to_arrow_table().combine_chunks()
            held = fetched["embedding"].combine_chunks()
            matrix = held.flatten().to_numpy(zero_copy_only=False).reshape(-1, dimension)
            found = diversify(matrix, fetched["bm25"].to_numpy(), k, strategy=Strategy.MSD, diversity=DIVERSITY)
            ids = fetched["doc_id"].to_numpy()[found.indices].tolist()
            return con.execute(f"SELECT doc_id, bm25 FROM hits WHERE doc_id IN ({', '.join(map(str, ids))})").fetchall()

        with said(f"from SQL, n = {n:,}, k = {k}, {dimension} dimensions"):
            found = race({"ours": lambda: con.execute(sql).fetchall(), "theirs": by_hand}, turns)
    return against(
        f"diverse search from SQL ÷ fetch through Arrow, pyversity, read back: {n:,} × FLOAT[{dimension}], k = {k}",
        found["ours"],
        found["theirs"],
        now,
        goal,
    )


def _fill(con: duckdb.DuckDBPyConnection, vectors: np.ndarray, scores: np.ndarray) -> None:
    import pyarrow as pa

    flat = pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), vectors.shape[1])
    hits = pa.table({"doc_id": np.arange(len(scores), dtype=np.int32), "embedding": flat, "bm25": scores})
    con.register("hits_arrow", hits)
    con.execute("INSERT INTO hits SELECT * FROM hits_arrow")
    con.unregister("hits_arrow")


def _apricot(quick: bool) -> Figure:
    k = 20
    name = "coverage only (λ = 0) ÷ apricot MaxCoverageSelection, k = 20"
    try:
        from apricot import MaxCoverageSelection
    except ImportError as missing:
        return Figure(name, None, 0.2, 0.05, detail=f"apricot-select does not import here: {missing}")
    shop = generate(300, 12_000, 26_000) if quick else generate()
    ones = np.ones(len(shop.item_codes))
    table = sparse.csr_matrix((ones, (shop.item_codes, shop.user_codes)), shape=(shop.n, shop.users))
    table.data[:] = 1.0
    start = time.perf_counter()
    index = CoverageIndex.from_pairs(shop.item_codes, shop.user_codes, shop.n)
    todo = plan(n=shop.n, k=k, eps=None, diversity=0.0, m=shop.users, method="greedy", distance=False)
    picks = select(todo, Coverage(index, shop.users, k), None, Uniform(shop.n, k)).picks
    ours = time.perf_counter() - start
    with said("apricot"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        theirs = MaxCoverageSelection(k, threshold=1.0, optimizer="lazy").fit(table)
        seconds = time.perf_counter() - start
    reached = [Coverage(index, shop.users, k) for _ in range(2)]
    for relevance, chosen in zip(reached, (picks, theirs.ranking), strict=True):
        for item in chosen:
            relevance.add(int(item))
    values = [relevance.value() for relevance in reached]
    return Figure(
        name,
        ours / seconds,
        0.2,
        0.05,
        detail=f"{ours:.2f} s (index included) against {seconds:.1f} s (lazy greedy on the sparse table); "
        f"{values[0]:,} users reached against {values[1]:,}",
    )
