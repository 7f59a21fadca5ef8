-- WHERE … IN
-- refused: purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products WHERE item_id IN (SELECT item_id FROM purchases)

-- EXISTS
-- refused: purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products p
WHERE EXISTS (FROM purchases u WHERE u.item_id = p.item_id)

-- a scalar subquery
-- refused: purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products WHERE price_bin < (SELECT count(*) FROM purchases)

-- ANY
-- refused: purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products WHERE item_id = ANY (SELECT item_id FROM purchases)

-- a public subquery
-- allowed: memory.main.products, memory.main.archive
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products WHERE item_id NOT IN (FROM archive)

-- a subquery in an argument of the call
-- refused: purchases
SELECT msd_select(item_id, (SELECT count(*) FROM purchases)::INTEGER, 0.1, 0.5) FROM products

-- a subquery in a named argument
-- refused: popular → view → purchases
SELECT msd_select(item_id, 6, 0.1, 0.5, score := (SELECT count(*) FROM popular v WHERE v.item_id = p.item_id)) FROM products p

-- HAVING
-- refused: purchases
SELECT category, msd_select(item_id, 6, 0.1, 0.5) FROM products GROUP BY category
HAVING count(*) > (SELECT count(*) FROM purchases)

-- QUALIFY
-- refused: purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products QUALIFY row_number() OVER (ORDER BY (SELECT max(day) FROM purchases)) = 1

-- LIMIT
-- refused: purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products LIMIT (SELECT count(*) FROM purchases)

-- a join
-- refused: purchases
SELECT msd_select(p.item_id, 6, 0.1, 0.5) FROM products p JOIN purchases u ON u.item_id = p.item_id

-- a comma
-- refused: purchases
SELECT msd_select(p.item_id, 6, 0.1, 0.5) FROM products p, purchases u

-- a semi join
-- refused: purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products SEMI JOIN purchases USING (item_id)

-- a positional join
-- refused: purchases
SELECT msd_select(products.item_id, 6, 0.1, 0.5) FROM products POSITIONAL JOIN purchases

-- an as-of join
-- refused: purchases
SELECT msd_select(p.item_id, 6, 0.1, 0.5) FROM products p ASOF JOIN purchases u ON p.item_id >= u.item_id

-- a join in parentheses
-- refused: purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM (products JOIN purchases USING (item_id))

-- a condition of a join
-- refused: purchases
SELECT msd_select(p.item_id, 6, 0.1, 0.5) FROM products p JOIN archive a
ON a.item_id = p.item_id AND p.item_id IN (SELECT item_id FROM purchases)

-- a public join
-- allowed: memory.main.products, memory.main.categories
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products NATURAL JOIN categories

-- a derived table
-- refused: purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM (SELECT * FROM (SELECT item_id FROM purchases))

-- the other side of a set operation in the source
-- refused: purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM (SELECT item_id FROM products UNION SELECT item_id FROM purchases)

-- EXCEPT leaves what the table lacks
-- refused: purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM (SELECT item_id FROM products EXCEPT SELECT item_id FROM purchases)

-- the other side of a set operation around the call
-- allowed: memory.main.products
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products UNION ALL SELECT list(item_id) FROM purchases

-- a sample
-- refused: purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM purchases USING SAMPLE 10%

-- a pivot
-- refused: purchases
SELECT msd_select(user_id, 6, 0.1, 0.5) FROM (PIVOT purchases ON item_id USING count(*))

-- the standard's pivot
-- refused: purchases
SELECT msd_select(user_id, 6, 0.1, 0.5) FROM purchases PIVOT (count(*) FOR item_id IN (1, 2))

-- SUMMARIZE
-- refused: purchases
SELECT msd_select(column_name, 6, 0.1, 0.5) FROM (SUMMARIZE purchases)

-- TABLE
-- refused: purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM (TABLE purchases)

-- VALUES
-- allowed:
SELECT msd_select(x, 6, 0.1, 0.5) FROM (VALUES (1), (2), (3)) AS t(x)

-- generated rows
-- allowed:
SELECT msd_select(x, 6, 0.1, 0.5) FROM range(100) AS t(x), unnest([1, 2]) AS u(y), generate_series(1, 3)

-- a list comprehension
-- allowed: memory.main.products
SELECT msd_select(item_id, 6, 0.1, 0.5, features := [upper(t) FOR t IN tags]) FROM products
