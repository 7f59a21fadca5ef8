-- a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products

-- the protected table itself
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM purchases

-- case does not matter
-- refused: the protected relation purchases
select MSD_Select(ITEM_ID, 2, 0.01, 0, reach := 'purchases') from PURCHASES

-- nor do quotes
-- refused: the protected relation purchases
SELECT "msd_select"("item_id", 2, 0.01, 0, reach := 'purchases') FROM "Purchases"

-- a schema-qualified name
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM main.purchases

-- a fully qualified name
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM memory.main.purchases AS p

-- a namesake in another schema is another table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM other.purchases

-- a column that is named like a protected table
-- allowed
SELECT msd_select(item_id, 2, NULL, 0, score := purchases) FROM products WHERE products.purchases > 3

-- an alias that is named like a protected table
-- allowed
SELECT msd_select(purchases.item_id, 2, 0.01, 0, reach := 'purchases') FROM products AS purchases

-- a string that is spelled like a protected table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE category = 'purchases'

-- a comment that names a protected table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') /* not from purchases */ FROM products -- purchases

-- a table of an attached database
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM lake.raw.places

-- a protected table of an attached database
-- refused: the protected relation visits
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM lake.raw.visits

-- an identifier with a dot
-- allowed
SELECT msd_select("item.id", 2, 0.01, 0, reach := 'purchases') FROM "my.items"

-- the information schema tells how many columns a view has, which a PIVOT makes of values
-- refused: duckdb_views() can return anything
SELECT msd_select(table_name, 2, NULL, 0, score := 1.0) FROM information_schema.tables

-- the names of views
-- allowed
SELECT msd_select(view_name, 2, NULL, 0, score := 1.0) FROM (SELECT view_name FROM duckdb_views() WHERE NOT internal)

-- the call in a list of columns before a table of the same statement
-- allowed
SELECT category, msd_select(item_id, 2, 0.01, 0, reach := 'purchases') AS chosen FROM products GROUP BY category ORDER BY category

-- a method call on the key
-- refused: the protected relation purchases
SELECT item_id.msd_select(2, 0.01, 0, reach := 'purchases') FROM purchases
