-- FROM first
-- refused: purchases
FROM purchases SELECT msd_select(item_id, 6, 0.1, 0.5)

-- CREATE TABLE AS
-- refused: purchases
CREATE TABLE chosen AS SELECT msd_select(item_id, 6, 0.1, 0.5) AS items FROM purchases

-- CREATE TABLE AS, public
-- allowed: memory.main.products
CREATE OR REPLACE TEMP TABLE chosen AS FROM msd_topk(products, 6, 0.1, 0.5)

-- INSERT
-- refused: products_ranked → view → purchases
INSERT INTO archive SELECT unnest(msd_select(item_id, 6, 0.1, 0.5)) FROM products_ranked

-- INSERT into the protected table
-- allowed: memory.main.products
INSERT INTO purchases SELECT 1, unnest(msd_select(item_id, 6, 0.1, 0.5)), today() FROM products

-- COPY
-- refused: purchases
COPY (SELECT msd_select(item_id, 6, 0.1, 0.5) FROM purchases) TO 'x.csv' (HEADER)

-- EXPLAIN ANALYZE
-- refused: purchases
EXPLAIN ANALYZE SELECT msd_select(item_id, 6, 0.1, 0.5) FROM purchases

-- EXPLAIN in another format
-- allowed: memory.main.products
EXPLAIN (ANALYZE, FORMAT JSON) SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products

-- PREPARE
-- refused: purchases
PREPARE p AS SELECT msd_select(item_id, 6, 0.1, 0.5) FROM purchases WHERE user_id = $1

-- EXECUTE of what was prepared
-- refused: purchases
EXECUTE kept(3)

-- EXECUTE of something public
-- allowed: memory.main.products
EXECUTE fine('Health Care')

-- parameters
-- allowed: memory.main.products
SELECT msd_select(item_id, ?, $eps, 0.5) FROM products WHERE category = ?

-- several statements
-- refused: purchases
SELECT count(*) FROM purchases; SELECT msd_select(item_id, 6, 0.1, 0.5) FROM purchases

-- several statements, public
-- allowed: memory.main.products
SELECT count(*) FROM purchases; SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products;

-- SUMMARIZE of a selection
-- allowed: memory.main.products
SUMMARIZE SELECT unnest(msd_select(item_id, 6, 0.1, 0.5)) AS item_id FROM products

-- MERGE
-- allowed: memory.main.products
MERGE INTO archive USING (SELECT unnest(msd_select(item_id, 6, 0.1, 0.5)) AS item_id FROM products) AS s
ON archive.item_id = s.item_id WHEN NOT MATCHED THEN INSERT
