-- a public view
-- allowed: memory.main.products
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM health

-- a view that looks up the protected table
-- refused: products_ranked → view → purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products_ranked

-- a view over such a view
-- refused: shelf → view → products_ranked → view → purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM shelf WHERE category = 'x'

-- a view in another schema
-- refused: sold → view → purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM other.sold

-- a view finds the names of its own schema first
-- allowed: memory.other.purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM other.namesake

-- a view whose table is only in its own schema
-- allowed: memory.other.plain
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM other.own

-- a view of an attached database
-- refused: busy → view → visits
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM lake.raw.busy

-- a public view of an attached database
-- allowed: lake.raw.places
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM lake.raw.quiet

-- a view with a name in quotes
-- refused: My View → view → purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM "my view"

-- a CTE does not change what a view reads
-- refused: popular → view → purchases
WITH purchases AS (FROM products) SELECT msd_select(item_id, 6, 0.1, 0.5) FROM popular

-- a view with names for its columns
-- allowed: memory.main.products
SELECT msd_select(id, 6, 0.1, 0.5) FROM renamed WHERE kind = 'x'

-- a view whose definition DuckDB writes in its own way
-- allowed: memory.main.products
SELECT msd_select(item_id, 6, 0.1, 0.5, features := tags) FROM transformed

-- a view that holds the call
-- allowed: memory.main.products
FROM answer

-- a view that holds a bad call
-- refused: bad_answer → view → products_ranked → view → purchases
SELECT items FROM bad_answer

-- a view that holds the call, beside the protected table
-- allowed: memory.main.products
SELECT items, (SELECT count(*) FROM purchases) AS n FROM answer

-- what a protected view reads is as private
-- refused: orders
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM orders

-- but for the declared items that it joins
-- allowed: memory.main.products
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products

-- a protected view
-- refused: orders_seen
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM orders_seen

-- our table macro takes a view
-- refused: products_ranked → view → purchases
FROM msd_topk(products_ranked, 6, 0.1, 0.5)

-- or its name as a string
-- refused: shelf → view → products_ranked → view → purchases
FROM msd_topk('shelf', 6, 0.1, 0.5)

-- also with its schema
-- refused: sold → view → purchases
FROM msd_explain('other.sold', 6, 0.1, 0.5)

-- a public one
-- allowed: memory.main.products
FROM msd_topk('main.health', 6, 0.1, 0.5) WHERE msd_rank < 3

-- the dry run of a public table
-- allowed: memory.main.products
FROM msd_explain(products, 6, 0.1, 0.5)

-- our table macro takes a CTE
-- refused: hot → CTE → purchases
WITH hot AS (FROM purchases) FROM msd_topk(hot, 6, 0.1, 0.5)

-- chosen rows joined with the protected table: not where the candidates come from
-- allowed: memory.main.products
SELECT count(*) FROM msd_topk(products, 6, 0.1, 0.5) AS t JOIN purchases USING (item_id)
