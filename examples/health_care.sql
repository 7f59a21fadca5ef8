-- The paper's motivating example end to end: six Health Care products that reach many users and differ.
-- Run it with the synthetic shop:  msd demo --keep shop.duckdb && msd shell shop.duckdb -f examples/health_care.sql

-- The owner, once. (The same declaration again changes nothing, so this file can be run twice.)
SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 1.0, delta := 1e-9) AS owner;
SELECT msd_items('products', key := 'item_id', features := 'categories', reach := 'purchases') AS owner;

-- What would it do and cost? Nothing private is read, nothing is charged.
CREATE OR REPLACE VIEW health AS SELECT item_id, title, subcategory, price FROM products WHERE category = 'Health Care';
SELECT * FROM msd_explain(health, 6, 0.1, 0.5)
WHERE property IN ('method', 'rounds', 'bound', 'noise in users', 'budget after');

-- Relevance alone (diversity 0): the best sellers repeat each other.
FROM msd_topk(health, 6, 0.1, 0.0);

-- Relevance and diversity: six different kinds of thing.
FROM msd_topk(health, 6, 0.1, 0.5);

-- How many users do they reach? A private estimate; the items are the recorded answer of the statement above.
SELECT msd_reach(msd_select(item_id, 6, 0.1, 0.5), 0.05) AS users_reached FROM health;

-- What is left.
SELECT msd_remaining('purchases') AS epsilon_left;
