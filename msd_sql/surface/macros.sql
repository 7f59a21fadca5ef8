-- The macros that are written by hand; those of the SQL functions themselves are rendered (macros.py) and use these.

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

-- A list of keys as a text: JSON, because a key may hold a comma. What is no list is written as it is.
CREATE OR REPLACE TEMP MACRO _msd_keys(keys) AS CASE
    WHEN suffix(typeof(keys), ']') THEN CAST(to_json(TRY_CAST(keys AS VARCHAR[])) AS VARCHAR)
    ELSE CAST(keys AS VARCHAR) END;
