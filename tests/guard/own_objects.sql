-- a TEMP table
-- refused: 'mine' is not a committed table of this database
-- before: CREATE TEMP TABLE mine AS SELECT item_id FROM purchases WHERE user_id = 7
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM mine

-- a TEMP table of public rows: nothing tells what it was filled from
-- refused: 'mine2' is not a committed table of this database
-- before: CREATE TEMP TABLE mine2 AS FROM archive
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM mine2

-- a TEMP table that hides a public one
-- refused: 'archive' is not a committed table of this database
-- before: CREATE TEMP TABLE archive AS SELECT item_id FROM purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM archive

-- under a permanent view
-- refused: 'plain' is not a committed table of this database
-- before: CREATE TEMP TABLE plain AS SELECT item_id FROM purchases
-- before: CREATE OR REPLACE VIEW over_plain AS FROM products
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM over_plain WHERE item_id IN (FROM plain))

-- a TEMP view
-- refused: the protected relation purchases
-- before: CREATE TEMP VIEW mine3 AS SELECT item_id FROM purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM mine3

-- a TEMP view over a TEMP view
-- refused: the protected relation purchases
-- before: CREATE TEMP VIEW mine4 AS SELECT item_id FROM purchases
-- before: CREATE TEMP VIEW mine5 AS FROM mine4
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM mine5

-- a TEMP view that hides a public table
-- refused: the protected relation purchases
-- before: CREATE TEMP VIEW archive AS SELECT item_id FROM purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM archive

-- a TEMP macro
-- refused: the protected relation purchases
-- before: CREATE TEMP MACRO mine6() AS TABLE SELECT item_id FROM purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM mine6()

-- a TEMP macro that hides a function
-- refused: the protected relation purchases
-- before: CREATE TEMP MACRO abs(x) AS (SELECT count(*) FROM purchases p WHERE p.item_id = x)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products WHERE abs(item_id) > 3)

-- a TEMP macro that hides an operator
-- refused: the protected relation purchases
-- before: CREATE TEMP MACRO "+"(a, b) AS (SELECT count(*) FROM purchases p WHERE p.item_id = a)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products WHERE item_id + 1 > 3)

-- a TEMP macro array_agg
-- refused: the protected relation purchases
-- before: CREATE TEMP MACRO array_agg(x) AS (SELECT list(item_id) FROM purchases)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT unnest(array_agg(item_id)) AS item_id FROM archive)

-- a TEMP macro in a permanent view
-- refused: the protected relation purchases
-- before: CREATE OR REPLACE MACRO fits(x) AS x > 3
-- before: CREATE OR REPLACE VIEW fitting AS FROM products WHERE fits(item_id)
-- before: CREATE TEMP MACRO fits(x) AS (SELECT count(*) > 4 FROM purchases p WHERE p.item_id = x)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM fitting

-- a TEMP macro over a file
-- refused
-- before: CREATE TEMP MACRO abs(x) AS (SELECT count(*) FROM purchases p WHERE p.item_id = x)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM '$files/zones.parquet' WHERE abs(item_id) > 3)

-- a TEMP operator over a file
-- refused
-- before: CREATE TEMP MACRO "+"(a, b) AS (SELECT count(*) FROM purchases p WHERE p.item_id = a)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM '$files/zones.parquet' WHERE item_id + 1 > 3)

-- a TEMP table beside a file
-- refused
-- before: CREATE TEMP TABLE mine7 AS SELECT item_id FROM purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM '$files/zones.parquet' SEMI JOIN mine7 USING (item_id))

-- a view that is not committed
-- refused: the protected relation purchases
-- before: BEGIN
-- before: CREATE VIEW fresh AS SELECT item_id FROM purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM fresh

-- a table that is not committed
-- refused: 'fresh2' is not a committed table of this database
-- before: BEGIN
-- before: CREATE TABLE fresh2 AS SELECT item_id FROM purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM fresh2

-- a table that was renamed and not committed
-- refused: 'archive' is not a committed table of this database
-- before: BEGIN
-- before: ALTER TABLE archive RENAME TO old_archive
-- before: CREATE TABLE archive AS SELECT item_id FROM purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM archive

-- a view replaced and not committed
-- refused: the protected relation purchases
-- before: BEGIN
-- before: CREATE OR REPLACE VIEW health AS FROM purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM health

-- a view replaced and not committed, beside a file
-- refused
-- before: BEGIN
-- before: CREATE OR REPLACE VIEW health AS FROM purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM '$files/zones.parquet' SEMI JOIN health USING (item_id))

-- a computed name of a view
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM query_table('pop' || 'ular')

-- a CTE named with KELVIN SIGN is another name
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (WITH Keep AS (FROM archive) SELECT item_id FROM purchases)

-- a public TEMP view
-- allowed
-- before: CREATE TEMP VIEW few AS FROM products WHERE price_bin < 3
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM few

-- a public TEMP view over a TEMP view
-- allowed
-- before: CREATE TEMP VIEW few1 AS FROM products
-- before: CREATE TEMP VIEW few2 AS FROM few1 WHERE item_id > 3
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM few2

-- a public TEMP macro
-- allowed
-- before: CREATE TEMP MACRO low(x) AS x < 9
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products WHERE low(item_id))

-- a public TEMP table macro
-- allowed
-- before: CREATE TEMP MACRO first_rows(n) AS TABLE FROM products LIMIT n
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM first_rows(5)

-- a TEMP table that is not read
-- allowed
-- before: CREATE TEMP TABLE notes AS SELECT 1 AS a
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM archive

-- a TEMP table hides another of its name, not the qualified one
-- allowed
-- before: CREATE TEMP TABLE archive AS SELECT 1 AS item_id
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM memory.main.archive

-- a variable that is not read
-- allowed
-- before: SET VARIABLE unread = 3
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM archive

-- a view in an open transaction that is not read
-- allowed
-- before: BEGIN
-- before: CREATE VIEW unread AS FROM purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM archive

-- rows in an open transaction
-- allowed
-- before: BEGIN
-- before: INSERT INTO archive VALUES (8)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM archive

-- a public view in an open transaction
-- allowed
-- before: BEGIN
-- before: CREATE VIEW fresh_public AS FROM archive
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM fresh_public

-- a search path
-- allowed
-- before: CREATE SCHEMA IF NOT EXISTS elsewhere
-- before: CREATE OR REPLACE TABLE elsewhere.things AS SELECT i AS item_id FROM range(5) t(i)
-- before: SET search_path = 'elsewhere,main'
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM things

-- a computed name of a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM query_table('hea' || 'lth')
