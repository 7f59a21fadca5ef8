-- CREATE TABLE AS from the protected table
-- refused
CREATE TABLE made AS SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') AS items FROM purchases

-- CREATE TABLE AS from a view over it
-- refused
CREATE TABLE made AS SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') AS items FROM products_ranked

-- CREATE OR REPLACE TEMP TABLE AS from the protected table
-- refused
CREATE OR REPLACE TEMP TABLE made AS SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') AS items FROM purchases

-- CREATE OR REPLACE TEMP TABLE AS from a view over it
-- refused
CREATE OR REPLACE TEMP TABLE made AS SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') AS items FROM products_ranked

-- INSERT from the protected table
-- refused
INSERT INTO archive SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM purchases

-- INSERT from a view over it
-- refused
INSERT INTO archive SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM products_ranked

-- INSERT of a value from the protected table
-- refused
INSERT INTO archive VALUES ((SELECT len(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM purchases))

-- INSERT of a value from a view over it
-- refused
INSERT INTO archive VALUES ((SELECT len(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM products_ranked))

-- COPY from the protected table
-- refused
COPY (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS i FROM purchases) TO '$files/out.csv'

-- COPY from a view over it
-- refused
COPY (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS i FROM products_ranked) TO '$files/out.csv'

-- UPDATE from the protected table
-- refused
UPDATE categories SET floor = (SELECT len(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM purchases)

-- UPDATE from a view over it
-- refused
UPDATE categories SET floor = (SELECT len(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM products_ranked)

-- DELETE from the protected table
-- refused
DELETE FROM archive WHERE item_id IN (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM purchases)

-- DELETE from a view over it
-- refused
DELETE FROM archive WHERE item_id IN (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM products_ranked)

-- MERGE from the protected table
-- refused
MERGE INTO archive USING (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM purchases) AS s ON archive.item_id = s.item_id WHEN NOT MATCHED THEN INSERT

-- MERGE from a view over it
-- refused
MERGE INTO archive USING (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM products_ranked) AS s ON archive.item_id = s.item_id WHEN NOT MATCHED THEN INSERT

-- EXPLAIN ANALYZE from the protected table
-- refused
EXPLAIN ANALYZE SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM purchases

-- EXPLAIN ANALYZE from a view over it
-- refused
EXPLAIN ANALYZE SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products_ranked

-- EXPLAIN with options from the protected table
-- refused
EXPLAIN (ANALYZE, FORMAT json) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM purchases

-- EXPLAIN with options from a view over it
-- refused
EXPLAIN (ANALYZE, FORMAT json) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products_ranked

-- SUMMARIZE from the protected table
-- refused
SUMMARIZE SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS i FROM purchases

-- SUMMARIZE from a view over it
-- refused
SUMMARIZE SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS i FROM products_ranked

-- a set operation of two calls from the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products UNION ALL SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM purchases

-- a set operation of two calls from a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products UNION ALL SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products_ranked

-- two calls from the protected table
-- refused
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products), (SELECT msd_select(item_id, 1, 0.01, 0, reach := 'purchases') FROM purchases)

-- two calls from a view over it
-- refused
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products), (SELECT msd_select(item_id, 1, 0.01, 0, reach := 'purchases') FROM products_ranked)

-- SET VARIABLE from the protected table
-- refused
SET VARIABLE kept = (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM purchases)

-- SET VARIABLE from a view over it
-- refused
SET VARIABLE kept = (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products_ranked)

-- in brackets from the protected table
-- refused
(SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM purchases)

-- in brackets from a view over it
-- refused
(SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products_ranked)

-- comments around from the protected table
-- refused
/* one */ SELECT /* two /* three */ */ msd_select(item_id, 2, 0.01, 0, reach := 'purchases') -- four
FROM purchases -- five

-- comments around from a view over it
-- refused
/* one */ SELECT /* two /* three */ */ msd_select(item_id, 2, 0.01, 0, reach := 'purchases') -- four
FROM products_ranked -- five

-- a semicolon from the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM purchases;

-- a semicolon from a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products_ranked;

-- upper case from the protected table
-- refused
SELECT MSD_SELECT(ITEM_ID, 2, 0.01, 0, REACH := 'purchases') FROM purchases

-- upper case from a view over it
-- refused
SELECT MSD_SELECT(ITEM_ID, 2, 0.01, 0, REACH := 'purchases') FROM products_ranked

-- a table macro from the protected table
-- refused
FROM msd_topk('purchases', 2, 0.01, 0, key := 'item_id', reach := 'purchases')

-- a table macro from a view over it
-- refused
FROM msd_topk('products_ranked', 2, 0.01, 0, key := 'item_id', reach := 'purchases')

-- an explanation from the protected table
-- refused
FROM msd_explain('purchases', 2, 0.01, 0, key := 'item_id', reach := 'purchases')

-- an explanation from a view over it
-- refused
FROM msd_explain('products_ranked', 2, 0.01, 0, key := 'item_id', reach := 'purchases')

-- CALL from the protected table
-- refused
CALL msd_topk('purchases', 2, 0.01, 0, key := 'item_id', reach := 'purchases')

-- CALL from a view over it
-- refused
CALL msd_topk('products_ranked', 2, 0.01, 0, key := 'item_id', reach := 'purchases')

-- features from the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0.5, features := [item_id::VARCHAR], reach := 'purchases') FROM purchases

-- features from a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0.5, features := [item_id::VARCHAR], reach := 'purchases') FROM products_ranked

-- a quota from the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, quota := item_id % 2, quota_cap := 1, reach := 'purchases') FROM purchases

-- a quota from a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, quota := item_id % 2, quota_cap := 1, reach := 'purchases') FROM products_ranked

-- no privacy asked for from the protected table
-- refused
SELECT msd_select(item_id, 2, NULL, 0, score := item_id / 20) FROM purchases

-- no privacy asked for from a view over it
-- refused
SELECT msd_select(item_id, 2, NULL, 0, score := item_id / 20) FROM products_ranked

-- only diversity from the protected table
-- refused
SELECT msd_select(item_id, 2, NULL, 1, features := [item_id::VARCHAR]) FROM purchases

-- only diversity from a view over it
-- refused
SELECT msd_select(item_id, 2, NULL, 1, features := [item_id::VARCHAR]) FROM products_ranked
