-- WHERE … IN
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id IN (SELECT item_id FROM purchases)

-- EXISTS
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products p
WHERE EXISTS (FROM purchases u WHERE u.item_id = p.item_id)

-- a scalar subquery
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE price_bin < (SELECT count(*) FROM purchases)

-- ANY
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id = ANY (SELECT item_id FROM purchases)

-- a public subquery
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id NOT IN (FROM archive)

-- a subquery in an argument of the call
-- refused: the protected relation purchases
SELECT msd_select(item_id, (SELECT count(*) FROM purchases)::INTEGER, 0.1, 0.5) FROM products

-- a subquery in a named argument
-- refused: the protected relation purchases: popular → view → purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases', score := (SELECT count(*) FROM popular v WHERE v.item_id = p.item_id)) FROM products p

-- HAVING
-- refused: the protected relation purchases
SELECT category, msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products GROUP BY category
HAVING count(*) > 0 * (SELECT count(*) FROM purchases)

-- QUALIFY
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products QUALIFY row_number() OVER (ORDER BY (SELECT max(day) FROM purchases)) = 1

-- LIMIT
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products LIMIT (SELECT count(*) FROM purchases)

-- a join
-- refused: the protected relation purchases
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p JOIN purchases u ON u.item_id = p.item_id

-- a comma
-- refused: the protected relation purchases
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p, purchases u

-- a semi join
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products SEMI JOIN purchases USING (item_id)

-- a positional join
-- refused: the protected relation purchases
SELECT msd_select(products.item_id, 2, 0.01, 0, reach := 'purchases') FROM products POSITIONAL JOIN purchases

-- an as-of join
-- refused: the protected relation purchases
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p ASOF JOIN purchases u ON p.item_id >= u.item_id

-- a join in parentheses
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (products JOIN purchases USING (item_id))

-- a condition of a join
-- refused: the protected relation purchases
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p JOIN archive a
ON a.item_id = p.item_id AND p.item_id IN (SELECT item_id FROM purchases)

-- a public join
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products NATURAL JOIN categories

-- a derived table
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT * FROM (SELECT item_id FROM purchases))

-- the other side of a set operation in the source
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products UNION SELECT item_id FROM purchases)

-- EXCEPT leaves what the table lacks
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products EXCEPT SELECT item_id FROM purchases)

-- the other side of a set operation around the call
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products UNION ALL SELECT list(item_id) FROM purchases

-- a sample
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM purchases USING SAMPLE 10%

-- a pivot
-- refused: its columns are values that PIVOT has read before; list them, PIVOT … 
SELECT msd_select(user_id, 2, 0.01, 0, reach := 'purchases') FROM (PIVOT purchases ON item_id USING count(*))

-- the standard's pivot
-- refused: the protected relation purchases
SELECT msd_select(user_id, 2, 0.01, 0, reach := 'purchases') FROM purchases PIVOT (count(*) FOR item_id IN (1, 2))

-- SUMMARIZE
-- refused: the protected relation purchases
SELECT msd_select(column_name, 2, 0.01, 0, reach := 'purchases') FROM (SUMMARIZE purchases)

-- TABLE
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (TABLE purchases)

-- VALUES
-- allowed
SELECT msd_select(x, 2, 0.01, 0, reach := 'purchases') FROM (VALUES (1), (2), (3)) AS t(x)

-- generated rows
-- allowed
SELECT msd_select(x, 2, 0.01, 0, reach := 'purchases') FROM range(100) AS t(x), unnest([1, 2]) AS u(y), generate_series(1, 3)

-- a list comprehension
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases', features := [upper(t) FOR t IN tags]) FROM products
