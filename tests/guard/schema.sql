-- The database behind the cases of this folder: protected are purchases, pickups (a view over files), lake.raw.visits
-- (attached) and orders_seen (a view that joins a table of its own with the public products).
CREATE TABLE purchases(user_id INTEGER, item_id INTEGER, day DATE);
CREATE TABLE products(item_id INTEGER, category VARCHAR, price_bin INTEGER, tags VARCHAR[], purchases INTEGER);
CREATE TABLE categories(category VARCHAR, floor INTEGER);
CREATE TABLE archive(item_id INTEGER);
CREATE TABLE orders(user_id INTEGER, item_id INTEGER);
INSERT INTO products SELECT i, ['Health Care', 'Beauty', 'Toys'][1 + i % 3], i % 5, ['t' || i % 4, 'u' || i % 3], i % 7 FROM range(12) t(i);
INSERT INTO purchases SELECT i % 10, (i * 7) % 12, DATE '2026-01-01' FROM range(60) t(i);
INSERT INTO categories VALUES ('Health Care', 1), ('Beauty', 2), ('Toys', 3);
INSERT INTO archive SELECT i FROM range(5) t(i);
INSERT INTO orders SELECT i % 6, i % 12 FROM range(40) t(i);
CREATE VIEW orders_seen AS SELECT o.user_id, p.item_id FROM orders o JOIN products p USING (item_id);

CREATE VIEW pickups AS FROM read_parquet('$files/pickups/*.parquet');
CREATE VIEW zones AS FROM '$files/zones.parquet';
CREATE VIEW pickups_again AS FROM '$files/pickups/2026.parquet';

CREATE VIEW health AS FROM products WHERE category = 'Health Care';
CREATE VIEW products_ranked AS
    SELECT p.*, (SELECT count(*) FROM purchases u WHERE u.item_id = p.item_id) AS sold FROM products p;
CREATE VIEW shelf AS FROM products_ranked WHERE sold > 3;
CREATE VIEW popular AS SELECT item_id FROM purchases GROUP BY item_id HAVING count(*) > 4;
CREATE VIEW renamed(id, kind) AS SELECT item_id, category FROM products;
CREATE VIEW transformed AS
    SELECT item_id, list_transform(tags, lambda t: upper(t)) AS tags FROM products USING SAMPLE reservoir(3 ROWS);

CREATE SCHEMA other;
CREATE TABLE other.purchases(item_id INTEGER);
CREATE TABLE other.plain(item_id INTEGER);
INSERT INTO other.purchases SELECT i FROM range(6) t(i);
INSERT INTO other.plain SELECT i FROM range(6) t(i);
CREATE VIEW other.own AS FROM plain;
CREATE VIEW other.sold AS FROM main.purchases;
CREATE VIEW other.namesake AS FROM purchases;
CREATE TABLE "my.items"("item.id" INTEGER);
INSERT INTO "my.items" SELECT i FROM range(5) t(i);
CREATE VIEW "My View" AS FROM "Purchases";

ATTACH ':memory:' AS lake;
CREATE SCHEMA lake.raw;
CREATE TABLE lake.raw.visits(user_id INTEGER, item_id INTEGER);
CREATE TABLE lake.raw.places(item_id INTEGER, city VARCHAR);
INSERT INTO lake.raw.visits SELECT i % 4, i % 9 FROM range(30) t(i);
INSERT INTO lake.raw.places SELECT i, 'Zürich' FROM range(9) t(i);
CREATE VIEW lake.raw.busy AS SELECT item_id FROM visits GROUP BY item_id;
CREATE VIEW lake.raw.quiet AS FROM places;

CREATE MACRO cheap(bin) AS bin < 3;
CREATE MACRO bought(item) AS EXISTS (FROM purchases u WHERE u.item_id = item);
CREATE MACRO bought_twice(item) AS bought(item) AND bought(item);
CREATE MACRO bestsellers(n) AS TABLE SELECT item_id FROM purchases GROUP BY item_id LIMIT n;
CREATE MACRO of_category(name) AS TABLE FROM products WHERE category = name;
CREATE MACRO rows_of(t) AS TABLE FROM query_table(t);
CREATE MACRO list_sum(x) AS (SELECT count(*) FROM purchases);
CREATE MACRO either(a) AS a > 1, (a, b) AS a > (SELECT count(*) + b FROM purchases);
CREATE MACRO pick(x) AS msd_select(x, 2, 0.01, 0, reach := 'purchases');
CREATE MACRO best_of(t) AS TABLE FROM msd_topk(t, 2, 0.01, 0, key := 'item_id', reach := 'purchases');
CREATE VIEW answer AS SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') AS items FROM products;
CREATE VIEW bad_answer AS SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') AS items FROM products_ranked WHERE sold > 1;
CREATE MACRO defaulted(products := 'purchases') AS TABLE SELECT item_id FROM query_table(products);
CREATE MACRO above(x, n := 3) AS x > n;
CREATE MACRO member(given) AS given.n;
CREATE MACRO first_few(n) AS TABLE FROM products WHERE price_bin < n;
CREATE TYPE kinds AS ENUM ('a', 'b', 'c');
CREATE TABLE typed AS SELECT i::INTEGER AS item_id, ['a', 'b', 'c'][1 + i % 3]::kinds AS kind FROM range(9) t(i);
