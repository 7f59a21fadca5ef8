-- EXECUTE with a variable
-- refused: EXECUTE is given something else than literals, which can be computed f
-- before: SET VARIABLE v = (SELECT list(item_id) FROM purchases WHERE user_id = 7)
-- before: PREPARE pq AS SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id >= $1
EXECUTE pq(getvariable('v')[1])

-- EXECUTE with a computed value
-- refused: EXECUTE is given something else than literals, which can be computed f
-- before: PREPARE pq AS SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id >= $1
EXECUTE pq(abs(-3))

-- a quoted name that is not the plain one
-- refused: the protected relation purchases
-- before: PREPARE pq AS SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id >= $1
-- before: PREPARE "p""q" AS SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM purchases WHERE item_id >= $1
EXECUTE "p""q"(3)

-- a prepared statement over a view
-- refused: the protected relation purchases: popular → view → purchases
-- before: PREPARE p2 AS SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM popular
EXECUTE p2

-- EXPLAIN ANALYZE EXECUTE
-- refused: the protected relation purchases: popular → view → purchases
-- before: PREPARE p3 AS SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM popular
EXPLAIN ANALYZE EXECUTE p3

-- a name that means something else by now
-- refused: the protected relation purchases
-- before: CREATE TEMP VIEW found AS FROM products
-- before: PREPARE p4 AS SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM found
-- before: CREATE OR REPLACE TEMP VIEW found AS FROM purchases
EXECUTE p4

-- EXECUTE with a literal
-- allowed
-- before: PREPARE pq AS SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id >= $1
EXECUTE pq(3)

-- EXECUTE with a negative literal
-- allowed
-- before: PREPARE pq AS SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id >= $1
EXECUTE pq(-3)

-- in any case
-- allowed
-- before: PREPARE pq AS SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id >= $1
execute PQ(3)

-- a prepared statement with a quoted name
-- allowed
-- before: PREPARE "my q" AS SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id >= $1
EXECUTE "my q"(3)

-- two parameters
-- allowed
-- before: PREPARE two AS SELECT msd_select(item_id, $1, 0.01, 0, reach := 'purchases') FROM products WHERE category = $2
EXECUTE two(2, 'Toys')

-- without parameters
-- allowed
-- before: PREPARE none AS SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM health
EXECUTE none

-- an explanation of it
-- allowed
-- before: PREPARE expl AS SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM health
EXPLAIN ANALYZE EXECUTE expl
