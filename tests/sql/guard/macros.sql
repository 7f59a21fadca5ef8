-- a macro without a subquery
-- allowed: memory.main.products
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products WHERE cheap(price_bin)

-- a scalar macro that asks the protected table
-- refused: bought → macro → purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products WHERE bought(item_id)

-- a macro in a macro
-- refused: bought_twice → macro → bought → macro → purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products WHERE bought_twice(item_id)

-- a macro with its schema
-- refused: bought → macro → purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products WHERE main.bought(item_id)

-- a macro that hides a function of DuckDB
-- refused: list_sum → macro → purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products WHERE list_sum([price_bin]) > 3

-- any overload of a macro
-- refused: either → macro → purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products WHERE either(price_bin, 2)

-- a table macro
-- refused: bestsellers → macro → purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM bestsellers(100)

-- a public table macro
-- allowed: memory.main.products
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM of_category('Health Care')

-- a private argument of a public table macro
-- refused: of_category → macro → purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM of_category((SELECT max(user_id)::VARCHAR FROM purchases))

-- a macro over a relation that it is given
-- refused: rows_of → macro → purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM rows_of(purchases)

-- a public relation
-- allowed: memory.main.products
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM rows_of('products')

-- a macro that holds the call
-- allowed: memory.main.products
SELECT pick(item_id) FROM products

-- a macro that holds the call, over a private view
-- refused: products_ranked → view → purchases
SELECT pick(item_id) FROM products_ranked

-- a table macro that holds the call
-- refused: best_of → macro → shelf → view → products_ranked → view → purchases
FROM best_of(shelf)

-- a macro's names are bound where it is called
-- allowed: memory.main.products
WITH purchases AS (FROM products) SELECT msd_select(item_id, 6, 0.1, 0.5) FROM bestsellers(3)

-- query_table
-- refused: purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM query_table('purchases')

-- several tables of query_table
-- refused: purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM query_table(['archive', 'purchases'], true)

-- query
-- refused: query() → macro → popular → view → purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM query('SELECT * FROM popular')

-- a public query
-- allowed: memory.main.products
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM query('FROM health')

-- a default that names a relation
-- unknown: the argument of query_table()
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM defaulted()

-- a parameter that is given
-- allowed: memory.main.products
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM defaulted(products)

-- a private parameter
-- refused: defaulted → macro → purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM defaulted(products := 'purchases')

-- a scalar default
-- unknown: the default of parameter n of the macro
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products WHERE above(price_bin)

-- a scalar parameter that is given
-- allowed: memory.main.products
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products WHERE above(price_bin, n := 3)

-- the overload that takes what is given
-- allowed: memory.main.products
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products WHERE either(price_bin)

-- a member of a private argument
-- refused: member → macro → purchases
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products WHERE member((SELECT {'n': max(user_id)} FROM purchases)) > price_bin

-- a column of the query around it, given to a table macro
-- refused: a column of the query around it → outer query → purchases
SELECT (SELECT msd_select(item_id, 6, 0.1, 0.5) FROM first_few(u.user_id)) FROM purchases u
