-- The macros that are written by hand; those of the SQL functions themselves are rendered (macros.py) and use these.

-- What the function cannot see from its own cursor: the statement's text, the search path, TEMP objects.
-- Every function with its schema, so that a macro of the user cannot speak for it.
CREATE OR REPLACE TEMP MACRO _msd_told(session, query) AS system.main.struct_pack(
    statement := system.main.current_query(),
    database := system.main.current_database(),
    schema := system.main.current_schema(),
    path := system.main.current_setting('search_path'),
    session := session,
    connection := CAST(system.main.current_connection_id() AS VARCHAR),
    query := query
);
CREATE OR REPLACE TEMP MACRO _msd_context() AS (
    SELECT _msd_told(_msd_session(), CAST(system.main.current_query_id() AS VARCHAR)));

-- The same without the user's macros, for what the guard has nothing to say about.
CREATE OR REPLACE TEMP MACRO _msd_caller() AS (
    SELECT _msd_told(_msd_seen(NULL), CAST(system.main.current_query_id() AS VARCHAR)));

-- The same for a selection, which looks at the catalog meanwhile (_msd_prefetch tells the statement's number again).
-- _msd_caller_query is called when the statement is bound, and says what session is to be told (actions/bind_time.py).
CREATE OR REPLACE TEMP MACRO _msd_prefetching(session) AS (SELECT _msd_told(session, (
    SELECT _msd_prefetch(_msd_told('{"macros": []}', CAST(system.main.current_query_id() AS VARCHAR))))));
CREATE OR REPLACE TEMP MACRO _msd_asking() AS (FROM system.main.query(_msd_caller_query()));

-- A vector is handed over row by row, and is a number from then on (runtime/vector_store.py): FLOAT and DOUBLE as they are stored.
CREATE OR REPLACE TEMP MACRO _msd_take_as(features) AS _msd_take(
    features, CAST(system.main.current_connection_id() AS BIGINT), CAST(system.main.current_query_id() AS BIGINT));

-- One column in the few forms that a function with fixed types can take; the forms that do not fit are NULL. The type
-- of a list of it is known when the statement is bound (that of NULL itself is not).
CREATE OR REPLACE TEMP MACRO _msd_text(features) AS CASE
    WHEN suffix(typeof([features]), '][]') OR typeof([features]) = '"NULL"[]' THEN NULL
    WHEN left(typeof([features]), 5) IN ('STRUC', 'TUPLE') THEN CAST(to_json(features) AS VARCHAR)
    ELSE CAST(features AS VARCHAR) END;
CREATE OR REPLACE TEMP MACRO _msd_list(features, distance) AS CASE
    WHEN suffix(typeof([features]), '][]') AND NOT _msd_is_vector(typeof([features]), distance)
    THEN TRY_CAST(features AS VARCHAR[]) END;
CREATE OR REPLACE TEMP MACRO _msd_vector(features, distance) AS CASE
    WHEN _msd_is_floating(typeof([features]), distance) THEN _msd_take_as(features)
    WHEN _msd_is_vector(typeof([features]), distance) THEN _msd_take_as(TRY_CAST(features AS DOUBLE[])) END;

-- All of a column in these forms: DuckDB gathers but the one that fits.
CREATE OR REPLACE TEMP MACRO _msd_all_texts(features) AS CASE
    WHEN suffix(typeof(list(features)), '][]') OR typeof(list(features)) = '"NULL"[]' THEN NULL
    WHEN left(typeof(list(features)), 5) IN ('STRUC', 'TUPLE') THEN list(CAST(to_json(features) AS VARCHAR))
    ELSE list(CAST(features AS VARCHAR)) END;
CREATE OR REPLACE TEMP MACRO _msd_all_lists(features, distance) AS CASE
    WHEN suffix(typeof(list(features)), '][]') AND NOT _msd_is_vector(typeof(list(features)), distance)
    THEN list(TRY_CAST(features AS VARCHAR[])) END;
CREATE OR REPLACE TEMP MACRO _msd_all_vectors(features, distance) AS CASE
    WHEN _msd_is_floating(typeof(list(features)), distance) THEN list(_msd_take_as(features))
    WHEN _msd_is_vector(typeof(list(features)), distance) THEN list(_msd_take_as(TRY_CAST(features AS DOUBLE[]))) END;

-- A list of keys as a text: JSON, because a key may hold a comma. What is no list is written as it is.
CREATE OR REPLACE TEMP MACRO _msd_keys(keys) AS CASE
    WHEN suffix(typeof(keys), ']') THEN CAST(to_json(TRY_CAST(keys AS VARCHAR[])) AS VARCHAR)
    ELSE CAST(keys AS VARCHAR) END;
