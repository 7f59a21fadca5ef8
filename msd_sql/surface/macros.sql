-- The SQL surface (docs/sql.md). Python can register scalar functions only: these TEMP macros give them their shape.
-- They belong to one connection, the functions (_msd_pick, _msd_declare, …) to its database.

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

-- Features or a quota are a vector, a list, a record or one value by the type of a list of them, known when the statement
-- is bound (that of NULL itself is not). A list of whole numbers is a set of ids unless a distance over numbers is asked
-- for. asked.py tells the same; one look at the type where possible: binding it again and again takes longest.
CREATE OR REPLACE TEMP MACRO _msd_is_vector(kind, distance) AS regexp_matches(concat(lower(distance), ' ', kind),
    '^(angular|l1|l2|haversine) (?s:.*)\]\[\]$|^ (FLOAT|DOUBLE|DECIMAL[^\[]*)\[\d*\]\[\]$');
CREATE OR REPLACE TEMP MACRO _msd_is_floating(kind, distance) AS regexp_matches(concat(lower(distance), ' ', kind),
    '^(angular|l1|l2|haversine|) (FLOAT|DOUBLE)\[\d*\]\[\]$');

-- A vector is handed over row by row, and is a number from then on (taken.py): FLOAT and DOUBLE as they are stored.
CREATE OR REPLACE TEMP MACRO _msd_take_as(features) AS _msd_take(
    features, CAST(system.main.current_connection_id() AS BIGINT), CAST(system.main.current_query_id() AS BIGINT));

-- One column in the few forms that a function with fixed types can take; the forms that do not fit are NULL.
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

-- Keys that are whole numbers are handed over as such: fewer bytes, and no texts to make, sort and read again.
CREATE OR REPLACE TEMP MACRO _msd_whole(items) AS typeof(list(items)) IN (
    'TINYINT[]', 'SMALLINT[]', 'INTEGER[]', 'BIGINT[]', 'UTINYINT[]', 'USMALLINT[]', 'UINTEGER[]');

-- Options travel as text, so that whatever was written reaches our own error messages and not a cast error.
CREATE OR REPLACE TEMP MACRO msd_select(
    items, k, eps, diversity,
    method := NULL, gamma := NULL, delta := NULL, features := NULL, distance := NULL, scale := NULL,
    quota := NULL, quota_cap := NULL, score := NULL, cap := NULL, reach := NULL,
    fresh := false, exact := false, public := false, engine := NULL
) AS list_select(coalesce(list(items), []), _msd_pick(
    CASE WHEN NOT _msd_whole(items) THEN CAST(list(items) AS VARCHAR[]) END,
    CASE WHEN _msd_whole(items) THEN TRY_CAST(list(items) AS BIGINT[]) END,
    CASE WHEN NOT _msd_whole(items) THEN list_grade_up(list(items)) END, typeof(list(items)),
    {'k': CAST(k AS VARCHAR), 'eps': CAST(eps AS VARCHAR), 'diversity': CAST(diversity AS VARCHAR),
     'method': CAST(method AS VARCHAR), 'gamma': CAST(gamma AS VARCHAR), 'delta': CAST(delta AS VARCHAR),
     'distance': CAST(distance AS VARCHAR), 'scale': CAST(scale AS VARCHAR),
     'quota_cap': CAST(quota_cap AS VARCHAR), 'cap': CAST(cap AS VARCHAR), 'reach': CAST(reach AS VARCHAR),
     'fresh': CAST(fresh AS VARCHAR), 'exact': CAST(exact AS VARCHAR), 'public': CAST(public AS VARCHAR),
     'engine': CAST(engine AS VARCHAR), 'key': NULL},
    {'features': typeof(list(features)), 'quota': typeof(list(quota)), 'score': typeof(list(score))},
    _msd_all_texts(features), _msd_all_lists(features, distance), _msd_all_vectors(features, distance),
    _msd_all_texts(quota), CASE WHEN suffix(typeof(list(quota)), '][]') THEN list(TRY_CAST(quota AS VARCHAR[])) END,
    CASE WHEN typeof(list(score)) <> '"NULL"[]' THEN list(TRY_CAST(score AS DOUBLE)) END,
    _msd_asking()));

