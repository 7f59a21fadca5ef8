-- a column of the query around it
-- refused: the protected relation purchases
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE price_bin = u.user_id) FROM purchases u

-- the same without a qualifier
-- refused: the protected relation purchases
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE price_bin = user_id) FROM purchases

-- LATERAL
-- refused: the protected relation purchases
SELECT * FROM purchases u, LATERAL (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE price_bin > u.user_id)

-- lateral without the word
-- refused: the protected relation purchases
SELECT * FROM purchases u, (SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p WHERE p.price_bin > u.user_id)

-- an argument of our table macro from the query around it
-- refused: the protected relation purchases
SELECT * FROM purchases u, msd_topk(products, u.user_id, 0.01, 0, key := 'item_id', reach := 'purchases')

-- a query around it that it does not look at
-- refused: the protected relation purchases
SELECT count(*), (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products) FROM purchases

-- beside the protected table, not under it
-- refused: the protected relation purchases
SELECT * FROM (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') AS items FROM products) AS s, purchases

-- two scalar subqueries side by side
-- refused: the protected relation purchases
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products) AS items, (SELECT count(*) FROM purchases) AS n

-- a public query around it
-- allowed
SELECT c.category, (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products p WHERE p.category = c.category) FROM categories c

-- a public query around it that is filtered by the protected table
-- refused: the protected relation purchases
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products p WHERE p.category = c.category) FROM categories c
WHERE c.floor IN (SELECT user_id FROM purchases)

-- a CTE between the call and the query around it
-- refused: the protected relation purchases
SELECT (WITH few AS (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') AS x FROM products WHERE price_bin = u.user_id) SELECT x FROM few)
FROM purchases u

-- a column of a derived table inside
-- refused: the protected relation purchases
SELECT (SELECT msd_select(id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id AS id, tags FROM products)) AS items FROM purchases

-- an update of a public table
-- allowed
UPDATE categories SET floor = (SELECT len(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM products)

-- an update along the protected table
-- refused: the protected relation purchases
UPDATE categories SET floor = (SELECT len(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM products WHERE price_bin = u.user_id)
FROM purchases u

-- a CTE further out that looks at the query around it
-- refused: the protected relation purchases
SELECT (WITH few AS (FROM products WHERE price_bin = u.user_id)
        SELECT max(items) FROM (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') AS items FROM few)) FROM purchases u

-- a column that EXCLUDE takes away is a column of the query around it
-- refused: the protected relation purchases
SELECT (SELECT msd_select(tags, 2, 0.01, 0, reach := 'purchases') FROM (SELECT * EXCLUDE (item_id) FROM products) WHERE item_id > 3) FROM purchases

-- a lambda's parameter is not a column
-- refused: the protected relation purchases
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases', features := list_transform(tags, lambda t: upper(t))) FROM products) FROM purchases

-- an alias of the query around it, when its own namesake has no such column
-- refused: the protected relation purchases
SELECT (SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products AS p WHERE p.price_bin >= p.user_id) FROM purchases AS p

-- the same with LATERAL
-- refused: the protected relation purchases
SELECT * FROM purchases p, LATERAL (SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p WHERE p.price_bin >= p.user_id)

-- the same with a CTE of that name
-- refused: the protected relation purchases
SELECT (WITH p AS (FROM products) SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM p WHERE p.price_bin >= p.user_id) FROM purchases p

-- the same with the name of the public table
-- refused: the protected relation purchases
SELECT (SELECT msd_select(products.item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE products.price_bin >= products.user_id)
FROM purchases products

-- an alias of both queries, and a column of the inner one
-- refused: the protected relation purchases
SELECT (SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products AS p WHERE p.price_bin >= 3) FROM purchases AS p

-- a whole row of an alias of both queries
-- refused: the protected relation purchases
SELECT (SELECT msd_select(p, 2, 0.01, 0, reach := 'purchases') FROM products AS p) FROM purchases AS p

-- the row number of the query around it, where the inner source is no table
-- refused: the protected relation purchases
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT * FROM products) WHERE item_id >= rowid) FROM purchases

-- the row number of a table
-- refused: the protected relation purchases
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE rowid < 3 OR products.rowid > 5) FROM purchases

-- excluded is an alias like any other
-- refused: the protected relation purchases
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id >= excluded.user_id) FROM purchases excluded

-- a source further right has the column, but cannot be seen from there
-- refused: the protected relation purchases
SELECT (SELECT msd_select(i, 2, 0.01, 0, reach := 'purchases')
        FROM (SELECT item_id AS i FROM products WHERE item_id <= user_id) s, (SELECT -1 AS user_id) t) FROM purchases

-- the same in a join
-- refused: the protected relation purchases
SELECT (SELECT msd_select(i, 2, 0.01, 0, reach := 'purchases') FROM archive LEFT JOIN (SELECT item_id AS i FROM products WHERE item_id <= user_id) s
        ON true, (SELECT -1 AS user_id) t) FROM purchases

-- a source to the left can
-- refused: the protected relation purchases
SELECT (SELECT msd_select(i, 2, 0.01, 0, reach := 'purchases')
        FROM (SELECT 9 AS user_id) t, (SELECT item_id AS i FROM products WHERE item_id <= user_id) s) FROM purchases

-- the right side of a semi join shows no columns
-- refused: the protected relation purchases
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products SEMI JOIN (SELECT item_id, -1 AS user_id FROM archive) s
        USING (item_id) WHERE item_id <= user_id) FROM purchases

-- but in its own condition
-- refused: the protected relation purchases
SELECT (SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p SEMI JOIN archive a ON p.item_id = a.item_id) FROM purchases

-- conditions of joins see both sides
-- refused: the protected relation purchases
SELECT (SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p JOIN (archive a JOIN main.categories c ON a.item_id = c.floor)
        ON p.item_id = a.item_id) FROM purchases

-- a star of one source is not the columns of the other
-- refused: the protected relation purchases
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT a.* FROM products a, (SELECT -1 AS user_id) b)
        WHERE item_id <= user_id) FROM purchases

-- what PIVOT took away is a column of the query around it
-- refused: the protected relation purchases
SELECT (SELECT msd_select(category, 2, 0.01, 0, reach := 'purchases') FROM (PIVOT (FROM products SELECT category, item_id) ON item_id IN (1, 2) USING count(*))
        WHERE item_id > 3) FROM purchases
