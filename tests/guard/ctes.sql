-- a public CTE
-- allowed
WITH few AS (FROM products WHERE price_bin < 3) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM few

-- a private CTE
-- refused: the protected relation purchases: hot → CTE → purchases
WITH hot AS (SELECT item_id FROM purchases GROUP BY 1) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM hot

-- a chain of CTEs
-- refused: the protected relation purchases: a → CTE → purchases
WITH a AS (FROM purchases), b AS (SELECT item_id FROM a)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM b

-- a CTE that is not used by the candidates
-- allowed
WITH n AS (SELECT count(*) AS n FROM purchases) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products

-- a CTE that hides a protected table
-- allowed
WITH purchases AS (FROM products) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM purchases

-- a CTE that hides a protected table does not hide its qualified name
-- refused: the protected relation purchases
WITH purchases AS (FROM products) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM main.purchases

-- a CTE of the table's own name reads the table
-- refused: the protected relation purchases: purchases → CTE → purchases
WITH purchases AS (FROM purchases WHERE user_id > 3) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM purchases

-- so does one that says RECURSIVE but is not
-- refused: the protected relation purchases: purchases → CTE → purchases
WITH RECURSIVE purchases AS (SELECT item_id FROM purchases)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM purchases

-- a recursive CTE
-- allowed
WITH RECURSIVE purchases AS (SELECT 1 AS item_id UNION ALL SELECT item_id + 1 FROM purchases WHERE item_id < 9)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM purchases

-- a recursive CTE that grows along the protected table
-- refused: the protected relation purchases: walk → CTE → purchases
WITH RECURSIVE walk AS (
    SELECT 1 AS item_id UNION SELECT p.item_id FROM walk JOIN purchases p ON p.user_id = walk.item_id)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM walk

-- a CTE that comes later is not seen by the ones before
-- refused: the protected relation purchases: first → CTE → purchases
WITH first AS (FROM purchases), purchases AS (FROM products) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM first

-- a CTE of an inner query ends with it
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases')
FROM (WITH purchases AS (FROM products) FROM purchases) AS inside JOIN purchases USING (item_id)

-- a selection among what another selection released
-- allowed
WITH released AS (SELECT unnest(msd_select(item_id, 5, 0.01, 0, reach := 'purchases')) AS item_id FROM products)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM released

-- the call inside of a CTE, the protected table beside it
-- refused: the protected relation purchases: total → CTE → purchases
WITH chosen AS (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') AS items FROM products),
     total AS (SELECT count(*) AS n FROM purchases)
SELECT items, n FROM chosen, total

-- a materialized CTE
-- refused: the protected relation purchases: hot → CTE → purchases
WITH hot AS MATERIALIZED (FROM purchases) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM hot

-- rows that a statement deletes
-- allowed
WITH gone AS (SELECT item_id FROM archive) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products ANTI JOIN gone USING (item_id)

-- a recursive CTE of the protected table's name: its first branch reads the table
-- refused: the protected relation purchases: purchases → CTE → purchases
WITH RECURSIVE purchases AS (SELECT item_id FROM purchases WHERE user_id = 7 UNION SELECT item_id FROM purchases WHERE false)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM purchases

-- the same with EXCEPT, which is not recursive
-- refused: the protected relation purchases: purchases → CTE → purchases
WITH RECURSIVE purchases AS (SELECT item_id FROM archive EXCEPT SELECT item_id FROM purchases)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM purchases

-- the same with INTERSECT
-- refused: the protected relation purchases: purchases → CTE → purchases
WITH RECURSIVE purchases AS (SELECT item_id FROM archive INTERSECT SELECT item_id FROM purchases WHERE user_id = 7)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM purchases

-- the same with three branches
-- refused: the protected relation purchases: purchases → CTE → purchases
WITH RECURSIVE purchases AS ((SELECT item_id FROM archive UNION ALL SELECT item_id FROM purchases) UNION SELECT 1)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM purchases

-- in doubt which of the two a name means among several set operations
-- allowed
WITH RECURSIVE purchases AS (SELECT item_id FROM archive UNION (SELECT item_id FROM purchases EXCEPT SELECT 3))
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM purchases

-- a recursive CTE of a public name
-- allowed
WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 10) SELECT msd_select(i, 2, 0.01, 0, reach := 'purchases') FROM r
