-- What a curator keeps in schema msd beside the ledger. It is created with the first account or published relation.

-- token is a salted scrypt hash. An account that was revoked keeps its row, so that its name is never given to another.
CREATE TABLE IF NOT EXISTS msd.accounts (
    name VARCHAR PRIMARY KEY,
    role VARCHAR NOT NULL,
    salt VARCHAR NOT NULL,
    token VARCHAR NOT NULL,
    created_at TIMESTAMP NOT NULL,
    expires_at TIMESTAMP,
    revoked_at TIMESTAMP
);

-- What an account may spend of a relation's budget, and what it has: the same two rules as msd.protected has.
CREATE TABLE IF NOT EXISTS msd.shares (
    account VARCHAR NOT NULL,
    relation VARCHAR NOT NULL,
    budget DECIMAL(38, 20) NOT NULL,
    delta DECIMAL(38, 30) NOT NULL,
    alpha DECIMAL(38, 10),
    spent DECIMAL(38, 20) NOT NULL,
    spent_delta DECIMAL(38, 30) NOT NULL,
    spent_renyi DECIMAL(38, 20) NOT NULL,
    spent_clamp DECIMAL(38, 30) NOT NULL,
    answers BIGINT NOT NULL,
    revision BIGINT NOT NULL,
    PRIMARY KEY (account, relation)
);

-- Which answers an account was told: told again they cost its share nothing, told first to another they do.
-- An answer is looked for here before it is written, in one step. No look-up uses an index of two columns, which would only
-- stay in memory whole.
CREATE TABLE IF NOT EXISTS msd.heard (
    account VARCHAR NOT NULL,
    release UUID NOT NULL
);

-- What analysts may see whole: public relations, copied to where their statements run.
CREATE TABLE IF NOT EXISTS msd.published (
    key VARCHAR PRIMARY KEY,
    published_at TIMESTAMP NOT NULL
);
