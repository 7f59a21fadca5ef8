-- a name that is not in the database
-- unknown: frame
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM frame

-- in a subquery
-- unknown: frame
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products WHERE item_id IN (SELECT item_id FROM frame)

-- a TEMP table hides the table of the same name
-- unknown: categories
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM categories

-- a TEMP view is followed
-- refused: session_hot → view → purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM session_hot

-- a public TEMP view
-- allowed: memory.main.products
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM session_few

-- a registered frame
-- unknown: registered
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM registered

-- a prepared statement that is not known
-- unreadable: the prepared statement lost
EXECUTE lost(3)

-- a variable may hold anything
-- unknown: getvariable()
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products WHERE list_contains(getvariable('ids'), item_id)

-- a function that is not in the database
-- unknown: my_macro()
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products WHERE my_macro(item_id)

-- storage statistics of a table
-- unknown: pragma_storage_info()
SELECT msd_select(row_group_id, 6, 0.1, 0.5) FROM pragma_storage_info('purchases')

-- text that is computed
-- unreadable: query()
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM query('FROM pur' || 'chases')

-- broken text
-- unreadable: syntax
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM ['a.parquet', 'b.parquet']

-- a text without the call
-- unreadable: not in its text
SELECT 1

-- a statement of another kind
-- unreadable: it begins with CALL
CALL msd_topk(products, 6, 0.1, 0.5)

-- an unfinished string
-- unreadable: words
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products WHERE category = 'x
