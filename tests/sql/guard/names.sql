-- a public table
-- allowed: memory.main.products
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products

-- the protected table itself
-- refused: purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM purchases

-- case does not matter
-- refused: purchases
select MSD_Select(ITEM_ID, 6, 0.1, 0.5) from PURCHASES

-- nor do quotes
-- refused: purchases
SELECT "msd_select"("item_id", 6, 0.1, 0.5) FROM "Purchases"

-- a schema-qualified name
-- refused: purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM main.purchases

-- a fully qualified name
-- refused: purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM memory.main.purchases AS p

-- a namesake in another schema is another table
-- allowed: memory.other.purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM other.purchases

-- a column that is named like a protected table
-- allowed: memory.main.products
SELECT msd_select(item_id, 6, 0.1, 0.5, score := purchases) FROM products WHERE products.purchases > 3

-- an alias that is named like a protected table
-- allowed: memory.main.products
SELECT msd_select(purchases.item_id, 6, 0.1, 0.5) FROM products AS purchases

-- a string that is spelled like a protected table
-- allowed: memory.main.products
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products WHERE category = 'purchases'

-- a comment that names a protected table
-- allowed: memory.main.products
SELECT msd_select(item_id, 6, 0.1, 0.5) /* not from purchases */ FROM products -- purchases

-- a table of an attached database
-- allowed: lake.raw.places
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM lake.raw.places

-- a protected table of an attached database
-- refused: visits
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM lake.raw.visits

-- an identifier with a dot
-- allowed: memory.main."my.items"
SELECT msd_select("item.id", 6, 0.1, 0.5) FROM "my.items"

-- the information schema says nothing of rows
-- allowed:
SELECT msd_select(table_name, 6, NULL, 0.5) FROM information_schema.tables

-- the call in a list of columns before a table of the same statement
-- allowed: memory.main.products
SELECT category, msd_select(item_id, 6, 0.1, 0.5) AS chosen FROM products GROUP BY category ORDER BY category

-- a method call on the key
-- refused: purchases
SELECT item_id.msd_select(6, 0.1, 0.5) FROM purchases
