-- What only the caller's own connection sees, for the guard: TEMP objects (they hide tables of the same name), macros,
-- prepared statements (`EXECUTE p` is all that current_query() says of them), and every other table and view with a
-- object id, so that a definition that is not committed yet is noticed. Evaluated once for a statement. Every function is
-- named with its schema, and nothing is written as [..], {..} or with an operator: a macro of the user could hide what
-- that calls. `macros` is NULL where nobody needs them: DuckDB lists all of its functions to tell them.
CREATE OR REPLACE TEMP MACRO _msd_seen(macros) AS CAST(system.main.to_json(system.main.struct_pack(
    tables := (SELECT system.main.list(system.main.list_value(
                   database_name, schema_name, table_name, CAST(table_oid AS VARCHAR)))
               FROM system.main.duckdb_tables() WHERE NOT internal),
    views := (SELECT system.main.list(system.main.list_value(
                  database_name, schema_name, view_name,
                  CASE WHEN temporary THEN coalesce(sql, '') ELSE CAST(system.main.hash(sql) AS VARCHAR) END))
              FROM system.main.duckdb_views() WHERE NOT internal),
    prepared := (SELECT system.main.list(system.main.list_value(name, statement))
                 FROM system.main.duckdb_prepared_statements()),
    macros := macros,
    folders := system.main.current_setting('file_search_path'),
    home := system.main.current_setting('home_directory')
)) AS VARCHAR);

CREATE OR REPLACE TEMP MACRO _msd_macros() AS (
    SELECT coalesce(system.main.list(system.main.list_value(
        database_name, schema_name, function_name, system.main.array_to_string(parameters, ','), macro_definition,
        function_type)), system.main.list_value())
    FROM system.main.duckdb_functions()
    WHERE function_type IN ('macro', 'table_macro') AND NOT internal AND NOT (database_name = 'temp'
        AND function_name IN (
            'msd_select', 'msd_topk', 'msd_explain', 'msd_protect', 'msd_items', 'msd_budget', 'msd_unprotect',
            'msd_drop_items', 'msd_reach', 'msd_remaining', 'msd_ledger', '_msd_told', '_msd_context', '_msd_caller',
            '_msd_prefetching', '_msd_asking', '_msd_session', '_msd_seen', '_msd_macros', '_msd_caller_query', '_msd_text',
            '_msd_list', '_msd_take_as', '_msd_is_floating', '_msd_vector', '_msd_is_vector', '_msd_all_texts',
            '_msd_all_lists', '_msd_all_vectors', '_msd_whole', '_msd_keys', '_msd_asked')));

CREATE OR REPLACE TEMP MACRO _msd_session() AS _msd_seen(_msd_macros());
