-- What only the caller's own connection sees, for the guard: TEMP objects (they hide tables of the same name) and
-- prepared statements (`EXECUTE p` is all that current_query() says of them). Evaluated once for a statement.
CREATE OR REPLACE TEMP MACRO _msd_session() AS to_json({
    'tables': (SELECT list(table_name) FROM duckdb_tables() WHERE temporary),
    'views': (SELECT map_from_entries(list((view_name, coalesce(sql, ''))))
              FROM duckdb_views() WHERE temporary AND NOT internal),
    'prepared': (SELECT map_from_entries(list((name, statement))) FROM duckdb_prepared_statements())
})::VARCHAR;
