-- a public file
-- allowed:
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM '$files/zones.parquet'

-- a view over a public file
-- allowed:
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM zones

-- the protected view over files
-- refused: pickups
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM pickups

-- one of its files
-- refused: $files/pickups/2026.parquet
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM '$files/pickups/2026.parquet'

-- the file by another way
-- refused: $files/zones/../pickups/2026.parquet
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM read_parquet('$files/zones/../pickups/2026.parquet')

-- a relative path
-- refused: $relative/pickups/2026.parquet
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM read_parquet('$relative/pickups/2026.parquet')

-- a link to the file
-- refused: $files/link.parquet
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM '$files/link.parquet'

-- a pattern that matches it
-- refused: $files/*/*.parquet
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM read_parquet('$files/*/*.parquet', union_by_name = true)

-- a list of files
-- refused: $files/pickups/2026.parquet
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM read_parquet(['$files/zones.parquet', '$files/pickups/2026.parquet'])

-- another view over the file
-- refused: pickups_again → view → $files/pickups/2026.parquet
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM pickups_again

-- what the files say of themselves
-- refused: $files/pickups/*.parquet
SELECT msd_select(row_group_id, 6, 0.1, 0.5) FROM parquet_metadata('$files/pickups/*.parquet')

-- a path that is computed
-- unknown: read_parquet()
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM read_parquet('$files/' || 'pickups/2026.parquet')

-- a file on another machine
-- allowed:
SELECT msd_select(item_id, 6, 0.1, 0.5) FROM read_parquet('s3://shop/zones/*.parquet')
