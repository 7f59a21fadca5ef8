-- a TEMP table hides the table of the same name
-- refused: 'categories' is not a committed table of this database
-- before: CREATE TEMP TABLE categories AS SELECT 1 AS item_id
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM categories

-- a TEMP view is followed
-- refused: the protected relation purchases
-- before: CREATE TEMP VIEW session_hot AS FROM purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM session_hot

-- a public TEMP view
-- allowed
-- before: CREATE TEMP VIEW session_few AS FROM products WHERE price_bin < 3
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM session_few

-- a variable may hold anything
-- refused: variables are set
-- before: SET VARIABLE ids = (SELECT list(item_id) FROM purchases WHERE user_id = 7)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE list_contains(getvariable('ids'), item_id)

-- storage statistics of a table
-- refused: pragma_storage_info() can return anything, or tells of the rows of tab
SELECT msd_select(row_group_id, 2, 0.01, 0, reach := 'purchases') FROM pragma_storage_info('purchases')

-- text that is computed
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM query('FROM pur' || 'chases')

-- a text without the call
-- allowed
SELECT 1

-- a statement of another kind
-- allowed
CALL msd_topk(products, 2, 0.01, 0, key := 'item_id', reach := 'purchases')