-- The arguments of _msd_pick for the rows of a table, view or CTE, in one row; the key column is found by name.
CREATE OR REPLACE TEMP MACRO _msd_asked(
    tbl, k, eps, diversity, key, method, gamma, delta, features, distance, scale, quota, quota_cap, score, cap, reach,
    fresh, exact, public, engine
) AS TABLE
WITH _msd_source AS (
    SELECT
        _msd_row, CAST(key AS VARCHAR) AS _msd_key_given,
        typeof([features]) AS _msd_features_type, _msd_text(features) AS _msd_features_text,
        _msd_list(features, distance) AS _msd_features_list,
        _msd_vector(features, distance) AS _msd_features_vector,
        typeof([quota]) AS _msd_quota_type, _msd_text(quota) AS _msd_quota_text,
        _msd_list(quota, 'hamming') AS _msd_quota_list,
        typeof([score]) AS _msd_score_type, TRY_CAST(score AS DOUBLE) AS _msd_score,
        CASE WHEN typeof(COLUMNS(_msd_row.*)) LIKE '%]' THEN NULL ELSE CAST(COLUMNS(_msd_row.*) AS VARCHAR) END
    FROM query_table(tbl) AS _msd_row
), _msd_texted AS (
    SELECT COLUMNS('^_msd_.*'), list_value(*COLUMNS(* EXCLUDE (
        _msd_row, _msd_key_given, _msd_features_type, _msd_features_text, _msd_features_list, _msd_features_vector,
        _msd_quota_type, _msd_quota_text, _msd_quota_list, _msd_score_type, _msd_score))) AS _msd_texts
    FROM _msd_source
), _msd_listed AS (
    SELECT
        list(_msd_row) AS found, list(_msd_texts) AS texts, any_value(struct_keys(_msd_row)) AS names,
        typeof(any_value(_msd_row)) AS row_type,
        min(_msd_key_given) AS first_key, max(_msd_key_given) AS last_key,
        {'features': any_value(_msd_features_type), 'quota': any_value(_msd_quota_type),
         'score': any_value(_msd_score_type)} AS types,
        list(_msd_features_text) AS features_text, list(_msd_features_list) AS features_list,
        list(_msd_features_vector) AS features_vectors,
        list(_msd_quota_text) AS quota_text, list(_msd_quota_list) AS quota_list, list(_msd_score) AS scores
    FROM _msd_texted
), _msd_keyed AS (
    SELECT *, _msd_key(names, first_key, last_key, asking) AS key_name
    FROM _msd_listed, (SELECT _msd_asking() AS asking)
)
SELECT
    found, list_transform(texts, lambda one: one[list_position(names, key_name)]) AS keys, row_type,
    {'k': CAST(k AS VARCHAR), 'eps': CAST(eps AS VARCHAR), 'diversity': CAST(diversity AS VARCHAR),
     'method': CAST(method AS VARCHAR), 'gamma': CAST(gamma AS VARCHAR), 'delta': CAST(delta AS VARCHAR),
     'distance': CAST(distance AS VARCHAR), 'scale': CAST(scale AS VARCHAR),
     'quota_cap': CAST(quota_cap AS VARCHAR), 'cap': CAST(cap AS VARCHAR), 'reach': CAST(reach AS VARCHAR),
     'fresh': CAST(fresh AS VARCHAR), 'exact': CAST(exact AS VARCHAR), 'public': CAST(public AS VARCHAR),
     'engine': CAST(engine AS VARCHAR), 'key': key_name} AS options,
    types, features_text, features_list, features_vectors, quota_text, quota_list, scores, asking
FROM _msd_keyed;

CREATE OR REPLACE TEMP MACRO msd_topk(
    tbl, k, eps, diversity, key := NULL,
    method := NULL, gamma := NULL, delta := NULL, features := NULL, distance := NULL, scale := NULL,
    quota := NULL, quota_cap := NULL, score := NULL, cap := NULL, reach := NULL,
    fresh := false, exact := false, public := false, engine := NULL
) AS TABLE
WITH _msd_picked AS (
    SELECT found, _msd_pick(
        keys, NULL, NULL, row_type, options, types, features_text, features_list, features_vectors,
        quota_text, quota_list, scores, asking) AS picks
    FROM _msd_asked(tbl, k, eps, diversity, key, method, gamma, delta, features, distance, scale, quota, quota_cap,
        score, cap, reach, fresh, exact, public, engine)
), _msd_chosen AS (
    SELECT unnest(list_select(found, picks)) AS _msd_row, unnest(range(1, len(picks) + 1)) AS msd_rank
    FROM _msd_picked
)
SELECT _msd_row.*, msd_rank FROM _msd_chosen ORDER BY msd_rank;

