-- The statements of docs/sql.md and their errors, typed into both: a name, then one statement. What is drawn at random is
-- compared by its shape (`drawn`), everything else by its value.

-- protect
SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 1.0, delta := 1e-9) AS said;

-- items
SELECT msd_items('products', key := 'item_id', features := 'categories', reach := 'purchases') AS said;

-- drawn: a list, in pick order
SELECT msd_select(item_id, 6, 0.1, 0.5) AS items FROM products WHERE category = 'Health Care';

-- drawn: rows, the same question
SELECT unnest(msd_select(item_id, 6, 0.1, 0.5)) AS item_id FROM products WHERE category = 'Health Care';

-- drawn: one selection a group
SELECT category, msd_select(item_id, 6, 0.01, 0.5) AS items FROM products GROUP BY category ORDER BY category;

-- drawn: a partition matroid
SELECT msd_select(item_id, 6, 0.1, 0.5, quota := price_bin, quota_cap := 2) AS items FROM products;

-- public, embeddings and scores
SELECT msd_select(doc_id, 10, NULL, 0.3, features := embedding, score := bm25) AS items FROM hits;

-- public, arrays of one length
SELECT msd_select(doc_id, 10, NULL, 0.3, features := embedding::FLOAT[3], score := bm25) AS items FROM hits;

-- public, arrays of which one is NULL
SELECT msd_select(doc_id, 10, NULL, 1, features := if(doc_id = 7, NULL, embedding)::DOUBLE[3]) AS items FROM hits;

-- public, vectors of two lengths
SELECT msd_select(doc_id, 10, NULL, 1, features := embedding[:1 + doc_id % 2]) AS items FROM hits;

-- diversity alone
SELECT msd_select(item_id, 4, 0.1, 1.0) AS items FROM products;

-- keys of text
SELECT msd_select(name, 4, NULL, 0.5, score := price, features := categories) AS items FROM products;

-- drawn: the chosen rows
FROM msd_topk(products, 6, 0.05, 0.5);

-- drawn: the chosen rows of a CTE
WITH few AS (FROM products WHERE price_bin = 1) FROM msd_topk(few, 3, 0.05, 0.5, key := 'item_id');

-- a dry run
SELECT property, value FROM msd_explain(products, 6, 0.1, 0.5) WHERE property NOT LIKE 'step%';

-- drawn: a reach
SELECT msd_reach([12, 40, 7], 0.05) > -1000000 AS estimate;

-- drawn: part of the people
SELECT msd_select(item_id, 4, 0.02, 0.5, among := 'user_id < 200') AS items FROM products;

-- drawn: the same part, written differently, costs nothing
SELECT msd_select(item_id, 4, 0.02, 0.5, among := 'r.user_id<200') AS items FROM products;

-- drawn: part of the people as rows, a share of fewer users
SELECT item_id, msd_rank FROM msd_topk(products, 3, 0.02, 0.5, among := 'user_id % 2 = 0', users := 200);

-- drawn: a reach of part of the people
SELECT msd_reach([12, 40, 7], 0.02, among := 'user_id < 200') > -1000000 AS estimate;

-- drawn: an interval, which is the same release
SELECT reached.low <= reached.estimate AND reached.estimate <= reached.high AS within, typeof(reached) AS type
FROM (SELECT msd_reach_interval([12, 40, 7], 0.02, 0.9, among := 'user_id < 200') AS reached);

-- a dry run about part of the people
SELECT property, value FROM msd_explain(products, 6, 0.1, 0.5, among := 'user_id < 200', users := 200, head := 0.3) WHERE property NOT LIKE 'step%';

-- an audience with a subquery
SELECT msd_select(item_id, 4, 0.02, 0.5, among := 'user_id IN (SELECT 1)') AS items FROM products;

-- an audience of a column that is not there
SELECT msd_reach([1], 0.02, among := $$country = 'DE'$$) AS estimate;

