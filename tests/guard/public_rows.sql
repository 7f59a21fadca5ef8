-- IN with a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id IN (SELECT item_id FROM archive)

-- IN with a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id IN (SELECT item_id FROM health)

-- IN with a table of another schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id IN (SELECT item_id FROM other.plain)

-- IN with a table of an attached database
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id IN (SELECT item_id FROM lake.raw.places)

-- NOT IN with a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id NOT IN (SELECT item_id FROM archive)

-- NOT IN with a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id NOT IN (SELECT item_id FROM health)

-- NOT IN with a table of another schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id NOT IN (SELECT item_id FROM other.plain)

-- NOT IN with a table of an attached database
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id NOT IN (SELECT item_id FROM lake.raw.places)

-- EXISTS with a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products p WHERE EXISTS (FROM archive r WHERE r.item_id = p.item_id)

-- EXISTS with a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products p WHERE EXISTS (FROM health r WHERE r.item_id = p.item_id)

-- EXISTS with a table of another schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products p WHERE EXISTS (FROM other.plain r WHERE r.item_id = p.item_id)

-- EXISTS with a table of an attached database
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products p WHERE EXISTS (FROM lake.raw.places r WHERE r.item_id = p.item_id)

-- NOT EXISTS with a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products p WHERE NOT EXISTS (FROM archive r WHERE r.item_id = p.item_id)

-- NOT EXISTS with a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products p WHERE NOT EXISTS (FROM health r WHERE r.item_id = p.item_id)

-- NOT EXISTS with a table of another schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products p WHERE NOT EXISTS (FROM other.plain r WHERE r.item_id = p.item_id)

-- NOT EXISTS with a table of an attached database
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products p WHERE NOT EXISTS (FROM lake.raw.places r WHERE r.item_id = p.item_id)

-- ANY with a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id = ANY (SELECT item_id FROM archive)

-- ANY with a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id = ANY (SELECT item_id FROM health)

-- ANY with a table of another schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id = ANY (SELECT item_id FROM other.plain)

-- ANY with a table of an attached database
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id = ANY (SELECT item_id FROM lake.raw.places)

-- ALL with a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id >= ALL (SELECT item_id FROM archive)

-- ALL with a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id >= ALL (SELECT item_id FROM health)

-- ALL with a table of another schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id >= ALL (SELECT item_id FROM other.plain)

-- ALL with a table of an attached database
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id >= ALL (SELECT item_id FROM lake.raw.places)

-- a join with a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products JOIN archive USING (item_id)

-- a join with a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products JOIN health USING (item_id)

-- a join with a table of another schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products JOIN other.plain USING (item_id)

-- a join with a table of an attached database
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products JOIN lake.raw.places USING (item_id)

-- a left join with a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products LEFT JOIN archive USING (item_id)

-- a left join with a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products LEFT JOIN health USING (item_id)

-- a left join with a table of another schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products LEFT JOIN other.plain USING (item_id)

-- a left join with a table of an attached database
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products LEFT JOIN lake.raw.places USING (item_id)

-- a right join with a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products RIGHT JOIN archive USING (item_id)

-- a right join with a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products RIGHT JOIN health USING (item_id)

-- a right join with a table of another schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products RIGHT JOIN other.plain USING (item_id)

-- a right join with a table of an attached database
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products RIGHT JOIN lake.raw.places USING (item_id)

-- a full join with a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products FULL JOIN archive USING (item_id)

-- a full join with a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products FULL JOIN health USING (item_id)

-- a full join with a table of another schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products FULL JOIN other.plain USING (item_id)

-- a full join with a table of an attached database
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products FULL JOIN lake.raw.places USING (item_id)

-- a semi join with a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products SEMI JOIN archive USING (item_id)

-- a semi join with a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products SEMI JOIN health USING (item_id)

-- a semi join with a table of another schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products SEMI JOIN other.plain USING (item_id)

-- a semi join with a table of an attached database
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products SEMI JOIN lake.raw.places USING (item_id)

-- an anti join with a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products ANTI JOIN archive USING (item_id)

-- an anti join with a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products ANTI JOIN health USING (item_id)

-- an anti join with a table of another schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products ANTI JOIN other.plain USING (item_id)

-- an anti join with a table of an attached database
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products ANTI JOIN lake.raw.places USING (item_id)

-- a natural join with a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products NATURAL JOIN (SELECT item_id FROM archive)

-- a natural join with a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products NATURAL JOIN (SELECT item_id FROM health)

-- a natural join with a table of another schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products NATURAL JOIN (SELECT item_id FROM other.plain)

-- a natural join with a table of an attached database
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products NATURAL JOIN (SELECT item_id FROM lake.raw.places)

-- a cross join with a public table
-- allowed
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p CROSS JOIN archive r WHERE p.item_id = r.item_id

-- a cross join with a public view
-- allowed
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p CROSS JOIN health r WHERE p.item_id = r.item_id

-- a cross join with a table of another schema
-- allowed
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p CROSS JOIN other.plain r WHERE p.item_id = r.item_id

