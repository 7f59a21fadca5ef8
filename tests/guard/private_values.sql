-- a count as a column
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id, (SELECT count(*) FROM purchases WHERE user_id = 7) AS v FROM products)

-- the largest id as a column
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id, (SELECT max(item_id) FROM purchases) AS v FROM products)

-- one row as a column
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id, (SELECT item_id FROM purchases ORDER BY day LIMIT 1) AS v FROM products)

-- of a view as a column
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id, (SELECT max(sold) FROM products_ranked) AS v FROM products)

-- of the orders under a protected view as a column
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id, (SELECT count(*) FROM orders) AS v FROM products)

-- of an attached database as a column
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id, (SELECT min(item_id) FROM lake.raw.visits) AS v FROM products)

-- a count in WHERE
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id > (SELECT count(*) FROM purchases WHERE user_id = 7)

-- the largest id in WHERE
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id > (SELECT max(item_id) FROM purchases)

-- one row in WHERE
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id > (SELECT item_id FROM purchases ORDER BY day LIMIT 1)

-- of a view in WHERE
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id > (SELECT max(sold) FROM products_ranked)

-- of the orders under a protected view in WHERE
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id > (SELECT count(*) FROM orders)

-- of an attached database in WHERE
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id > (SELECT min(item_id) FROM lake.raw.visits)

-- a count in a join
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products JOIN archive USING (item_id) WHERE archive.item_id < (SELECT count(*) FROM purchases WHERE user_id = 7)

-- the largest id in a join
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products JOIN archive USING (item_id) WHERE archive.item_id < (SELECT max(item_id) FROM purchases)

-- one row in a join
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products JOIN archive USING (item_id) WHERE archive.item_id < (SELECT item_id FROM purchases ORDER BY day LIMIT 1)

-- of a view in a join
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products JOIN archive USING (item_id) WHERE archive.item_id < (SELECT max(sold) FROM products_ranked)

-- of the orders under a protected view in a join
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products JOIN archive USING (item_id) WHERE archive.item_id < (SELECT count(*) FROM orders)

-- of an attached database in a join
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products JOIN archive USING (item_id) WHERE archive.item_id < (SELECT min(item_id) FROM lake.raw.visits)

-- a count in the condition of a join
-- refused
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p JOIN archive a ON p.item_id = a.item_id + (SELECT count(*) FROM purchases WHERE user_id = 7)

-- the largest id in the condition of a join
-- refused
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p JOIN archive a ON p.item_id = a.item_id + (SELECT max(item_id) FROM purchases)

-- one row in the condition of a join
-- refused
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p JOIN archive a ON p.item_id = a.item_id + (SELECT item_id FROM purchases ORDER BY day LIMIT 1)

-- of a view in the condition of a join
-- refused
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p JOIN archive a ON p.item_id = a.item_id + (SELECT max(sold) FROM products_ranked)

-- of the orders under a protected view in the condition of a join
-- refused
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p JOIN archive a ON p.item_id = a.item_id + (SELECT count(*) FROM orders)

-- of an attached database in the condition of a join
-- refused
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p JOIN archive a ON p.item_id = a.item_id + (SELECT min(item_id) FROM lake.raw.visits)

-- a count in LIMIT
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products LIMIT (SELECT count(*) FROM purchases WHERE user_id = 7))

-- the largest id in LIMIT
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products LIMIT (SELECT max(item_id) FROM purchases))

-- one row in LIMIT
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products LIMIT (SELECT item_id FROM purchases ORDER BY day LIMIT 1))

-- of a view in LIMIT
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products LIMIT (SELECT max(sold) FROM products_ranked))

-- of the orders under a protected view in LIMIT
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products LIMIT (SELECT count(*) FROM orders))

-- of an attached database in LIMIT
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products LIMIT (SELECT min(item_id) FROM lake.raw.visits))

-- a count in OFFSET
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products LIMIT 5 OFFSET (SELECT count(*) FROM purchases WHERE user_id = 7))

-- the largest id in OFFSET
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products LIMIT 5 OFFSET (SELECT max(item_id) FROM purchases))

-- one row in OFFSET
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products LIMIT 5 OFFSET (SELECT item_id FROM purchases ORDER BY day LIMIT 1))

