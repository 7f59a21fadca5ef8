-- public as a subquery
-- refused: public := must be a literal, public := true, wherever the statement sa
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases', public := (SELECT count(*) > 3 FROM purchases)) FROM products

-- public as a subquery, reading the protected table
-- refused: public := must be a literal, public := true, wherever the statement sa
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases', public := (SELECT count(*) > 3 FROM purchases)) FROM purchases

-- public as a constant expression
-- refused: public := must be a literal, public := true, wherever the statement sa
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases', public := 1 = 1) FROM products

-- public as a constant expression, reading the protected table
-- refused: public := must be a literal, public := true, wherever the statement sa
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases', public := 1 = 1) FROM purchases

-- public as a function
-- refused: public := must be a literal, public := true, wherever the statement sa
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases', public := coalesce(NULL, true)) FROM products

-- public as a function, reading the protected table
-- refused: public := must be a literal, public := true, wherever the statement sa
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases', public := coalesce(NULL, true)) FROM purchases

-- public as a cast
-- refused: public := must be a literal, public := true, wherever the statement sa
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases', public := 'true'::BOOLEAN) FROM products

-- public as a cast, reading the protected table
-- refused: public := must be a literal, public := true, wherever the statement sa
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases', public := 'true'::BOOLEAN) FROM purchases

-- public as NOT
-- refused: public := must be a literal, public := true, wherever the statement sa
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases', public := NOT false) FROM products

-- public as NOT, reading the protected table
-- refused: public := must be a literal, public := true, wherever the statement sa
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases', public := NOT false) FROM purchases

-- public as a public subquery
-- refused: public := must be a literal, public := true, wherever the statement sa
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases', public := (SELECT true FROM archive LIMIT 1)) FROM products

-- public as a public subquery, reading the protected table
-- refused: public := must be a literal, public := true, wherever the statement sa
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases', public := (SELECT true FROM archive LIMIT 1)) FROM purchases

-- public as a literal for one call and an expression for the other
-- refused: public := must be a literal, public := true, wherever the statement sa
SELECT (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases', public := true) FROM products), (SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases', public := (1 = 1)) FROM purchases)

-- public asserted of the protected table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases', public := true) FROM purchases

-- public asserted of the protected table, with an arrow
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases', public => true) FROM purchases

-- public asserted of a view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases', public := true) FROM popular

-- public asserted of a view, with an arrow
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases', public => true) FROM popular

-- public asserted of a public table
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases', public := true) FROM products

-- public asserted of a public table, with an arrow
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases', public => true) FROM products

-- public asserted of a table under a protected view
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases', public := true) FROM orders

-- public asserted of a table under a protected view, with an arrow
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases', public => true) FROM orders

-- public := false
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases', public := false) FROM products

-- public := false of the protected table
-- refused: the protected relation purchases
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases', public := false) FROM purchases
