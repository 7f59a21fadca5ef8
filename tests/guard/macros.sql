-- a macro without a subquery
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE cheap(price_bin)

-- a scalar macro that asks the protected table
-- refused: the protected relation purchases: bought → macro → purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE bought(item_id)

-- a macro in a macro
-- refused: the protected relation purchases: bought_twice → macro → bought → macro → purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE bought_twice(item_id)

-- a macro with its schema
-- refused: the protected relation purchases: bought → macro → purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE main.bought(item_id)

-- a macro that hides a function of DuckDB
-- refused: the protected relation purchases: list_sum → macro → purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE list_sum([price_bin]) > 3

-- any overload of a macro
-- refused: the protected relation purchases: either → macro → purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE either(price_bin, 2)

-- a table macro
-- refused: the protected relation purchases: bestsellers → macro → purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM bestsellers(100)

-- a public table macro
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM of_category('Health Care')

-- a private argument of a public table macro
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM of_category((SELECT max(user_id)::VARCHAR FROM purchases))

-- a macro over a relation that it is given
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM rows_of(purchases)

-- a public relation
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM rows_of('products')

-- a macro that holds the call
-- allowed
SELECT pick(item_id) FROM products

-- a macro that holds the call, over a private view
-- refused: the protected relation purchases: products_ranked → view → purchases
SELECT pick(item_id) FROM products_ranked

-- a table macro that holds the call
-- refused: the protected relation purchases: shelf → view → products_ranked → view → purchases
FROM best_of(shelf)

-- a macro's names are bound where it is called
-- allowed
WITH purchases AS (FROM products) SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM bestsellers(3)

-- query_table
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM query_table('purchases')

-- several tables of query_table
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM query_table(['archive', 'purchases'], true)

-- query
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM query('SELECT * FROM popular')

-- a public query
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM query('FROM health')

-- a default that names a relation
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM defaulted()

-- a parameter that is given
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM defaulted(products)

-- a private parameter
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM defaulted(products := 'purchases')

-- a scalar default
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE above(price_bin)

-- a scalar parameter that is given
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE above(price_bin, n := 3)

-- the overload that takes what is given
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE either(price_bin)

-- a member of a private argument
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE member((SELECT {'n': max(user_id)} FROM purchases)) > price_bin

-- a column of the query around it, given to a table macro
-- refused: the protected relation purchases
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM first_few(u.user_id)) FROM purchases u
