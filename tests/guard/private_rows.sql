-- IN with the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id IN (SELECT item_id FROM purchases)

-- IN with a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id IN (SELECT item_id FROM popular)

-- IN with a table under a protected view
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id IN (SELECT item_id FROM orders)

-- NOT IN with the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id NOT IN (SELECT item_id FROM purchases)

-- NOT IN with a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id NOT IN (SELECT item_id FROM popular)

-- NOT IN with a table under a protected view
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id NOT IN (SELECT item_id FROM orders)

-- EXISTS with the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products p WHERE EXISTS (FROM purchases r WHERE r.item_id = p.item_id)

-- EXISTS with a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products p WHERE EXISTS (FROM popular r WHERE r.item_id = p.item_id)

-- EXISTS with a table under a protected view
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products p WHERE EXISTS (FROM orders r WHERE r.item_id = p.item_id)

-- NOT EXISTS with the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products p WHERE NOT EXISTS (FROM purchases r WHERE r.item_id = p.item_id)

-- NOT EXISTS with a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products p WHERE NOT EXISTS (FROM popular r WHERE r.item_id = p.item_id)

-- NOT EXISTS with a table under a protected view
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products p WHERE NOT EXISTS (FROM orders r WHERE r.item_id = p.item_id)

-- ANY with the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id = ANY (SELECT item_id FROM purchases)

-- ANY with a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id = ANY (SELECT item_id FROM popular)

-- ANY with a table under a protected view
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id = ANY (SELECT item_id FROM orders)

-- ALL with the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id >= ALL (SELECT item_id FROM purchases)

-- ALL with a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id >= ALL (SELECT item_id FROM popular)

-- ALL with a table under a protected view
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id >= ALL (SELECT item_id FROM orders)

-- a join with the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products JOIN purchases USING (item_id)

-- a join with a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products JOIN popular USING (item_id)

-- a join with a table under a protected view
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products JOIN orders USING (item_id)

-- a left join with the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products LEFT JOIN purchases USING (item_id)

-- a left join with a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products LEFT JOIN popular USING (item_id)

-- a left join with a table under a protected view
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products LEFT JOIN orders USING (item_id)

-- a right join with the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products RIGHT JOIN purchases USING (item_id)

-- a right join with a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products RIGHT JOIN popular USING (item_id)

-- a right join with a table under a protected view
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products RIGHT JOIN orders USING (item_id)

-- a full join with the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products FULL JOIN purchases USING (item_id)

-- a full join with a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products FULL JOIN popular USING (item_id)

-- a full join with a table under a protected view
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products FULL JOIN orders USING (item_id)

-- a semi join with the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products SEMI JOIN purchases USING (item_id)

-- a semi join with a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products SEMI JOIN popular USING (item_id)

-- a semi join with a table under a protected view
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products SEMI JOIN orders USING (item_id)

-- an anti join with the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products ANTI JOIN purchases USING (item_id)

-- an anti join with a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products ANTI JOIN popular USING (item_id)

-- an anti join with a table under a protected view
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products ANTI JOIN orders USING (item_id)

-- a natural join with the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products NATURAL JOIN (SELECT item_id FROM purchases)

-- a natural join with a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products NATURAL JOIN (SELECT item_id FROM popular)

-- a natural join with a table under a protected view
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products NATURAL JOIN (SELECT item_id FROM orders)

-- a cross join with the protected table
-- refused
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p CROSS JOIN purchases r WHERE p.item_id = r.item_id

-- a cross join with a view over it
-- refused
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p CROSS JOIN popular r WHERE p.item_id = r.item_id

-- a cross join with a table under a protected view
-- refused
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p CROSS JOIN orders r WHERE p.item_id = r.item_id

-- a positional join with the protected table
-- refused
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p POSITIONAL JOIN purchases r

-- a positional join with a view over it
-- refused
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p POSITIONAL JOIN popular r

-- a positional join with a table under a protected view
-- refused
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p POSITIONAL JOIN orders r

-- an ASOF join with the protected table
-- refused
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p ASOF JOIN purchases r ON p.item_id >= r.item_id

-- an ASOF join with a view over it
-- refused
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p ASOF JOIN popular r ON p.item_id >= r.item_id

-- an ASOF join with a table under a protected view
-- refused
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p ASOF JOIN orders r ON p.item_id >= r.item_id

-- a lateral join with the protected table
-- refused
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p, LATERAL (SELECT r.item_id FROM purchases r WHERE r.item_id = p.item_id LIMIT 1) l

-- a lateral join with a view over it
-- refused
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p, LATERAL (SELECT r.item_id FROM popular r WHERE r.item_id = p.item_id LIMIT 1) l

-- a lateral join with a table under a protected view
-- refused
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p, LATERAL (SELECT r.item_id FROM orders r WHERE r.item_id = p.item_id LIMIT 1) l

-- UNION with the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products UNION SELECT item_id FROM purchases)

-- UNION with a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products UNION SELECT item_id FROM popular)

-- UNION with a table under a protected view
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products UNION SELECT item_id FROM orders)

-- UNION ALL BY NAME with the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products UNION ALL BY NAME SELECT item_id FROM purchases)

-- UNION ALL BY NAME with a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products UNION ALL BY NAME SELECT item_id FROM popular)

-- UNION ALL BY NAME with a table under a protected view
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products UNION ALL BY NAME SELECT item_id FROM orders)

