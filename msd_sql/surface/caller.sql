-- Each before what it calls: then DuckDB has less to look at when it is made (macros.py).
CREATE OR REPLACE TEMP MACRO _msd_context() AS _msd_asking();

-- The guard's authority: DuckDB plans the statement again, on this connection, with its own TEMP objects, macros and
-- settings, without running it. _msd_statement says what to plan (nothing where nothing is declared), _msd_probes which
-- names of functions matter for a statement whose plan cannot be told here (guard/probes.py).
CREATE OR REPLACE TEMP MACRO _msd_asking() AS (
    SELECT _msd_ask(
        told,
        CAST(system.main.json_serialize_plan(_msd_statement(told)) AS VARCHAR),
        system.main.list_transform(
            _msd_probes(told), lambda name: CAST(system.main.json_serialize_plan(_msd_probe(name)) AS VARCHAR)))
    FROM (SELECT _msd_told() AS told));

-- The same without a plan, for what the guard has nothing to say about.
CREATE OR REPLACE TEMP MACRO _msd_caller() AS (SELECT _msd_ask(_msd_told(), CAST(NULL AS VARCHAR), CAST(NULL AS VARCHAR[])));

-- What the functions are told of the statement that calls them and of its connection, once a statement. Every function
-- is named with its schema, and nothing is written as [..], {..} or with an operator: a macro of the user could hide
-- what that calls. `seen` tells what only this connection sees: TEMP objects, what is not committed, its own settings. It
-- is one list, because DuckDB takes longer to plan five of them than to make them.
CREATE OR REPLACE TEMP MACRO _msd_told() AS CAST(system.main.to_json(system.main.struct_pack(
    statement := system.main.current_query(),
    database := system.main.current_database(),
    schema := system.main.current_schema(),
    path := system.main.current_setting('search_path'),
    folders := system.main.current_setting('file_search_path'),
    home := system.main.current_setting('home_directory'),
    seen := (SELECT system.main.list(system.main.list_value(kind, one, two, three, four)) FROM (
        SELECT 'table' AS kind, database_name AS one, schema_name AS two, table_name AS three,
            CAST(table_oid AS VARCHAR) AS four
        FROM system.main.duckdb_tables() WHERE NOT internal
        UNION ALL SELECT 'view', database_name, schema_name, view_name, CAST(view_oid AS VARCHAR)
        FROM system.main.duckdb_views() WHERE NOT internal
        UNION ALL SELECT 'prepared', name, statement, NULL, NULL FROM system.main.duckdb_prepared_statements()
        UNION ALL SELECT 'variable', name, NULL, NULL, NULL FROM system.main.duckdb_variables()
        UNION ALL SELECT 'enum', type_name, NULL, NULL, NULL FROM system.main.duckdb_types()
        WHERE logical_type = 'ENUM' AND NOT internal)),
    connection := CAST(system.main.current_connection_id() AS VARCHAR),
    query := CAST(system.main.current_query_id() AS VARCHAR)
)) AS VARCHAR);
