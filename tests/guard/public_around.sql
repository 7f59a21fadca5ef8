-- a column of the row around, around it a public table
-- allowed
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE price_bin = r.item_id) FROM archive r

-- a column of the row around, around it a public view
-- allowed
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE price_bin = r.item_id) FROM (FROM health LIMIT 2) r

-- without a qualifier, around it a public table
-- allowed
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE category > '' AND products.item_id >= r.item_id) FROM archive r LIMIT 1

-- without a qualifier, around it a public view
-- allowed
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE category > '' AND products.item_id >= r.item_id) FROM (FROM health LIMIT 2) r LIMIT 1

-- LATERAL, around it a public table
-- allowed
SELECT * FROM archive r, LATERAL (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') AS i FROM products WHERE price_bin >= r.item_id)

-- LATERAL, around it a public view
-- allowed
SELECT * FROM (FROM health LIMIT 2) r, LATERAL (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') AS i FROM products WHERE price_bin >= r.item_id)

-- in WHERE, around it a public table
-- allowed
SELECT 1 FROM archive r WHERE len((SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id <= r.item_id)) > 0

-- in WHERE, around it a public view
-- allowed
SELECT 1 FROM (FROM health LIMIT 2) r WHERE len((SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id <= r.item_id)) > 0

-- in ORDER BY, around it a public table
-- allowed
SELECT item_id FROM archive r ORDER BY (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id <> r.item_id)

-- in ORDER BY, around it a public view
-- allowed
SELECT item_id FROM (FROM health LIMIT 2) r ORDER BY (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id <> r.item_id)

-- in a CASE, around it a public table
-- allowed
SELECT CASE WHEN r.item_id > 2 THEN (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products) END FROM archive r

-- in a CASE, around it a public view
-- allowed
SELECT CASE WHEN r.item_id > 2 THEN (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products) END FROM (FROM health LIMIT 2) r

-- in a CTE, around it a public table
-- allowed
SELECT (WITH few AS (FROM products WHERE item_id < r.item_id + 3) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM few) FROM archive r

-- in a CTE, around it a public view
-- allowed
SELECT (WITH few AS (FROM products WHERE item_id < r.item_id + 3) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM few) FROM (FROM health LIMIT 2) r

-- through list_contains on a column, around it a public table
-- allowed
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE [r.item_id].list_contains(item_id)) FROM archive r

-- through list_contains on a column, around it a public view
-- allowed
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE [r.item_id].list_contains(item_id)) FROM (FROM health LIMIT 2) r

-- through a method, around it a public table
-- allowed
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id >= (r.item_id + 0).abs()) FROM archive r

-- through a method, around it a public view
-- allowed
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id >= (r.item_id + 0).abs()) FROM (FROM health LIMIT 2) r

-- through JSON arrows, around it a public table
-- allowed
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id >= (to_json({'l': r.item_id}) -> '$.l')::INTEGER) FROM archive r

-- through JSON arrows, around it a public view
-- allowed
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id >= (to_json({'l': r.item_id}) -> '$.l')::INTEGER) FROM (FROM health LIMIT 2) r

-- as an argument of msd_topk, around it a public table
-- allowed
SELECT (SELECT list(item_id) FROM msd_topk(products, r.item_id + 1, 0.01, 0, key := 'item_id', reach := 'purchases')) FROM archive r

-- as an argument of msd_topk, around it a public view
-- allowed
SELECT (SELECT list(item_id) FROM msd_topk(products, r.item_id + 1, 0.01, 0, key := 'item_id', reach := 'purchases')) FROM (FROM health LIMIT 2) r

-- as an argument of msd_explain, around it a public table
-- allowed
SELECT (SELECT max(value) FROM msd_explain(products, r.item_id + 1, 0.01, 0, key := 'item_id', reach := 'purchases')) FROM archive r

-- as an argument of msd_explain, around it a public view
-- allowed
SELECT (SELECT max(value) FROM msd_explain(products, r.item_id + 1, 0.01, 0, key := 'item_id', reach := 'purchases')) FROM (FROM health LIMIT 2) r

-- as items of msd_reach, around it a public table
-- allowed
SELECT msd_reach([r.item_id], 0.01, relation := 'purchases') FROM archive r LIMIT 1

-- as items of msd_reach, around it a public view
-- allowed
SELECT msd_reach([r.item_id], 0.01, relation := 'purchases') FROM (FROM health LIMIT 2) r LIMIT 1
