-- FROM first
-- refused: the protected relation purchases
FROM purchases SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases')

-- CREATE TABLE AS
-- refused: the protected relation purchases
CREATE TABLE chosen AS SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') AS items FROM purchases

-- CREATE TABLE AS, public
-- allowed
CREATE OR REPLACE TEMP TABLE chosen AS FROM msd_topk(products, 2, 0.01, 0, key := 'item_id', reach := 'purchases')

-- INSERT
-- refused: the protected relation purchases: products_ranked → view → purchases
INSERT INTO archive SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM products_ranked

-- INSERT into the protected table
-- allowed
INSERT INTO purchases SELECT 1, unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')), today() FROM products

-- COPY
-- refused: the protected relation purchases
COPY (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM purchases) TO '$files/x.csv' (HEADER)

-- EXPLAIN ANALYZE
-- refused: the protected relation purchases
EXPLAIN ANALYZE SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM purchases

-- EXPLAIN in another format
-- allowed
EXPLAIN (ANALYZE, FORMAT JSON) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products

-- PREPARE
-- allowed
PREPARE p AS SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM purchases WHERE user_id = $1

-- EXECUTE of what was prepared
-- refused: the protected relation purchases
-- before: PREPARE kept AS SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM purchases WHERE user_id = $1
EXECUTE kept(3)

-- EXECUTE of something public
-- allowed
-- before: PREPARE fine AS SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE category = $1
EXECUTE fine('Health Care')

-- several statements
-- refused: the protected relation purchases
SELECT count(*) FROM purchases; SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM purchases

-- several statements, public
-- allowed
SELECT count(*) FROM purchases; SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products;

-- SUMMARIZE of a selection
-- allowed
SUMMARIZE SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM products

-- MERGE
-- allowed
MERGE INTO archive USING (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM products) AS s
ON archive.item_id = s.item_id WHEN NOT MATCHED THEN INSERT
