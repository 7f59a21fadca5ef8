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
-- budget and delta are the limits; the account has two rules (docs/privacy.md): spent and spent_delta are the sums of ε and
-- δ, spent_renyi the sum of the divergences of order alpha, spent_clamp what the sampler's clamp may have changed. alpha is
-- NULL where only the sums count. shares names the relation whose row of this table is charged instead of this one.
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
    alpha DECIMAL(38, 10),
    spent DECIMAL(38, 20) NOT NULL,
    spent_delta DECIMAL(38, 30) NOT NULL,
    spent_renyi DECIMAL(38, 20) NOT NULL,
    spent_clamp DECIMAL(38, 30) NOT NULL,
    answers BIGINT NOT NULL,
    shares VARCHAR,
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

-- One line a statement or declaration. eps and delta are what its answers are worth together (infinity where one was
-- exact); charged_… is what it took from the budget of charged_to, so that their sums are what was spent there;
-- composed_eps is what all answers of that budget come to after it. releases counts new answers, repeated those that
-- were told again for nothing. who is an account or the system's user, program what they ran. No line is looked up by its
-- id, so that it needs no index, which would stay in memory whole.
CREATE TABLE msd.ledger (
    id UUID NOT NULL,
    time TIMESTAMP NOT NULL,
    who VARCHAR,
    program VARCHAR,
    relation VARCHAR,
    kind VARCHAR NOT NULL,
    what VARCHAR NOT NULL,
    statement VARCHAR NOT NULL,
    parameters JSON NOT NULL,
    releases BIGINT NOT NULL,
    repeated BIGINT NOT NULL,
    eps DOUBLE NOT NULL,
    delta DOUBLE NOT NULL,
    charged_to VARCHAR,
    charged_eps DECIMAL(38, 20) NOT NULL,
    charged_delta DECIMAL(38, 30) NOT NULL,
    charged_renyi DECIMAL(38, 20) NOT NULL,
    charged_clamp DECIMAL(38, 30) NOT NULL,
    composed_eps DECIMAL(38, 20),
    exact BOOLEAN NOT NULL,
    asserted_public BOOLEAN NOT NULL
);

-- One row an answer: its receipt, which proves what it cost at every order.
CREATE TABLE msd.releases (
    id UUID PRIMARY KEY,
    line UUID NOT NULL,
    n BIGINT,
    k BIGINT,
    method VARCHAR,
    bound VARCHAR,
    eps DOUBLE NOT NULL,
    delta DOUBLE NOT NULL,
    receipt JSON NOT NULL
);

-- Answers that were released, so that another process that asks the same of the same rows gets the same, for nothing.
-- question and content are hashes, question the first 32 digits of one (64 in older files): an index keeps its keys in
-- memory. content is of rows that lie in this very file (docs/privacy.md).
CREATE TABLE msd.kept_answers (
    question VARCHAR PRIMARY KEY,
    content VARCHAR NOT NULL,
    relation VARCHAR NOT NULL,
    release UUID NOT NULL,
    picks JSON NOT NULL,
    diversity DOUBLE
);

-- One row: the journal beside this file as it was when something was last written. A journal that has fewer records, or
-- others, was cut or replaced; one that has more knows of charges that this database has forgotten.
CREATE TABLE msd.journal (
    records BIGINT NOT NULL,
    head VARCHAR NOT NULL,
    path VARCHAR NOT NULL,
    inode VARCHAR NOT NULL
);

-- The largest share of the users that an item of a protected relation is expected to have, where its owner has said it:
-- public, and used for nothing but to say what an answer is worth.
CREATE TABLE msd.heads (
    key VARCHAR PRIMARY KEY,
    head DOUBLE NOT NULL
);

-- The columns of a protected relation ('name TYPE') when it was declared: what tells a renamed table, and a table of
-- other columns in its place.
CREATE TABLE msd.declared_columns (
    key VARCHAR PRIMARY KEY,
    columns VARCHAR[] NOT NULL
);
