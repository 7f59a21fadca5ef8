-- python -m tests.engines.test_steps writes this file again

-- pairs
CREATE TEMPORARY VIEW `_msd_pairs` AS
SELECT DISTINCT
  CAST(c.i AS INT) AS i,
  r.`user_id` AS unit
FROM `memory`.`main`.`purchases` AS r
JOIN (
  SELECT
    i,
    key
  FROM (
    SELECT
      i,
      given,
      TRY_CAST(given AS INT) AS key
    FROM (
      SELECT
        i,
        TRY_CAST(key AS BIGINT) AS given
      FROM `_msd_keys`
    ) AS g
  ) AS h
  WHERE
    TRY_CAST(key AS BIGINT) = given
) AS c
  ON r.`item_id` = c.key
WHERE
  NOT r.`user_id` IS NULL;

-- totals
SELECT
  i,
  COUNT(*) AS units
FROM `_msd_pairs` AS pairs
GROUP BY
  i;

-- chosen
CREATE TEMPORARY VIEW `_msd_chosen` AS
SELECT
  0 AS slot,
  unit
FROM `_msd_pairs` AS pairs
WHERE
  i IN (0);

-- full
CREATE TEMPORARY VIEW `_msd_filled` AS
SELECT
  unit
FROM `_msd_chosen` AS chosen
WHERE
  unit IN (
    SELECT
      unit
    FROM `_msd_pairs` AS pairs
    WHERE
      i IN (0)
  )
GROUP BY
  unit
HAVING
  COUNT(*) = 1;

-- losses
SELECT
  i,
  COUNT(*) AS units
FROM `_msd_pairs` AS pairs
WHERE
  unit IN (
    SELECT
      unit
    FROM `_msd_filled` AS filled
  )
GROUP BY
  i;
