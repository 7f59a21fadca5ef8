-- a variable
-- refused: variables are set
-- before: SET VARIABLE v = (SELECT list(item_id) FROM purchases WHERE user_id = 7)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE list_contains(getvariable('v'), item_id)

-- a variable in a TEMP macro
-- refused: variables are set
-- before: SET VARIABLE v = (SELECT list(item_id) FROM purchases WHERE user_id = 7)
-- before: CREATE TEMP MACRO mine() AS getvariable('v')
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE list_contains(mine(), item_id)

-- a variable in a TEMP view
-- refused: variables are set
-- before: SET VARIABLE v = (SELECT list(item_id) FROM purchases WHERE user_id = 7)
-- before: CREATE TEMP VIEW mine AS SELECT unnest(getvariable('v')) AS item_id
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM mine

-- a variable as an argument of a table function
-- refused: variables are set
-- before: SET VARIABLE v = (SELECT list(item_id) FROM purchases WHERE user_id = 7)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT range AS item_id FROM range(len(getvariable('v'))))

-- a variable as the text of query()
-- refused: variables are set
-- before: SET VARIABLE q = (SELECT 'SELECT ' || max(item_id) || ' AS item_id' FROM purchases)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM query(getvariable('q'))

-- a variable that names a table
-- refused: variables are set
-- before: SET VARIABLE t = (SELECT CASE WHEN count(*) > 3 THEN 'products' ELSE 'archive' END FROM purchases)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM query_table(getvariable('t'))

-- a variable as k
-- refused: variables are set
-- before: SET VARIABLE k = (SELECT 1 + max(item_id) % 2 FROM purchases)
SELECT msd_select(item_id, getvariable('k'), 0.01, 0, reach := 'purchases') FROM products

-- a variable in msd_reach
-- refused: variables are set
-- before: SET VARIABLE v = (SELECT list(item_id) FROM purchases WHERE user_id = 7)
SELECT msd_reach(getvariable('v'), 0.01, relation := 'purchases')

-- the table of variables
-- refused: duckdb_variables() can return anything, or tells of the rows of tables
-- before: SET VARIABLE v = (SELECT list(item_id) FROM purchases WHERE user_id = 7)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT len(value) AS item_id FROM duckdb_variables())

-- a setting that was filled from a variable
-- refused
-- before: SET VARIABLE s = (SELECT string_agg(item_id::VARCHAR, ' ') FROM purchases)
-- before: SET default_null_order = 'nulls_last'
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE length(current_setting('default_null_order')) > item_id

-- a setting
-- refused: current_setting() tells what was stored before, which can be anything
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE current_setting('threads')::INTEGER > item_id

-- the table of settings
-- refused: duckdb_settings() can return anything, or tells of the rows of tables
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT length(value) AS item_id FROM duckdb_settings())

-- an ENUM made from private rows
-- refused
-- before: CREATE TYPE bought AS ENUM (SELECT DISTINCT item_id::VARCHAR FROM purchases)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT unnest(enum_range(NULL::bought))::INTEGER AS item_id)

-- its first label
-- refused
-- before: CREATE TYPE bought2 AS ENUM (SELECT DISTINCT item_id::VARCHAR FROM purchases)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id::VARCHAR >= enum_first(NULL::bought2)::VARCHAR

-- its labels by typeof
-- refused
-- before: CREATE TYPE bought3 AS ENUM (SELECT DISTINCT item_id::VARCHAR FROM purchases)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE contains(typeof(NULL::bought3), item_id::VARCHAR)

-- a cast to it
-- refused
-- before: CREATE TYPE bought4 AS ENUM (SELECT DISTINCT item_id::VARCHAR FROM purchases)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE TRY_CAST(item_id::VARCHAR AS bought4) IS NOT NULL

-- the codes of its labels
-- refused
-- before: CREATE TYPE bought5 AS ENUM (SELECT DISTINCT item_id::VARCHAR FROM purchases)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE enum_code(TRY_CAST(item_id::VARCHAR AS bought5)) > 2

-- the table of types
-- refused: duckdb_types() can return anything, or tells of the rows of tables
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT len(labels) AS item_id FROM duckdb_types())

-- a sequence
-- refused: nextval() tells what was stored before, which can be anything
-- before: CREATE SEQUENCE counted START 5
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id > nextval('counted')