-- EXCEPT with the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products EXCEPT SELECT item_id FROM purchases)

-- EXCEPT with a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products EXCEPT SELECT item_id FROM popular)

-- EXCEPT with a table under a protected view
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products EXCEPT SELECT item_id FROM orders)

-- INTERSECT with the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products INTERSECT SELECT item_id FROM purchases)

-- INTERSECT with a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products INTERSECT SELECT item_id FROM popular)

-- INTERSECT with a table under a protected view
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products INTERSECT SELECT item_id FROM orders)

-- a CTE with the protected table
-- refused
WITH c AS (SELECT item_id FROM purchases) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM c

-- a CTE with a view over it
-- refused
WITH c AS (SELECT item_id FROM popular) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM c

-- a CTE with a table under a protected view
-- refused
WITH c AS (SELECT item_id FROM orders) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM c

-- a materialized CTE with the protected table
-- refused
WITH c AS MATERIALIZED (SELECT item_id FROM purchases) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM c

-- a materialized CTE with a view over it
-- refused
WITH c AS MATERIALIZED (SELECT item_id FROM popular) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM c

-- a materialized CTE with a table under a protected view
-- refused
WITH c AS MATERIALIZED (SELECT item_id FROM orders) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM c

-- a recursive CTE with the protected table
-- refused
WITH RECURSIVE c(item_id) AS (SELECT min(item_id) FROM purchases UNION SELECT item_id + 1 FROM c WHERE item_id < 5) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM c

-- a recursive CTE with a view over it
-- refused
WITH RECURSIVE c(item_id) AS (SELECT min(item_id) FROM popular UNION SELECT item_id + 1 FROM c WHERE item_id < 5) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM c

-- a recursive CTE with a table under a protected view
-- refused
WITH RECURSIVE c(item_id) AS (SELECT min(item_id) FROM orders UNION SELECT item_id + 1 FROM c WHERE item_id < 5) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM c

-- DISTINCT ON with the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT DISTINCT ON (item_id) item_id FROM purchases)

-- DISTINCT ON with a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT DISTINCT ON (item_id) item_id FROM popular)

-- DISTINCT ON with a table under a protected view
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT DISTINCT ON (item_id) item_id FROM orders)

-- a sample with the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM purchases USING SAMPLE 5 ROWS)

-- a sample with a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM popular USING SAMPLE 5 ROWS)

-- a sample with a table under a protected view
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM orders USING SAMPLE 5 ROWS)

-- a window with the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM purchases QUALIFY row_number() OVER (PARTITION BY item_id ORDER BY item_id) = 1)

-- a window with a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM popular QUALIFY row_number() OVER (PARTITION BY item_id ORDER BY item_id) = 1)

-- a window with a table under a protected view
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM orders QUALIFY row_number() OVER (PARTITION BY item_id ORDER BY item_id) = 1)

-- GROUPING SETS with the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM purchases GROUP BY GROUPING SETS ((item_id), ()) HAVING item_id IS NOT NULL)

-- GROUPING SETS with a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM popular GROUP BY GROUPING SETS ((item_id), ()) HAVING item_id IS NOT NULL)

-- GROUPING SETS with a table under a protected view
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM orders GROUP BY GROUPING SETS ((item_id), ()) HAVING item_id IS NOT NULL)

-- a list of keys with the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT unnest(list(item_id)) AS item_id FROM purchases)

-- a list of keys with a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT unnest(list(item_id)) AS item_id FROM popular)

-- a list of keys with a table under a protected view
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT unnest(list(item_id)) AS item_id FROM orders)

-- a pivot with its values listed with the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (PIVOT (SELECT item_id, 1 AS n FROM purchases) ON n IN (1) USING count(*))

-- a pivot with its values listed with a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (PIVOT (SELECT item_id, 1 AS n FROM popular) ON n IN (1) USING count(*))

-- a pivot with its values listed with a table under a protected view
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (PIVOT (SELECT item_id, 1 AS n FROM orders) ON n IN (1) USING count(*))

-- an unpivot with the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (UNPIVOT (SELECT item_id::BIGINT AS a FROM purchases) ON a INTO NAME n VALUE item_id)

-- an unpivot with a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (UNPIVOT (SELECT item_id::BIGINT AS a FROM popular) ON a INTO NAME n VALUE item_id)

-- an unpivot with a table under a protected view
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (UNPIVOT (SELECT item_id::BIGINT AS a FROM orders) ON a INTO NAME n VALUE item_id)

-- query_table with the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM query_table('purchases')

-- query_table with a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM query_table('popular')

-- query_table with a table under a protected view
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM query_table('orders')

-- query with the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM query('SELECT item_id FROM purchases')

-- query with a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM query('SELECT item_id FROM popular')

-- query with a table under a protected view
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM query('SELECT item_id FROM orders')

-- FROM first with the protected table
-- refused
FROM purchases SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases')

-- FROM first with a view over it
-- refused
FROM popular SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases')

-- FROM first with a table under a protected view
-- refused
FROM orders SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases')

-- a filter that is never true with the protected table
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id > 0 OR (false AND item_id IN (SELECT item_id FROM purchases))

-- a filter that is never true with a view over it
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id > 0 OR (false AND item_id IN (SELECT item_id FROM popular))

-- a filter that is never true with a table under a protected view
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id > 0 OR (false AND item_id IN (SELECT item_id FROM orders))
