-- a public value as a column
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id, (SELECT count(*) FROM archive) AS v FROM products)

-- a public value as a column (2)
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id, (SELECT max(floor) FROM categories) AS v FROM products)

-- a public value as a column (3)
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id, (SELECT min(item_id) FROM health) AS v FROM products)

-- a public value in WHERE
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id > (SELECT count(*) FROM archive)

-- a public value in WHERE (2)
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id > (SELECT max(floor) FROM categories)

-- a public value in WHERE (3)
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id > (SELECT min(item_id) FROM health)

-- a public value in a join
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products JOIN archive USING (item_id) WHERE archive.item_id < (SELECT count(*) FROM archive)

-- a public value in a join (2)
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products JOIN archive USING (item_id) WHERE archive.item_id < (SELECT max(floor) FROM categories)

-- a public value in a join (3)
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products JOIN archive USING (item_id) WHERE archive.item_id < (SELECT min(item_id) FROM health)

-- a public value in the condition of a join
-- allowed
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p JOIN archive a ON p.item_id = a.item_id + (SELECT count(*) FROM archive)

-- a public value in the condition of a join (2)
-- allowed
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p JOIN archive a ON p.item_id = a.item_id + (SELECT max(floor) FROM categories)

-- a public value in the condition of a join (3)
-- allowed
SELECT msd_select(p.item_id, 2, 0.01, 0, reach := 'purchases') FROM products p JOIN archive a ON p.item_id = a.item_id + (SELECT min(item_id) FROM health)

-- a public value in LIMIT
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products LIMIT (SELECT count(*) FROM archive))

-- a public value in LIMIT (2)
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products LIMIT (SELECT max(floor) FROM categories))

-- a public value in LIMIT (3)
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products LIMIT (SELECT min(item_id) FROM health))

-- a public value in OFFSET
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products LIMIT 5 OFFSET (SELECT count(*) FROM archive))

-- a public value in OFFSET (2)
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products LIMIT 5 OFFSET (SELECT max(floor) FROM categories))

-- a public value in OFFSET (3)
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products LIMIT 5 OFFSET (SELECT min(item_id) FROM health))

-- a public value in ORDER BY
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products ORDER BY item_id = (SELECT count(*) FROM archive) LIMIT 3)

-- a public value in ORDER BY (2)
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products ORDER BY item_id = (SELECT max(floor) FROM categories) LIMIT 3)

-- a public value in ORDER BY (3)
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products ORDER BY item_id = (SELECT min(item_id) FROM health) LIMIT 3)

-- a public value in GROUP BY
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products GROUP BY item_id > (SELECT count(*) FROM archive)

-- a public value in GROUP BY (2)
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products GROUP BY item_id > (SELECT max(floor) FROM categories)

-- a public value in GROUP BY (3)
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products GROUP BY item_id > (SELECT min(item_id) FROM health)

-- a public value in a list
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT unnest([1, (SELECT count(*) FROM archive)]) AS item_id)

-- a public value in a list (2)
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT unnest([1, (SELECT max(floor) FROM categories)]) AS item_id)

-- a public value in a list (3)
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT unnest([1, (SELECT min(item_id) FROM health)]) AS item_id)

-- a public value in a record
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id, {'v': (SELECT count(*) FROM archive)} AS r FROM products) WHERE r.v > 3

-- a public value in a record (2)
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id, {'v': (SELECT max(floor) FROM categories)} AS r FROM products) WHERE r.v > 3

-- a public value in a record (3)
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id, {'v': (SELECT min(item_id) FROM health)} AS r FROM products) WHERE r.v > 3

-- a public value in CASE
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE CASE WHEN item_id > (SELECT count(*) FROM archive) THEN true ELSE price_bin > 2 END

-- a public value in CASE (2)
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE CASE WHEN item_id > (SELECT max(floor) FROM categories) THEN true ELSE price_bin > 2 END

-- a public value in CASE (3)
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE CASE WHEN item_id > (SELECT min(item_id) FROM health) THEN true ELSE price_bin > 2 END

-- a public value as an argument of the call
-- allowed
SELECT msd_select(item_id, 1 + 0 * (SELECT count(*) FROM archive), 0.01, 0, reach := 'purchases') FROM products

-- a public value as an argument of the call (2)
-- allowed
SELECT msd_select(item_id, 1 + 0 * (SELECT max(floor) FROM categories), 0.01, 0, reach := 'purchases') FROM products

-- a public value as an argument of the call (3)
-- allowed
SELECT msd_select(item_id, 1 + 0 * (SELECT min(item_id) FROM health), 0.01, 0, reach := 'purchases') FROM products

-- a public value in VALUES
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (VALUES (1), ((SELECT count(*) FROM archive))) AS t(item_id)

-- a public value in VALUES (2)
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (VALUES (1), ((SELECT max(floor) FROM categories))) AS t(item_id)

-- a public value in VALUES (3)
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (VALUES (1), ((SELECT min(item_id) FROM health))) AS t(item_id)

-- a public value in COALESCE
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE coalesce((SELECT count(*) FROM archive), item_id) > 3

-- a public value in COALESCE (2)
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE coalesce((SELECT max(floor) FROM categories), item_id) > 3

-- a public value in COALESCE (3)
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE coalesce((SELECT min(item_id) FROM health), item_id) > 3

-- a public value in a window
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id, sum((SELECT count(*) FROM archive)) OVER (ORDER BY item_id) AS s FROM products) WHERE s > 3

-- a public value in a window (2)
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id, sum((SELECT max(floor) FROM categories)) OVER (ORDER BY item_id) AS s FROM products) WHERE s > 3

-- a public value in a window (3)
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT item_id, sum((SELECT min(item_id) FROM health)) OVER (ORDER BY item_id) AS s FROM products) WHERE s > 3