-- of a view in OFFSET
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products LIMIT 5 OFFSET (SELECT max(sold) FROM products_ranked))

-- of the orders under a protected view in OFFSET
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products LIMIT 5 OFFSET (SELECT count(*) FROM orders))

-- of an attached database in OFFSET
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products LIMIT 5 OFFSET (SELECT min(item_id) FROM lake.raw.visits))

-- a count in ORDER BY
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products ORDER BY item_id = (SELECT count(*) FROM purchases WHERE user_id = 7) LIMIT 3)

-- the largest id in ORDER BY
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products ORDER BY item_id = (SELECT max(item_id) FROM purchases) LIMIT 3)

-- one row in ORDER BY
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products ORDER BY item_id = (SELECT item_id FROM purchases ORDER BY day LIMIT 1) LIMIT 3)

-- of a view in ORDER BY
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products ORDER BY item_id = (SELECT max(sold) FROM products_ranked) LIMIT 3)

-- of the orders under a protected view in ORDER BY
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products ORDER BY item_id = (SELECT count(*) FROM orders) LIMIT 3)

-- of an attached database in ORDER BY
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products ORDER BY item_id = (SELECT min(item_id) FROM lake.raw.visits) LIMIT 3)

-- a count in GROUP BY
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products GROUP BY item_id > (SELECT count(*) FROM purchases WHERE user_id = 7)

-- the largest id in GROUP BY
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products GROUP BY item_id > (SELECT max(item_id) FROM purchases)

-- one row in GROUP BY
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products GROUP BY item_id > (SELECT item_id FROM purchases ORDER BY day LIMIT 1)

-- of a view in GROUP BY
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products GROUP BY item_id > (SELECT max(sold) FROM products_ranked)

-- of the orders under a protected view in GROUP BY
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products GROUP BY item_id > (SELECT count(*) FROM orders)

-- of an attached database in GROUP BY
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products GROUP BY item_id > (SELECT min(item_id) FROM lake.raw.visits)

-- a count in a list
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT unnest([1, (SELECT count(*) FROM purchases WHERE user_id = 7)]) AS item_id)

-- the largest id in a list
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT unnest([1, (SELECT max(item_id) FROM purchases)]) AS item_id)

-- one row in a list
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT unnest([1, (SELECT item_id FROM purchases ORDER BY day LIMIT 1)]) AS item_id)

-- of a view in a list
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT unnest([1, (SELECT max(sold) FROM products_ranked)]) AS item_id)

-- of the orders under a protected view in a list
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT unnest([1, (SELECT count(*) FROM orders)]) AS item_id)

-- of an attached database in a list
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT unnest([1, (SELECT min(item_id) FROM lake.raw.visits)]) AS item_id)

-- a count in a record
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id, {'v': (SELECT count(*) FROM purchases WHERE user_id = 7)} AS r FROM products) WHERE r.v > 3

-- the largest id in a record
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id, {'v': (SELECT max(item_id) FROM purchases)} AS r FROM products) WHERE r.v > 3

-- one row in a record
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id, {'v': (SELECT item_id FROM purchases ORDER BY day LIMIT 1)} AS r FROM products) WHERE r.v > 3

-- of a view in a record
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id, {'v': (SELECT max(sold) FROM products_ranked)} AS r FROM products) WHERE r.v > 3

-- of the orders under a protected view in a record
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id, {'v': (SELECT count(*) FROM orders)} AS r FROM products) WHERE r.v > 3

-- of an attached database in a record
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id, {'v': (SELECT min(item_id) FROM lake.raw.visits)} AS r FROM products) WHERE r.v > 3

-- a count in CASE
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE CASE WHEN item_id > (SELECT count(*) FROM purchases WHERE user_id = 7) THEN true ELSE price_bin > 2 END

-- the largest id in CASE
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE CASE WHEN item_id > (SELECT max(item_id) FROM purchases) THEN true ELSE price_bin > 2 END

-- one row in CASE
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE CASE WHEN item_id > (SELECT item_id FROM purchases ORDER BY day LIMIT 1) THEN true ELSE price_bin > 2 END

-- of a view in CASE
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE CASE WHEN item_id > (SELECT max(sold) FROM products_ranked) THEN true ELSE price_bin > 2 END

