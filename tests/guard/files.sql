-- a public file
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM '$files/zones.parquet'

-- a view over a public file
-- allowed
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM zones

-- the protected view over files
-- refused: data of the protected relation pickups
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM pickups

-- one of its files
-- refused: data of the protected relation pickups
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM '$files/pickups/2026.parquet'

-- the file by another way
-- refused: data of the protected relation pickups
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM read_parquet('$files/zones/../pickups/2026.parquet')

-- a relative path
-- refused: data of the protected relation pickups
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM read_parquet('$relative/pickups/2026.parquet')

-- a link to the file
-- refused: data of the protected relation pickups
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM '$files/link.parquet'

-- a pattern that matches it
-- refused: data of the protected relation pickups
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM read_parquet('$files/*/*.parquet', union_by_name = true)

-- a list of files
-- refused: data of the protected relation pickups
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM read_parquet(['$files/zones.parquet', '$files/pickups/2026.parquet'])

-- another view over the file
-- refused: data of the protected relation pickups
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM pickups_again

-- what the files say of themselves
-- refused: data of the protected relation pickups
SELECT msd_select(row_group_id, 2, 0.01, 0, reach := 'purchases') FROM parquet_metadata('$files/pickups/*.parquet')

-- a path that is computed
-- refused
SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases') FROM read_parquet('$files/' || 'pickups/2026.parquet')
