-- Schema msd: what was declared and what was spent. It is created at the first declaration, in one transaction.
-- Times are UTC (TIMESTAMP, because TIMESTAMPTZ needs an extension and a Python package to be read).

CREATE SCHEMA IF NOT EXISTS msd;

-- One row: the layout's version, for later migration, and an identity that no other database has.
CREATE TABLE msd.version (
    version INTEGER NOT NULL,
    identity UUID NOT NULL,
    created_at TIMESTAMP NOT NULL
);

-- m is public: given by the owner, or counted once when the relation is protected and then fixed.
-- A relation that is no longer protected keeps its row (active = false), so that protecting it again continues
-- with what was spent. revision changes with every write: DuckDB looks for conflicts column by column, and only where
-- a value really changes, so that two transactions are sure to meet only in a column that both of them change.
CREATE TABLE msd.protected (
    key VARCHAR PRIMARY KEY,
    path VARCHAR,
    unit VARCHAR,
    item VARCHAR,
    relevance VARCHAR NOT NULL,
    similarity VARCHAR,
    cap INTEGER NOT NULL,
    m BIGINT NOT NULL,
    budget DECIMAL(38, 20) NOT NULL,
    delta DECIMAL(38, 30) NOT NULL,
    spent DECIMAL(38, 20) NOT NULL,
    spent_delta DECIMAL(38, 30) NOT NULL,
    active BOOLEAN NOT NULL,
    revision BIGINT NOT NULL,
    declared_at TIMESTAMP NOT NULL
);

CREATE TABLE msd.items (
    key VARCHAR PRIMARY KEY,
    path VARCHAR,
    item VARCHAR NOT NULL,
    features VARCHAR[] NOT NULL,
    distance VARCHAR,
    quota VARCHAR[] NOT NULL,
    quota_cap INTEGER[] NOT NULL,
    reach VARCHAR,
    reach_path VARCHAR,
    declared_at TIMESTAMP NOT NULL
);

-- eps and delta are what the release is worth (infinity where it was exact); charged_eps and charged_delta are what
-- it took from the budget, so that their sums over a relation are what was spent.
CREATE TABLE msd.ledger (
    id UUID PRIMARY KEY,
    time TIMESTAMP NOT NULL,
    relation VARCHAR,
    kind VARCHAR NOT NULL,
    statement VARCHAR NOT NULL,
    parameters JSON NOT NULL,
    n BIGINT,
    k BIGINT,
    method VARCHAR,
    bound VARCHAR,
    eps DOUBLE NOT NULL,
    delta DOUBLE NOT NULL,
    charged_eps DECIMAL(38, 20) NOT NULL,
    charged_delta DECIMAL(38, 30) NOT NULL,
    exact BOOLEAN NOT NULL,
    asserted_public BOOLEAN NOT NULL,
    replayed BOOLEAN NOT NULL,
    receipt JSON NOT NULL
);