-- of the orders under a protected view in CASE
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE CASE WHEN item_id > (SELECT count(*) FROM orders) THEN true ELSE price_bin > 2 END

-- of an attached database in CASE
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE CASE WHEN item_id > (SELECT min(item_id) FROM lake.raw.visits) THEN true ELSE price_bin > 2 END

-- a count as an argument of the call
-- refused
SELECT msd_select(item_id, 1 + 0 * (SELECT count(*) FROM purchases WHERE user_id = 7), 0.01, 0, reach := 'purchases') FROM products

-- the largest id as an argument of the call
-- refused
SELECT msd_select(item_id, 1 + 0 * (SELECT max(item_id) FROM purchases), 0.01, 0, reach := 'purchases') FROM products

-- one row as an argument of the call
-- refused
SELECT msd_select(item_id, 1 + 0 * (SELECT item_id FROM purchases ORDER BY day LIMIT 1), 0.01, 0, reach := 'purchases') FROM products

-- of a view as an argument of the call
-- refused
SELECT msd_select(item_id, 1 + 0 * (SELECT max(sold) FROM products_ranked), 0.01, 0, reach := 'purchases') FROM products

-- of the orders under a protected view as an argument of the call
-- refused
SELECT msd_select(item_id, 1 + 0 * (SELECT count(*) FROM orders), 0.01, 0, reach := 'purchases') FROM products

-- of an attached database as an argument of the call
-- refused
SELECT msd_select(item_id, 1 + 0 * (SELECT min(item_id) FROM lake.raw.visits), 0.01, 0, reach := 'purchases') FROM products

-- a count in VALUES
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (VALUES (1), ((SELECT count(*) FROM purchases WHERE user_id = 7))) AS t(item_id)

-- the largest id in VALUES
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (VALUES (1), ((SELECT max(item_id) FROM purchases))) AS t(item_id)

-- one row in VALUES
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (VALUES (1), ((SELECT item_id FROM purchases ORDER BY day LIMIT 1))) AS t(item_id)

-- of a view in VALUES
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (VALUES (1), ((SELECT max(sold) FROM products_ranked))) AS t(item_id)

-- of the orders under a protected view in VALUES
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (VALUES (1), ((SELECT count(*) FROM orders))) AS t(item_id)

-- of an attached database in VALUES
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (VALUES (1), ((SELECT min(item_id) FROM lake.raw.visits))) AS t(item_id)

-- a count in COALESCE
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE coalesce((SELECT count(*) FROM purchases WHERE user_id = 7), item_id) > 3

-- the largest id in COALESCE
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE coalesce((SELECT max(item_id) FROM purchases), item_id) > 3

-- one row in COALESCE
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE coalesce((SELECT item_id FROM purchases ORDER BY day LIMIT 1), item_id) > 3

-- of a view in COALESCE
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE coalesce((SELECT max(sold) FROM products_ranked), item_id) > 3

-- of the orders under a protected view in COALESCE
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE coalesce((SELECT count(*) FROM orders), item_id) > 3

-- of an attached database in COALESCE
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE coalesce((SELECT min(item_id) FROM lake.raw.visits), item_id) > 3

-- a count in a window
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id, sum((SELECT count(*) FROM purchases WHERE user_id = 7)) OVER (ORDER BY item_id) AS s FROM products) WHERE s > 3

-- the largest id in a window
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id, sum((SELECT max(item_id) FROM purchases)) OVER (ORDER BY item_id) AS s FROM products) WHERE s > 3

-- one row in a window
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id, sum((SELECT item_id FROM purchases ORDER BY day LIMIT 1)) OVER (ORDER BY item_id) AS s FROM products) WHERE s > 3

-- of a view in a window
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id, sum((SELECT max(sold) FROM products_ranked)) OVER (ORDER BY item_id) AS s FROM products) WHERE s > 3

-- of the orders under a protected view in a window
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id, sum((SELECT count(*) FROM orders)) OVER (ORDER BY item_id) AS s FROM products) WHERE s > 3

-- of an attached database in a window
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id, sum((SELECT min(item_id) FROM lake.raw.visits)) OVER (ORDER BY item_id) AS s FROM products) WHERE s > 3