-- a cross join with a table of an attached database
-- allowed
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p CROSS JOIN lake.raw.places r WHERE p.item_id = r.item_id

-- a positional join with a public table
-- allowed
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p POSITIONAL JOIN archive r

-- a positional join with a public view
-- allowed
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p POSITIONAL JOIN health r

-- a positional join with a table of another schema
-- allowed
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p POSITIONAL JOIN other.plain r

-- a positional join with a table of an attached database
-- allowed
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p POSITIONAL JOIN lake.raw.places r

-- an ASOF join with a public table
-- allowed
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p ASOF JOIN archive r ON p.item_id >= r.item_id

-- an ASOF join with a public view
-- allowed
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p ASOF JOIN health r ON p.item_id >= r.item_id

-- an ASOF join with a table of another schema
-- allowed
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p ASOF JOIN other.plain r ON p.item_id >= r.item_id

-- an ASOF join with a table of an attached database
-- allowed
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p ASOF JOIN lake.raw.places r ON p.item_id >= r.item_id

-- a lateral join with a public table
-- allowed
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p, LATERAL (SELECT r.item_id FROM archive r WHERE r.item_id = p.item_id LIMIT 1) l

-- a lateral join with a public view
-- allowed
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p, LATERAL (SELECT r.item_id FROM health r WHERE r.item_id = p.item_id LIMIT 1) l

-- a lateral join with a table of another schema
-- allowed
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p, LATERAL (SELECT r.item_id FROM other.plain r WHERE r.item_id = p.item_id LIMIT 1) l

-- a lateral join with a table of an attached database
-- allowed
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p, LATERAL (SELECT r.item_id FROM lake.raw.places r WHERE r.item_id = p.item_id LIMIT 1) l

-- UNION with a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products UNION SELECT item_id FROM archive)

-- UNION with a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products UNION SELECT item_id FROM health)

-- UNION with a table of another schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products UNION SELECT item_id FROM other.plain)

-- UNION with a table of an attached database
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products UNION SELECT item_id FROM lake.raw.places)

-- UNION ALL BY NAME with a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products UNION ALL BY NAME SELECT item_id FROM archive)

-- UNION ALL BY NAME with a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products UNION ALL BY NAME SELECT item_id FROM health)

-- UNION ALL BY NAME with a table of another schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products UNION ALL BY NAME SELECT item_id FROM other.plain)

-- UNION ALL BY NAME with a table of an attached database
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products UNION ALL BY NAME SELECT item_id FROM lake.raw.places)

-- EXCEPT with a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products EXCEPT SELECT item_id FROM archive)

-- EXCEPT with a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products EXCEPT SELECT item_id FROM health)

-- EXCEPT with a table of another schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products EXCEPT SELECT item_id FROM other.plain)

-- EXCEPT with a table of an attached database
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products EXCEPT SELECT item_id FROM lake.raw.places)

-- INTERSECT with a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products INTERSECT SELECT item_id FROM archive)

-- INTERSECT with a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products INTERSECT SELECT item_id FROM health)

-- INTERSECT with a table of another schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products INTERSECT SELECT item_id FROM other.plain)

-- INTERSECT with a table of an attached database
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM products INTERSECT SELECT item_id FROM lake.raw.places)

-- a CTE with a public table
-- allowed
WITH c AS (SELECT item_id FROM archive) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM c

-- a CTE with a public view
-- allowed
WITH c AS (SELECT item_id FROM health) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM c

-- a CTE with a table of another schema
-- allowed
WITH c AS (SELECT item_id FROM other.plain) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM c

-- a CTE with a table of an attached database
-- allowed
WITH c AS (SELECT item_id FROM lake.raw.places) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM c

-- a materialized CTE with a public table
-- allowed
WITH c AS MATERIALIZED (SELECT item_id FROM archive) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM c

-- a materialized CTE with a public view
-- allowed
WITH c AS MATERIALIZED (SELECT item_id FROM health) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM c

-- a materialized CTE with a table of another schema
-- allowed
WITH c AS MATERIALIZED (SELECT item_id FROM other.plain) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM c

-- a materialized CTE with a table of an attached database
-- allowed
WITH c AS MATERIALIZED (SELECT item_id FROM lake.raw.places) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM c

-- a recursive CTE with a public table
-- allowed
WITH RECURSIVE c(item_id) AS (SELECT min(item_id) FROM archive UNION SELECT item_id + 1 FROM c WHERE item_id < 5) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM c

-- a recursive CTE with a public view
-- allowed
WITH RECURSIVE c(item_id) AS (SELECT min(item_id) FROM health UNION SELECT item_id + 1 FROM c WHERE item_id < 5) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM c

-- a recursive CTE with a table of another schema
-- allowed
WITH RECURSIVE c(item_id) AS (SELECT min(item_id) FROM other.plain UNION SELECT item_id + 1 FROM c WHERE item_id < 5) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM c

