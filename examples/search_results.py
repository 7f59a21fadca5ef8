"""Diverse search results, or passages for a prompt: public scores and embeddings, so no privacy is needed or spent.

    python examples/search_results.py

Twelve passages answer "how do I sleep better?". The best five by score say the same thing in other words; the diverse
five cover light, noise, habits and remedies. The embeddings here are made by hand; use your model's.
"""

import duckdb

import msd_sql

# score, topic vector (habits, light, noise, remedies), text
PASSAGES = [
    (0.95, [1.0, 0.1, 0.0, 0.0], "Go to bed at the same hour every night."),
    (0.94, [1.0, 0.0, 0.1, 0.0], "Keep a regular bedtime, also on weekends."),
    (0.93, [0.9, 0.1, 0.0, 0.1], "A fixed time to get up steadies your sleep."),
    (0.92, [1.0, 0.1, 0.1, 0.0], "Regular hours are the best sleeping aid."),
    (0.90, [0.9, 0.0, 0.0, 0.1], "Do not nap after three in the afternoon."),
    (0.83, [0.1, 1.0, 0.0, 0.0], "Dim the lights an hour before bed."),
    (0.82, [0.0, 1.0, 0.1, 0.0], "Blue light from a screen keeps you awake."),
    (0.78, [0.0, 0.1, 1.0, 0.0], "Ear plugs help in a noisy street."),
    (0.74, [0.1, 0.0, 1.0, 0.1], "A steady fan masks sudden noises."),
    (0.71, [0.0, 0.0, 0.1, 1.0], "Melatonin shortens the time to fall asleep a little."),
    (0.66, [0.1, 0.0, 0.0, 1.0], "Chamomile tea is a mild traditional remedy."),
    (0.30, [0.3, 0.3, 0.3, 0.3], "Sleep was studied by the ancient Greeks."),
]


def main() -> list[str]:
    con = msd_sql.register(duckdb.connect())
    con.execute("CREATE TABLE hits (id INTEGER, score DOUBLE, embedding FLOAT[4], passage VARCHAR)")
    con.executemany("INSERT INTO hits VALUES (?, ?, ?, ?)", [(i, *row) for i, row in enumerate(PASSAGES)])

    print("The best five by score:")
    print(
        "  " + "\n  ".join(row[0] for row in con.sql("SELECT passage FROM hits ORDER BY score DESC LIMIT 5").fetchall())
    )

    chosen = con.sql(
        "SELECT passage FROM msd_topk(hits, 5, NULL, 0.5, key := 'id', features := embedding, score := score)"
    )
    passages = [row[0] for row in chosen.fetchall()]
    print("\nFive that are relevant and differ:")
    print("  " + "\n  ".join(passages))
    print(f"\nLines in the ledger: {len(con.sql('FROM msd_ledger()').fetchall())}. Nothing private was read.")
    return passages


if __name__ == "__main__":
    main()
