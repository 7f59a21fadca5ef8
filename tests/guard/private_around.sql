-- a column of the row around, around it the protected table
-- refused
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE price_bin = r.item_id) FROM purchases r

-- a column of the row around, around it a view
-- refused
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE price_bin = r.item_id) FROM (FROM popular LIMIT 2) r

-- without a qualifier, around it the protected table
-- refused
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE category > '' AND products.item_id >= r.item_id) FROM purchases r LIMIT 1

-- without a qualifier, around it a view
-- refused
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE category > '' AND products.item_id >= r.item_id) FROM (FROM popular LIMIT 2) r LIMIT 1

-- LATERAL, around it the protected table
-- refused
SELECT * FROM purchases r, LATERAL (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') AS i FROM products WHERE price_bin >= r.item_id)

-- LATERAL, around it a view
-- refused
SELECT * FROM (FROM popular LIMIT 2) r, LATERAL (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') AS i FROM products WHERE price_bin >= r.item_id)

-- in WHERE, around it the protected table
-- refused
SELECT 1 FROM purchases r WHERE len((SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id <= r.item_id)) > 0

-- in WHERE, around it a view
-- refused
SELECT 1 FROM (FROM popular LIMIT 2) r WHERE len((SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id <= r.item_id)) > 0

-- in ORDER BY, around it the protected table
-- refused
SELECT item_id FROM purchases r ORDER BY (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id <> r.item_id)

-- in ORDER BY, around it a view
-- refused
SELECT item_id FROM (FROM popular LIMIT 2) r ORDER BY (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id <> r.item_id)

-- in a CASE, around it the protected table
-- refused
SELECT CASE WHEN r.item_id > 2 THEN (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products) END FROM purchases r

-- in a CASE, around it a view
-- refused
SELECT CASE WHEN r.item_id > 2 THEN (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products) END FROM (FROM popular LIMIT 2) r

-- in a CTE, around it the protected table
-- refused
SELECT (WITH few AS (FROM products WHERE item_id < r.item_id + 3) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM few) FROM purchases r

-- in a CTE, around it a view
-- refused
SELECT (WITH few AS (FROM products WHERE item_id < r.item_id + 3) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM few) FROM (FROM popular LIMIT 2) r

-- through list_contains on a column, around it the protected table
-- refused
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE [r.item_id].list_contains(item_id)) FROM purchases r

-- through list_contains on a column, around it a view
-- refused
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE [r.item_id].list_contains(item_id)) FROM (FROM popular LIMIT 2) r

-- through a method, around it the protected table
-- refused
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id >= (r.item_id + 0).abs()) FROM purchases r

-- through a method, around it a view
-- refused
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id >= (r.item_id + 0).abs()) FROM (FROM popular LIMIT 2) r

-- through JSON arrows, around it the protected table
-- refused
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id >= (to_json({'l': r.item_id}) -> '$.l')::INTEGER) FROM purchases r

-- through JSON arrows, around it a view
-- refused
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id >= (to_json({'l': r.item_id}) -> '$.l')::INTEGER) FROM (FROM popular LIMIT 2) r

-- as an argument of msd_topk, around it the protected table
-- refused
SELECT (SELECT list(item_id) FROM msd_topk(products, r.item_id + 1, 0.01, 0, key := 'item_id', reach := 'purchases')) FROM purchases r

-- as an argument of msd_topk, around it a view
-- refused
SELECT (SELECT list(item_id) FROM msd_topk(products, r.item_id + 1, 0.01, 0, key := 'item_id', reach := 'purchases')) FROM (FROM popular LIMIT 2) r

-- as an argument of msd_explain, around it the protected table
-- refused
SELECT (SELECT max(value) FROM msd_explain(products, r.item_id + 1, 0.01, 0, key := 'item_id', reach := 'purchases')) FROM purchases r

-- as an argument of msd_explain, around it a view
-- refused
SELECT (SELECT max(value) FROM msd_explain(products, r.item_id + 1, 0.01, 0, key := 'item_id', reach := 'purchases')) FROM (FROM popular LIMIT 2) r

-- as items of msd_reach, around it the protected table
-- refused
SELECT msd_reach([r.item_id], 0.01, relation := 'purchases') FROM purchases r LIMIT 1

-- as items of msd_reach, around it a view
-- refused
SELECT msd_reach([r.item_id], 0.01, relation := 'purchases') FROM (FROM popular LIMIT 2) r LIMIT 1
