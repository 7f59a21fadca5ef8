-- A diverse top-k over analytic views and groups: the candidates may come from any query over public tables.
-- Run it with the synthetic shop:  msd demo --keep shop.duckdb && msd shell shop.duckdb -f examples/views.sql

SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 1.0, delta := 1e-9) AS owner;
SELECT msd_items('products', key := 'item_id', features := 'categories', reach := 'purchases') AS owner;

-- An analytic view: products that cost less than the middle one of their subcategory.
CREATE OR REPLACE VIEW bargains AS
SELECT item_id, title, category, subcategory, price, round(price / median(price) OVER (PARTITION BY subcategory), 2) AS of_median
FROM products
QUALIFY price < median(price) OVER (PARTITION BY subcategory);

FROM msd_topk(bargains, 5, 0.05, 0.5);

-- One selection a group, each charged: users buy in several categories.
SELECT category, msd_select(item_id, 3, 0.05, 0.5) AS chosen FROM products GROUP BY category ORDER BY category;

-- As rows, joined back to the products.
WITH chosen AS (
    SELECT category, unnest(msd_select(item_id, 3, 0.05, 0.5)) AS item_id FROM products GROUP BY category
)
SELECT category, title, price FROM chosen JOIN products USING (category, item_id) ORDER BY category, price;

-- A quota: at most two of a price bin.
SELECT title, price_bin FROM msd_topk(products, 6, 0.2, 0.5, quota := price_bin, quota_cap := 2) ORDER BY msd_rank;

SELECT kind, count(*) AS times, sum(charged_eps) AS epsilon FROM msd_ledger() GROUP BY kind ORDER BY kind;
