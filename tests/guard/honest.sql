-- a list from products
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products

-- rows from products
-- allowed
SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM products

-- a count from products
-- allowed
SELECT len(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM products

-- in a CTE from products
-- allowed
WITH chosen AS (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM products) FROM chosen

-- joined with public rows from products
-- allowed
SELECT c.item_id FROM (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM products) c LEFT JOIN products USING (item_id)

-- ordered from products
-- allowed
SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM products ORDER BY item_id LIMIT 1

-- into a table from products
-- allowed
CREATE TABLE kept AS SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM products

-- a list from health
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM health

-- rows from health
-- allowed
SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM health

-- a count from health
-- allowed
SELECT len(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM health

-- in a CTE from health
-- allowed
WITH chosen AS (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM health) FROM chosen

-- joined with public rows from health
-- allowed
SELECT c.item_id FROM (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM health) c LEFT JOIN products USING (item_id)

-- ordered from health
-- allowed
SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM health ORDER BY item_id LIMIT 1

-- into a table from health
-- allowed
CREATE TABLE kept AS SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM health

-- a list from archive
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM archive

-- rows from archive
-- allowed
SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM archive

-- a count from archive
-- allowed
SELECT len(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM archive

-- in a CTE from archive
-- allowed
WITH chosen AS (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM archive) FROM chosen

-- joined with public rows from archive
-- allowed
SELECT c.item_id FROM (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM archive) c LEFT JOIN products USING (item_id)

-- ordered from archive
-- allowed
SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM archive ORDER BY item_id LIMIT 1

-- into a table from archive
-- allowed
CREATE TABLE kept AS SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM archive

-- a list from other.plain
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM other.plain

-- rows from other.plain
-- allowed
SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM other.plain

-- a count from other.plain
-- allowed
SELECT len(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM other.plain

-- in a CTE from other.plain
-- allowed
WITH chosen AS (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM other.plain) FROM chosen

-- joined with public rows from other.plain
-- allowed
SELECT c.item_id FROM (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM other.plain) c LEFT JOIN products USING (item_id)

-- ordered from other.plain
-- allowed
SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM other.plain ORDER BY item_id LIMIT 1

-- into a table from other.plain
-- allowed
CREATE TABLE kept AS SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM other.plain

-- a list from lake.raw.quiet
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM lake.raw.quiet

-- rows from lake.raw.quiet
-- allowed
SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM lake.raw.quiet

-- a count from lake.raw.quiet
-- allowed
SELECT len(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM lake.raw.quiet

-- in a CTE from lake.raw.quiet
-- allowed
WITH chosen AS (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM lake.raw.quiet) FROM chosen

-- joined with public rows from lake.raw.quiet
-- allowed
SELECT c.item_id FROM (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM lake.raw.quiet) c LEFT JOIN products USING (item_id)

-- ordered from lake.raw.quiet
-- allowed
SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM lake.raw.quiet ORDER BY item_id LIMIT 1

-- into a table from lake.raw.quiet
-- allowed
CREATE TABLE kept AS SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM lake.raw.quiet

-- a list from zones
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM zones

-- rows from zones
-- allowed
SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM zones

-- a count from zones
-- allowed
SELECT len(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM zones

-- in a CTE from zones
-- allowed
WITH chosen AS (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM zones) FROM chosen

-- joined with public rows from zones
-- allowed
SELECT c.item_id FROM (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM zones) c LEFT JOIN products USING (item_id)

-- ordered from zones
-- allowed
SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM zones ORDER BY item_id LIMIT 1

-- into a table from zones
-- allowed
CREATE TABLE kept AS SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM zones

-- a list from (FROM products WHERE price_bin < 3)
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products WHERE price_bin < 3)

-- rows from (FROM products WHERE price_bin < 3)
-- allowed
SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM (FROM products WHERE price_bin < 3)

-- a count from (FROM products WHERE price_bin < 3)
-- allowed
SELECT len(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM (FROM products WHERE price_bin < 3)

-- in a CTE from (FROM products WHERE price_bin < 3)
-- allowed
WITH chosen AS (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM (FROM products WHERE price_bin < 3)) FROM chosen

-- joined with public rows from (FROM products WHERE price_bin < 3)
-- allowed
SELECT c.item_id FROM (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM (FROM products WHERE price_bin < 3)) c LEFT JOIN products USING (item_id)

-- ordered from (FROM products WHERE price_bin < 3)
-- allowed
SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM (FROM products WHERE price_bin < 3) ORDER BY item_id LIMIT 1

-- into a table from (FROM products WHERE price_bin < 3)
-- allowed
CREATE TABLE kept AS SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM (FROM products WHERE price_bin < 3)

-- a list from of_category('Toys')
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM of_category('Toys')

-- rows from of_category('Toys')
-- allowed
SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM of_category('Toys')

-- a count from of_category('Toys')
-- allowed
SELECT len(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM of_category('Toys')

-- in a CTE from of_category('Toys')
-- allowed
WITH chosen AS (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM of_category('Toys')) FROM chosen

-- joined with public rows from of_category('Toys')
-- allowed
SELECT c.item_id FROM (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM of_category('Toys')) c LEFT JOIN products USING (item_id)

-- ordered from of_category('Toys')
-- allowed
SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM of_category('Toys') ORDER BY item_id LIMIT 1

-- into a table from of_category('Toys')
-- allowed
CREATE TABLE kept AS SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM of_category('Toys')

-- a list from rows_of('products')
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM rows_of('products')

-- rows from rows_of('products')
-- allowed
SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM rows_of('products')

-- a count from rows_of('products')
-- allowed
SELECT len(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM rows_of('products')

-- in a CTE from rows_of('products')
-- allowed
WITH chosen AS (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM rows_of('products')) FROM chosen

-- joined with public rows from rows_of('products')
-- allowed
SELECT c.item_id FROM (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM rows_of('products')) c LEFT JOIN products USING (item_id)

-- ordered from rows_of('products')
-- allowed
SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM rows_of('products') ORDER BY item_id LIMIT 1

-- into a table from rows_of('products')
-- allowed
CREATE TABLE kept AS SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM rows_of('products')

-- a list from 'zones.parquet'
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM '$files/zones.parquet'

-- rows from 'zones.parquet'
-- allowed
SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM '$files/zones.parquet'

-- a count from 'zones.parquet'
-- allowed
SELECT len(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM '$files/zones.parquet'

-- in a CTE from 'zones.parquet'
-- allowed
WITH chosen AS (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM '$files/zones.parquet') FROM chosen

-- joined with public rows from 'zones.parquet'
-- allowed
SELECT c.item_id FROM (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM '$files/zones.parquet') c LEFT JOIN products USING (item_id)

-- ordered from 'zones.parquet'
-- allowed
SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM '$files/zones.parquet' ORDER BY item_id LIMIT 1

-- into a table from 'zones.parquet'
-- allowed
CREATE TABLE kept AS SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM '$files/zones.parquet'

-- a list from read_parquet('zones.parquet')
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM read_parquet('$files/zones.parquet')

-- rows from read_parquet('zones.parquet')
-- allowed
SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM read_parquet('$files/zones.parquet')

-- a count from read_parquet('zones.parquet')
-- allowed
SELECT len(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM read_parquet('$files/zones.parquet')

-- in a CTE from read_parquet('zones.parquet')
-- allowed
WITH chosen AS (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM read_parquet('$files/zones.parquet')) FROM chosen

-- joined with public rows from read_parquet('zones.parquet')
-- allowed
SELECT c.item_id FROM (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM read_parquet('$files/zones.parquet')) c LEFT JOIN products USING (item_id)

-- ordered from read_parquet('zones.parquet')
-- allowed
SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM read_parquet('$files/zones.parquet') ORDER BY item_id LIMIT 1

-- into a table from read_parquet('zones.parquet')
-- allowed
CREATE TABLE kept AS SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM read_parquet('$files/zones.parquet')

-- a list from read_parquet(['zones.parquet'])
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM read_parquet(['$files/zones.parquet'])

-- rows from read_parquet(['zones.parquet'])
-- allowed
SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM read_parquet(['$files/zones.parquet'])

-- a count from read_parquet(['zones.parquet'])
-- allowed
SELECT len(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) FROM read_parquet(['$files/zones.parquet'])

-- in a CTE from read_parquet(['zones.parquet'])
-- allowed
WITH chosen AS (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM read_parquet(['$files/zones.parquet'])) FROM chosen

-- joined with public rows from read_parquet(['zones.parquet'])
-- allowed
SELECT c.item_id FROM (SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM read_parquet(['$files/zones.parquet'])) c LEFT JOIN products USING (item_id)

-- ordered from read_parquet(['zones.parquet'])
-- allowed
SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM read_parquet(['$files/zones.parquet']) ORDER BY item_id LIMIT 1

-- into a table from read_parquet(['zones.parquet'])
-- allowed
CREATE TABLE kept AS SELECT unnest(msd_select(item_id, 2, 0.01, 0, reach := 'purchases')) AS item_id FROM read_parquet(['$files/zones.parquet'])

-- groups
-- allowed
SELECT category, msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products GROUP BY category

-- groups of two columns
-- allowed
SELECT category, price_bin > 2, msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products GROUP BY ALL

-- rows with every column
-- allowed
FROM msd_topk(products, 2, 0.01, 0, key := 'item_id', reach := 'purchases')

-- rows of a view
-- allowed
FROM msd_topk(health, 2, 0.01, 0, key := 'item_id', reach := 'purchases')

-- rows of a CTE
-- allowed
WITH few AS (FROM products WHERE price_bin < 4) FROM msd_topk(few, 2, 0.01, 0, key := 'item_id', reach := 'purchases')

-- an explanation
-- allowed
FROM msd_explain(products, 2, 0.01, 0, key := 'item_id', reach := 'purchases')

-- reach
-- allowed
SELECT msd_reach([1, 2, 3], 0.01, relation := 'purchases')

-- reach of what was chosen
-- allowed
SELECT msd_reach((SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products), 0.01, relation := 'purchases')

-- what remains
-- allowed
SELECT msd_remaining('purchases')

-- the ledger
-- allowed
SELECT count(*) FROM msd_ledger()

-- features
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0.5, features := tags, reach := 'purchases') FROM products

-- a quota
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, quota := category, quota_cap := 1, reach := 'purchases') FROM products

-- the declared relation
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0) FROM products

-- an alias like the protected table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products AS purchases

-- a window over public rows
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (FROM products QUALIFY row_number() OVER (PARTITION BY category ORDER BY item_id) < 3)

-- a series
-- allowed
SELECT msd_select(i, 2, 0.01, 0, reach := 'purchases') FROM range(5) t(i)

-- generate_series
-- allowed
SELECT msd_select(i, 2, 0.01, 0, reach := 'purchases') FROM generate_series(1, 5) t(i)

-- values
-- allowed
SELECT msd_select(i, 2, 0.01, 0, reach := 'purchases') FROM (VALUES (1), (2), (3)) t(i)

-- JSON
-- allowed
SELECT msd_select(value::INTEGER, 2, 0.01, 0, reach := 'purchases') FROM json_each('[1, 2, 3]')

-- a pivot with its values listed
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (PIVOT (SELECT item_id, category FROM products) ON category IN ('Toys') USING count(*))

-- the names of tables
-- allowed
SELECT msd_select(table_name, 2, NULL, 0, score := 1.0) FROM duckdb_tables()

-- an ENUM column
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, quota := kind, quota_cap := 1, reach := 'purchases') FROM typed

-- keys of an ENUM column
-- allowed
SELECT msd_select(kind, 2, NULL, 0, score := 1.0) FROM typed

-- a list of an ENUM
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM typed WHERE kind IN ('a', 'b')