-- a head that is no share
SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 1.0, delta := 1e-9, head := 0) AS said;

-- a head is declared
SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 1.0, delta := 1e-9, head := 0.1, replace := true) AS said;

-- a dry run warns by it
SELECT value FROM msd_explain(products, 6, 0.1, 0.5) WHERE property = 'worth';

-- exact
SELECT msd_select(item_id, 6, NULL, 0.5, exact := true) AS items FROM products;

-- drawn: asserted public
SELECT msd_select(item_id, 2, 0.01, 0.5, public := true, reach := 'purchases', features := categories) AS items FROM query_table('prod' || 'ucts');

-- drawn: create table as
CREATE TABLE chosen AS SELECT unnest(msd_select(item_id, 3, 0.02, 0.5)) AS item_id FROM products;

-- drawn: insert
INSERT INTO chosen SELECT unnest(msd_select(item_id, 2, 0.02, 0.5)) FROM products;

-- a prepared statement
PREPARE p AS SELECT len(msd_select(item_id, 3, 0.02, 0.5)) AS n FROM products WHERE category = $1;

-- execute
EXECUTE p('Toys');

-- explain runs nothing
CREATE TABLE nothing AS SELECT msd_select(item_id, 3, 0.03, 0.5) AS items FROM products LIMIT 0;

-- no candidates
SELECT msd_select(item_id, 3, 0.02, 0.5) AS items FROM products WHERE category = 'none';

-- fewer than k candidates
SELECT msd_select(item_id, 3, 0.02, 0.5) AS items FROM products WHERE item_id < 2;

-- a leak
SELECT msd_select(item_id, 6, 0.1, 0.5) AS items FROM products WHERE item_id IN (SELECT item_id FROM purchases);

-- a leak through a view
SELECT msd_select(item_id, 6, 0.1, 0.5) AS items FROM products_ranked;

-- over the budget
SELECT msd_select(item_id, 6, 5.0, 0.5) AS items FROM products;

-- no such method
SELECT msd_select(item_id, 6, 0.1, 0.5, method := 'gredy') AS items FROM products;

-- k below 1
SELECT msd_select(item_id, 0, 0.1, 0.5) AS items FROM products;

-- a NULL key
SELECT msd_select(CASE WHEN item_id > 3 THEN item_id END, 6, 0.1, 0.5) AS items FROM products;

-- not a number
SELECT msd_select(item_id, 6, 'NaN'::DOUBLE, 0.5) AS items FROM products;

-- diversity outside of [0, 1]
SELECT msd_select(item_id, 6, 0.1, 1.5) AS items FROM products;

-- exact without saying so
SELECT msd_select(item_id, 6, NULL, 0.5) AS items FROM products;

-- an unknown relation
SELECT msd_remaining('purchase') AS left_over;

-- protecting what is not there
SELECT msd_protect('nothing_here', unit := 'a', item := 'b', budget := 1) AS said;

-- a changed budget
SELECT msd_budget('purchases', 2.0) AS said;

-- what is left
SELECT round(msd_remaining('purchases'), 9) AS left_over;

-- the ledger
SELECT relation, kind, what, statement, releases, repeated, eps, delta, composed_eps, charged_eps, exact, asserted_public, replayed FROM msd_ledger();

-- the releases
SELECT relation, kind, n, k, method, bound, eps, delta FROM msd_releases();

-- rows that are units
CREATE TABLE visits AS SELECT (i * 37 % 301)::DOUBLE / 7 AS place FROM range(3000) AS t(i);

-- protect rows by a similarity
SELECT msd_protect('visits', relevance := 'best_match', budget := 1e9, delta := 1e-6, similarity := '1 / (1 + abs(nullif(r.place, 1) - v.price))') AS said;

-- a selection among them, with so little noise that the best are chosen
SELECT msd_select(item_id, 3, 1e7, 0.0, reach := 'visits', delta := 1e-9) AS items FROM products;