-- the last value of a sequence
-- refused: currval() tells what was stored before, which can be anything
-- before: CREATE SEQUENCE counted2 START 5
-- before: SELECT nextval('counted2')
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id > currval('counted2')

-- the table of sequences
-- refused: duckdb_sequences() can return anything, or tells of the rows of tables
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT start_value AS item_id FROM duckdb_sequences())

-- a dynamic pivot
-- refused: its columns are values that PIVOT has read before; list them, PIVOT … 
SELECT msd_select(item_id::INTEGER, 2, 0.01, 0, reach := 'purchases') FROM (UNPIVOT (PIVOT (SELECT item_id, price_bin FROM products) ON item_id IN (SELECT item_id FROM purchases WHERE user_id = 7) USING first(price_bin)) ON COLUMNS(*) INTO NAME item_id VALUE v)

-- the same through msd_reach
-- refused: its columns are values that PIVOT has read before; list them, PIVOT … 
SELECT msd_reach(list(item_id::INTEGER), 0.01, relation := 'purchases') FROM (UNPIVOT (PIVOT (SELECT item_id, price_bin FROM products) ON item_id IN (SELECT item_id FROM purchases WHERE user_id = 7) USING first(price_bin)) ON COLUMNS(*) INTO NAME item_id VALUE v)

-- a dynamic pivot of a public table
-- refused: its columns are values that PIVOT has read before; list them, PIVOT … 
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (PIVOT (SELECT item_id, category FROM products) ON category USING count(*))

-- row counts of tables
-- refused: duckdb_tables() can return anything, or tells of the rows of tables
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT estimated_size AS item_id FROM duckdb_tables())

-- all that is known of tables
-- refused: duckdb_tables() can return anything, or tells of the rows of tables
SELECT msd_select(table_name, 2, NULL, 0, score := estimated_size) FROM (FROM duckdb_tables())

-- storage statistics
-- refused: pragma_storage_info() can return anything, or tells of the rows of tab
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT row_group_id AS item_id FROM pragma_storage_info('purchases'))

-- statistics of a column
-- refused: stats() tells what was stored before, which can be anything
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE stats(item_id) <> ''

-- the log
-- refused: duckdb_logs() can return anything, or tells of the rows of tables
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT length(message) AS item_id FROM duckdb_logs())

-- a plan of another statement
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE length(json_serialize_plan('FROM purchases', optimize := true)) > item_id

-- the size of the database
-- refused: pragma_database_size() can return anything, or tells of the rows of ta
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT total_blocks AS item_id FROM pragma_database_size())

-- types of prepared statements
-- refused: duckdb_prepared_statements() can return anything, or tells of the rows
-- before: CREATE TYPE bought6 AS ENUM (SELECT DISTINCT item_id::VARCHAR FROM purchases)
-- before: PREPARE told AS SELECT NULL::bought6
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM (SELECT len(result_types) AS item_id FROM duckdb_prepared_statements())

-- the columns of tables, of which a PIVOT makes some of values
-- refused: duckdb_columns() can return anything
-- before: CREATE TABLE wide AS PIVOT (SELECT item_id, 1 AS one FROM purchases) ON item_id USING sum(one)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE item_id::VARCHAR IN (SELECT column_name FROM duckdb_columns() WHERE table_name = 'wide')

-- what a table of an ENUM is made of, as its type says
-- refused: duckdb_columns() can return anything
-- before: CREATE TYPE best_1 AS ENUM (SELECT DISTINCT item_id::VARCHAR FROM purchases)
-- before: CREATE TABLE chosen_1 (x best_1)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE contains((SELECT data_type FROM information_schema.columns WHERE table_name = 'chosen_1'), item_id::VARCHAR)

-- the same by a function
-- refused: pragma_table_info() can return anything
-- before: CREATE TYPE best_2 AS ENUM (SELECT DISTINCT item_id::VARCHAR FROM purchases)
-- before: CREATE TABLE chosen_2 (x best_2)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE contains((SELECT type FROM pragma_table_info('chosen_2')), item_id::VARCHAR)

-- the same by the text of a table
-- refused: duckdb_tables() can return anything
-- before: CREATE TYPE best_3 AS ENUM (SELECT DISTINCT item_id::VARCHAR FROM purchases)
-- before: CREATE TABLE chosen_3 (x best_3)
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM products WHERE contains((SELECT max(sql) FROM duckdb_tables() WHERE table_name = 'chosen_3'), item_id::VARCHAR)
