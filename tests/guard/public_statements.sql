-- CREATE TABLE AS from a public table
-- allowed
CREATE TABLE made AS SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') AS items FROM products

-- CREATE TABLE AS from a public view
-- allowed
CREATE TABLE made AS SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') AS items FROM health

-- CREATE TABLE AS from a table with its schema
-- allowed
CREATE TABLE made AS SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') AS items FROM main.archive

-- CREATE OR REPLACE TEMP TABLE AS from a public table
-- allowed
CREATE OR REPLACE TEMP TABLE made AS SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') AS items FROM products

-- CREATE OR REPLACE TEMP TABLE AS from a public view
-- allowed
CREATE OR REPLACE TEMP TABLE made AS SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') AS items FROM health

-- CREATE OR REPLACE TEMP TABLE AS from a table with its schema
-- allowed
CREATE OR REPLACE TEMP TABLE made AS SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') AS items FROM main.archive

-- INSERT from a public table
-- allowed
INSERT INTO archive SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM products

-- INSERT from a public view
-- allowed
INSERT INTO archive SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM health

-- INSERT from a table with its schema
-- allowed
INSERT INTO archive SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM main.archive

-- INSERT of a value from a public table
-- allowed
INSERT INTO archive VALUES ((SELECT len(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM products))

-- INSERT of a value from a public view
-- allowed
INSERT INTO archive VALUES ((SELECT len(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM health))

-- COPY from a public table
-- allowed
COPY (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS i FROM products) TO '$files/out.csv'

-- COPY from a public view
-- allowed
COPY (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS i FROM health) TO '$files/out.csv'

-- COPY from a table with its schema
-- allowed
COPY (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS i FROM main.archive) TO '$files/out.csv'

-- UPDATE from a public table
-- allowed
UPDATE categories SET floor = (SELECT len(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM products)

-- UPDATE from a public view
-- allowed
UPDATE categories SET floor = (SELECT len(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM health)

-- DELETE from a public table
-- allowed
DELETE FROM archive WHERE item_id IN (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM products)

-- DELETE from a public view
-- allowed
DELETE FROM archive WHERE item_id IN (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM health)

-- MERGE from a public table
-- allowed
MERGE INTO archive USING (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM products) AS s ON archive.item_id = s.item_id WHEN NOT MATCHED THEN INSERT

-- MERGE from a public view
-- allowed
MERGE INTO archive USING (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM health) AS s ON archive.item_id = s.item_id WHEN NOT MATCHED THEN INSERT

-- EXPLAIN ANALYZE from a public table
-- allowed
EXPLAIN ANALYZE SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products

-- EXPLAIN ANALYZE from a public view
-- allowed
EXPLAIN ANALYZE SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM health

-- EXPLAIN ANALYZE from a table with its schema
-- allowed
EXPLAIN ANALYZE SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM main.archive

-- EXPLAIN with options from a public table
-- allowed
EXPLAIN (ANALYZE, FORMAT json) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products

-- EXPLAIN with options from a public view
-- allowed
EXPLAIN (ANALYZE, FORMAT json) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM health

-- EXPLAIN with options from a table with its schema
-- allowed
EXPLAIN (ANALYZE, FORMAT json) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM main.archive

-- SUMMARIZE from a public table
-- allowed
SUMMARIZE SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS i FROM products

-- SUMMARIZE from a public view
-- allowed
SUMMARIZE SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS i FROM health

-- SUMMARIZE from a table with its schema
-- allowed
SUMMARIZE SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS i FROM main.archive

-- a set operation of two calls from a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products UNION ALL SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products

-- a set operation of two calls from a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products UNION ALL SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM health

-- a set operation of two calls from a table with its schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products UNION ALL SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM main.archive

-- two calls from a public table
-- allowed
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products), (SELECT msd_select(item_id, 1, 0.01, 0, reach := 'purchases') FROM products)

-- two calls from a public view
-- allowed
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products), (SELECT msd_select(item_id, 1, 0.01, 0, reach := 'purchases') FROM health)

-- two calls from a table with its schema
-- allowed
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products), (SELECT msd_select(item_id, 1, 0.01, 0, reach := 'purchases') FROM main.archive)

-- SET VARIABLE from a public table
-- allowed
SET VARIABLE kept = (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products)

-- SET VARIABLE from a public view
-- allowed
SET VARIABLE kept = (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM health)

-- SET VARIABLE from a table with its schema
-- allowed
SET VARIABLE kept = (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM main.archive)

-- in brackets from a public table
-- allowed
(SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products)

-- in brackets from a public view
-- allowed
(SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM health)

-- in brackets from a table with its schema
-- allowed
(SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM main.archive)

-- comments around from a public table
-- allowed
/* one */ SELECT /* two /* three */ */ msd_select(item_id, 2, 0.01, 0, reach := 'purchases') -- four
FROM products -- five

-- comments around from a public view
-- allowed
/* one */ SELECT /* two /* three */ */ msd_select(item_id, 2, 0.01, 0, reach := 'purchases') -- four
FROM health -- five

-- comments around from a table with its schema
-- allowed
/* one */ SELECT /* two /* three */ */ msd_select(item_id, 2, 0.01, 0, reach := 'purchases') -- four
FROM main.archive -- five

-- a semicolon from a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products;

-- a semicolon from a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM health;

-- a semicolon from a table with its schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM main.archive;

-- upper case from a public table
-- allowed
SELECT MSD_SELECT(ITEM_ID, 2, 0.01, 0, REACH := 'purchases') FROM products

-- upper case from a public view
-- allowed
SELECT MSD_SELECT(ITEM_ID, 2, 0.01, 0, REACH := 'purchases') FROM health

-- upper case from a table with its schema
-- allowed
SELECT MSD_SELECT(ITEM_ID, 2, 0.01, 0, REACH := 'purchases') FROM main.archive

-- a table macro from a public table
-- allowed
FROM msd_topk('products', 2, 0.01, 0, key := 'item_id', reach := 'purchases')

-- a table macro from a public view
-- allowed
FROM msd_topk('health', 2, 0.01, 0, key := 'item_id', reach := 'purchases')

-- a table macro from a table with its schema
-- allowed
FROM msd_topk('main.archive', 2, 0.01, 0, key := 'item_id', reach := 'purchases')

-- an explanation from a public table
-- allowed
FROM msd_explain('products', 2, 0.01, 0, key := 'item_id', reach := 'purchases')

-- an explanation from a public view
-- allowed
FROM msd_explain('health', 2, 0.01, 0, key := 'item_id', reach := 'purchases')

-- an explanation from a table with its schema
-- allowed
FROM msd_explain('main.archive', 2, 0.01, 0, key := 'item_id', reach := 'purchases')

-- CALL from a public table
-- allowed
CALL msd_topk('products', 2, 0.01, 0, key := 'item_id', reach := 'purchases')

-- CALL from a public view
-- allowed
CALL msd_topk('health', 2, 0.01, 0, key := 'item_id', reach := 'purchases')

-- CALL from a table with its schema
-- allowed
CALL msd_topk('main.archive', 2, 0.01, 0, key := 'item_id', reach := 'purchases')

-- features from a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0.5, features := [item_id::VARCHAR], reach := 'purchases') FROM products

