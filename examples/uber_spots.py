"""Where should cars wait? Spots near many pickups that are spread over the city: `best_match` on private pickups.

    python examples/uber_spots.py [pickups.parquet] [--plot map.png]

The file needs columns lat and lon, one pickup a row. Without a file, points are generated around a few invented
centres. Every pickup is protected as a unit of its own; the candidate spots are a public grid.
"""

import argparse
from pathlib import Path

import duckdb
import numpy as np

import msd_sql

# How well a spot serves a pickup: 1 at the door, 0 from a kilometre on (distances in degrees at 40.75° north).
SIMILARITY = "greatest(0, 1 - sqrt(pow((r.lat - v.lat) * 111.2, 2) + pow((r.lon - v.lon) * 84.2, 2)))"


def generated(seed: int = 7, count: int = 60_000) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    centres = np.array([[40.755, -73.985], [40.725, -73.998], [40.775, -73.960], [40.708, -74.010], [40.805, -73.955]])
    place = centres[rng.choice(len(centres), count, p=[0.4, 0.25, 0.2, 0.1, 0.05])]
    return {"lat": rng.normal(place[:, 0], 0.006), "lon": rng.normal(place[:, 1], 0.005)}


def main(pickups: str | None = None, plot: str | None = None, k: int = 8, eps: float = 0.5) -> msd_sql.Selection:
    con = msd_sql.register(duckdb.connect())
    if pickups is None:
        points = generated()
        con.execute(
            "CREATE TABLE pickups AS SELECT unnest($1) AS lat, unnest($2) AS lon", [points["lat"], points["lon"]]
        )
    else:
        con.execute("CREATE TABLE pickups AS SELECT lat, lon FROM read_parquet($1)", [pickups])
    # The candidates are public: a grid along the island, from the Battery to Inwood, made without looking at pickups.
    con.execute("""
        CREATE TABLE spots AS
        SELECT row_number() OVER () AS spot,
            40.706 + i * 0.0040 - j * 0.0012 AS lat, -74.012 + i * 0.0022 + j * 0.0030 AS lon
        FROM range(40) a(i), range(-2, 7) b(j)""")
    msd_sql.protect(con, "pickups", budget=1.0, relevance="best_match", similarity=SIMILARITY)
    msd_sql.items(con, "spots", key="spot", features=["lat", "lon"], distance="haversine", reach="pickups")

    spots = con.table("spots")
    chosen = msd_sql.select(spots, k=k, eps=eps, diversity=0.2)
    print(chosen.rows.to_string(index=False))
    print(f"\n{chosen.receipt}")
    if plot:
        from msd_sql.plots import plot_map, save

        everywhere = con.execute("SELECT lat, lon FROM spots").fetchnumpy()
        title = f"{k} waiting spots, ε = {eps:g}: near many pickups and spread out"
        figure = plot_map(
            chosen.rows["lat"], chosen.rows["lon"], candidates=(everywhere["lat"], everywhere["lon"]), title=title
        )
        print(f"Written: {save(figure, Path(plot))}")
    con.close()
    return chosen


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pickups", nargs="?")
    parser.add_argument("--plot")
    arguments = parser.parse_args()
    main(arguments.pickups, arguments.plot)