-- a recursive CTE with a table of an attached database
-- allowed
WITH RECURSIVE c(item_id) AS (SELECT min(item_id) FROM lake.raw.places UNION SELECT item_id + 1 FROM c WHERE item_id < 5) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM c

-- DISTINCT ON with a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT DISTINCT ON (item_id) item_id FROM archive)

-- DISTINCT ON with a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT DISTINCT ON (item_id) item_id FROM health)

-- DISTINCT ON with a table of another schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT DISTINCT ON (item_id) item_id FROM other.plain)

-- DISTINCT ON with a table of an attached database
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT DISTINCT ON (item_id) item_id FROM lake.raw.places)

-- a sample with a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM archive USING SAMPLE 5 ROWS)

-- a sample with a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM health USING SAMPLE 5 ROWS)

-- a sample with a table of another schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM other.plain USING SAMPLE 5 ROWS)

-- a sample with a table of an attached database
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM lake.raw.places USING SAMPLE 5 ROWS)

-- a window with a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM archive QUALIFY row_number() OVER (PARTITION BY item_id ORDER BY item_id) = 1)

-- a window with a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM health QUALIFY row_number() OVER (PARTITION BY item_id ORDER BY item_id) = 1)

-- a window with a table of another schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM other.plain QUALIFY row_number() OVER (PARTITION BY item_id ORDER BY item_id) = 1)

-- a window with a table of an attached database
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM lake.raw.places QUALIFY row_number() OVER (PARTITION BY item_id ORDER BY item_id) = 1)

-- GROUPING SETS with a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM archive GROUP BY GROUPING SETS ((item_id), ()) HAVING item_id IS NOT NULL)

-- GROUPING SETS with a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM health GROUP BY GROUPING SETS ((item_id), ()) HAVING item_id IS NOT NULL)

-- GROUPING SETS with a table of another schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM other.plain GROUP BY GROUPING SETS ((item_id), ()) HAVING item_id IS NOT NULL)

-- GROUPING SETS with a table of an attached database
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id FROM lake.raw.places GROUP BY GROUPING SETS ((item_id), ()) HAVING item_id IS NOT NULL)

-- a list of keys with a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT unnest(list(item_id)) AS item_id FROM archive)

-- a list of keys with a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT unnest(list(item_id)) AS item_id FROM health)

-- a list of keys with a table of another schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT unnest(list(item_id)) AS item_id FROM other.plain)

-- a list of keys with a table of an attached database
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT unnest(list(item_id)) AS item_id FROM lake.raw.places)

-- a pivot with its values listed with a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (PIVOT (SELECT item_id, 1 AS n FROM archive) ON n IN (1) USING count(*))

-- a pivot with its values listed with a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (PIVOT (SELECT item_id, 1 AS n FROM health) ON n IN (1) USING count(*))

-- a pivot with its values listed with a table of another schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (PIVOT (SELECT item_id, 1 AS n FROM other.plain) ON n IN (1) USING count(*))

-- a pivot with its values listed with a table of an attached database
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (PIVOT (SELECT item_id, 1 AS n FROM lake.raw.places) ON n IN (1) USING count(*))

-- an unpivot with a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (UNPIVOT (SELECT item_id::BIGINT AS a FROM archive) ON a INTO NAME n VALUE item_id)

-- an unpivot with a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (UNPIVOT (SELECT item_id::BIGINT AS a FROM health) ON a INTO NAME n VALUE item_id)

-- an unpivot with a table of another schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (UNPIVOT (SELECT item_id::BIGINT AS a FROM other.plain) ON a INTO NAME n VALUE item_id)

-- an unpivot with a table of an attached database
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (UNPIVOT (SELECT item_id::BIGINT AS a FROM lake.raw.places) ON a INTO NAME n VALUE item_id)

-- query_table with a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM query_table('archive')

-- query_table with a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM query_table('health')

-- query_table with a table of another schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM query_table('other.plain')

-- query_table with a table of an attached database
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM query_table('lake.raw.places')

-- query with a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM query('SELECT item_id FROM archive')

-- query with a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM query('SELECT item_id FROM health')

-- query with a table of another schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM query('SELECT item_id FROM other.plain')

-- query with a table of an attached database
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM query('SELECT item_id FROM lake.raw.places')

-- FROM first with a public table
-- allowed
FROM archive SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases')

-- FROM first with a public view
-- allowed
FROM health SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases')

-- FROM first with a table of another schema
-- allowed
FROM other.plain SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases')

-- FROM first with a table of an attached database
-- allowed
FROM lake.raw.places SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases')

-- a filter that is never true with a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id > 0 OR (false AND item_id IN (SELECT item_id FROM archive))

-- a filter that is never true with a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id > 0 OR (false AND item_id IN (SELECT item_id FROM health))

-- a filter that is never true with a table of another schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id > 0 OR (false AND item_id IN (SELECT item_id FROM other.plain))

-- a filter that is never true with a table of an attached database
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id > 0 OR (false AND item_id IN (SELECT item_id FROM lake.raw.places))
