-- a public view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM health

-- a view that looks up the protected table
-- refused: the protected relation purchases: products_ranked → view → purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products_ranked

-- a view over such a view
-- refused: the protected relation purchases: shelf → view → products_ranked → view → purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM shelf WHERE category = 'x'

-- a view in another schema
-- refused: the protected relation purchases: sold → view → purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM other.sold

-- a view finds the names of its own schema first
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM other.namesake

-- a view whose table is only in its own schema
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM other.own

-- a view of an attached database
-- refused: the protected relation visits: busy → view → visits
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM lake.raw.busy

-- a public view of an attached database
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM lake.raw.quiet

-- a view with a name in quotes
-- refused: the protected relation purchases: "My View" → view → purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM "my view"

-- a CTE does not change what a view reads
-- refused: the protected relation purchases: popular → view → purchases
WITH purchases AS (FROM products) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM popular

-- a view with names for its columns
-- allowed
SELECT msd_select(id, 2, 0.01, 0, reach := 'purchases') FROM renamed WHERE kind = 'x'

-- a view whose definition DuckDB writes in its own way
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases', features := tags) FROM transformed

-- a view that holds the call
-- allowed
FROM answer

-- a view that holds a bad call
-- refused: the protected relation purchases: bad_answer → view → products_ranked → view → purchases
SELECT items FROM bad_answer

-- a view that holds the call, beside the protected table
-- refused: the protected relation purchases
SELECT items, (SELECT count(*) FROM purchases) AS n FROM answer

-- what a protected view reads is as private
-- refused: data of the protected relation orders_seen, which reads orders: orders
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM orders

-- but for the declared items that it joins
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products

-- a protected view
-- refused: data of the protected relation orders_seen, which reads orders: orders_seen
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM orders_seen

-- our table macro takes a view
-- refused: the protected relation purchases: products_ranked → view → purchases
FROM msd_topk(products_ranked, 2, 0.01, 0, key := 'item_id', reach := 'purchases')

-- or its name as a string
-- refused: the protected relation purchases
FROM msd_topk('shelf', 2, 0.01, 0, key := 'item_id', reach := 'purchases')

-- also with its schema
-- refused: the protected relation purchases
FROM msd_explain('other.sold', 2, 0.01, 0, key := 'item_id', reach := 'purchases')

-- a public one
-- allowed
FROM msd_topk('main.health', 2, 0.01, 0, key := 'item_id', reach := 'purchases') WHERE msd_rank < 3

-- the dry run of a public table
-- allowed
FROM msd_explain(products, 2, 0.01, 0, key := 'item_id', reach := 'purchases')

-- our table macro takes a CTE
-- refused: the protected relation purchases: hot → CTE → purchases
WITH hot AS (FROM purchases) FROM msd_topk(hot, 2, 0.01, 0, key := 'item_id', reach := 'purchases')

-- chosen rows joined with the protected table: not where the candidates come from
-- refused: the protected relation purchases
SELECT count(*) FROM msd_topk(products, 2, 0.01, 0, key := 'item_id', reach := 'purchases') AS t JOIN purchases USING (item_id)