-- features from a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0.5, features := [item_id::VARCHAR], reach := 'purchases') FROM health

-- features from a table with its schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0.5, features := [item_id::VARCHAR], reach := 'purchases') FROM main.archive

-- a quota from a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, quota := item_id % 2, quota_cap := 1, reach := 'purchases') FROM products

-- a quota from a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, quota := item_id % 2, quota_cap := 1, reach := 'purchases') FROM health

-- a quota from a table with its schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, quota := item_id % 2, quota_cap := 1, reach := 'purchases') FROM main.archive

-- no privacy asked for from a public table
-- allowed
SELECT msd_select(item_id, 2, NULL, 0, score := item_id / 20) FROM products

-- no privacy asked for from a public view
-- allowed
SELECT msd_select(item_id, 2, NULL, 0, score := item_id / 20) FROM health

-- no privacy asked for from a table with its schema
-- allowed
SELECT msd_select(item_id, 2, NULL, 0, score := item_id / 20) FROM main.archive

-- only diversity from a public table
-- allowed
SELECT msd_select(item_id, 2, NULL, 1, features := [item_id::VARCHAR]) FROM products

-- only diversity from a public view
-- allowed
SELECT msd_select(item_id, 2, NULL, 1, features := [item_id::VARCHAR]) FROM health

-- only diversity from a table with its schema
-- allowed
SELECT msd_select(item_id, 2, NULL, 1, features := [item_id::VARCHAR]) FROM main.archive
