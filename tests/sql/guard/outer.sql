-- a column of the query around it
-- refused: a column of the query around it → outer query → purchases
SELECT (SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products WHERE price_bin = u.user_id) FROM purchases u

-- the same without a qualifier
-- refused: a column of the query around it → outer query → purchases
SELECT (SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products WHERE price_bin = user_id) FROM purchases

-- LATERAL
-- refused: a column of the query around it → outer query → purchases
SELECT * FROM purchases u, LATERAL (SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products WHERE price_bin > u.user_id)

-- lateral without the word
-- refused: a column of the query around it → outer query → purchases
SELECT * FROM purchases u, (SELECT msd_select(p.item_id, 6, 0.1, 0.5) FROM products p WHERE p.price_bin > u.user_id)

-- an argument of our table macro from the query around it
-- refused: a column of the query around it → outer query → purchases
SELECT * FROM purchases u, msd_topk(products, u.user_id, 0.1, 0.5)

-- a query around it that it does not look at
-- allowed: memory.main.products
SELECT count(*), (SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products) FROM purchases

-- beside the protected table, not under it
-- allowed: memory.main.products
SELECT * FROM (SELECT msd_select(item_id, 6, 0.1, 0.5) AS items FROM products) AS s, purchases

-- two scalar subqueries side by side
-- allowed: memory.main.products
SELECT (SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products) AS items, (SELECT count(*) FROM purchases) AS n

-- a public query around it
-- allowed: memory.main.products, memory.main.categories
SELECT c.category, (SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products p WHERE p.category = c.category) FROM categories c

-- a public query around it that is filtered by the protected table
-- refused: a column of the query around it → outer query → purchases
SELECT (SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products p WHERE p.category = c.category) FROM categories c
WHERE c.floor IN (SELECT user_id FROM purchases)

-- a CTE between the call and the query around it
-- refused: a column of the query around it → outer query → purchases
SELECT (WITH few AS (SELECT msd_select(item_id, 6, 0.1, 0.5) AS x FROM products WHERE price_bin = u.user_id) SELECT x FROM few)
FROM purchases u

-- a column of a derived table inside
-- allowed: memory.main.products
SELECT (SELECT msd_select(id, 6, 0.1, 0.5) FROM (SELECT item_id AS id, tags FROM products)) AS items FROM purchases

-- an update of a public table
-- allowed: memory.main.products
UPDATE categories SET floor = (SELECT len(msd_select(item_id, 6, 0.1, 0.5)) FROM products)

-- an update along the protected table
-- refused: a column of the query around it → outer query → purchases
UPDATE categories SET floor = (SELECT len(msd_select(item_id, 6, 0.1, 0.5)) FROM products WHERE price_bin = u.user_id)
FROM purchases u

-- a CTE further out that looks at the query around it
-- refused: a column of the query around it → outer query → purchases
SELECT (WITH few AS (FROM products WHERE price_bin = u.user_id)
        SELECT max(items) FROM (SELECT msd_select(item_id, 6, 0.1, 0.5) AS items FROM few)) FROM purchases u

-- a column that EXCLUDE takes away is a column of the query around it
-- refused: a column of the query around it → outer query → purchases
SELECT (SELECT msd_select(tags, 6, 0.1, 0.5) FROM (SELECT * EXCLUDE (item_id) FROM products) WHERE item_id > 3) FROM purchases

-- a lambda's parameter is not a column
-- allowed: memory.main.products
SELECT (SELECT msd_select(item_id, 6, 0.1, 0.5, features := list_transform(tags, lambda t: upper(t))) FROM products) FROM purchases

-- a column inside of a lambda is
-- refused: a column of the query around it → outer query → purchases
SELECT (SELECT msd_select(item_id, 6, 0.1, 0.5, features := list_transform(tags, lambda t: t || user_id)) FROM products) FROM purchases