CREATE OR REPLACE TEMP MACRO msd_explain(
    tbl, k, eps, diversity, key := NULL,
    method := NULL, gamma := NULL, delta := NULL, features := NULL, distance := NULL, scale := NULL,
    quota := NULL, quota_cap := NULL, score := NULL, cap := NULL, reach := NULL,
    fresh := false, exact := false, public := false, engine := NULL
) AS TABLE
WITH _msd_explained AS (
    SELECT unnest(_msd_explain(
        keys, NULL, NULL, row_type, options, types, features_text, features_list, features_vectors,
        quota_text, quota_list, scores, asking)) AS line
    FROM _msd_asked(tbl, k, eps, diversity, key, method, gamma, delta, features, distance, scale, quota, quota_cap,
        score, cap, reach, fresh, exact, public, engine)
)
SELECT line.property, line.value FROM _msd_explained;

-- Declarations: explicit acts that the ledger records. Arguments travel as JSON of texts.
CREATE OR REPLACE TEMP MACRO msd_protect(
    relation, unit := NULL, item := NULL, budget := NULL, delta := NULL, users := NULL, cap := NULL,
    relevance := NULL, similarity := NULL, replace := false
) AS _msd_declare('protect', CAST(to_json({
    'relation': CAST(relation AS VARCHAR), 'unit': CAST(unit AS VARCHAR), 'item': CAST(item AS VARCHAR),
    'budget': CAST(budget AS VARCHAR), 'delta': CAST(delta AS VARCHAR), 'users': CAST(users AS VARCHAR),
    'cap': CAST(cap AS VARCHAR), 'relevance': CAST(relevance AS VARCHAR), 'similarity': CAST(similarity AS VARCHAR),
    'replace': CAST(replace AS VARCHAR)}) AS VARCHAR), _msd_context());

CREATE OR REPLACE TEMP MACRO msd_items(
    relation, key := NULL, features := NULL, distance := NULL, quota := NULL, quota_cap := NULL, reach := NULL,
    replace := false
) AS _msd_declare('items', CAST(to_json({
    'relation': CAST(relation AS VARCHAR), 'key': CAST(key AS VARCHAR), 'features': CAST(features AS VARCHAR),
    'distance': CAST(distance AS VARCHAR), 'quota': CAST(quota AS VARCHAR), 'quota_cap': CAST(quota_cap AS VARCHAR),
    'reach': CAST(reach AS VARCHAR), 'replace': CAST(replace AS VARCHAR)}) AS VARCHAR), _msd_context());

CREATE OR REPLACE TEMP MACRO msd_budget(relation, budget, delta := NULL) AS _msd_declare('budget', CAST(to_json({
    'relation': CAST(relation AS VARCHAR), 'budget': CAST(budget AS VARCHAR), 'delta': CAST(delta AS VARCHAR)
}) AS VARCHAR), _msd_context());

CREATE OR REPLACE TEMP MACRO msd_unprotect(relation) AS _msd_declare('unprotect', CAST(to_json({
    'relation': CAST(relation AS VARCHAR)}) AS VARCHAR), _msd_context());

CREATE OR REPLACE TEMP MACRO msd_drop_items(relation) AS _msd_declare('drop_items', CAST(to_json({
    'relation': CAST(relation AS VARCHAR)}) AS VARCHAR), _msd_context());

CREATE OR REPLACE TEMP MACRO msd_reach(items, eps, relation := NULL, fresh := false, public := false) AS _msd_reach(
    CAST(items AS VARCHAR[]), typeof(items), CAST(to_json({
        'eps': CAST(eps AS VARCHAR), 'relation': CAST(relation AS VARCHAR), 'fresh': CAST(fresh AS VARCHAR),
        'public': CAST(public AS VARCHAR)}) AS VARCHAR), _msd_context());

CREATE OR REPLACE TEMP MACRO msd_remaining(relation) AS _msd_remaining(CAST(relation AS VARCHAR), _msd_caller());

-- A function, so that it shows what was committed also from inside of the caller's transaction.
CREATE OR REPLACE TEMP MACRO msd_ledger() AS TABLE
WITH _msd_lines AS (SELECT unnest(_msd_ledger(_msd_caller())) AS line) SELECT line.* FROM _msd_lines;
