-- python -m tests.engines.test_steps writes this file again

-- counts
SELECT
  c.i AS i,
  COUNT(*) AS units
FROM "memory"."main"."purchases" AS r
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
      FROM "_msd_keys"
    ) AS g
  ) AS h
  WHERE
    TRY_CAST(key AS BIGINT) = given
) AS c
  ON r."item_id" = c.key
GROUP BY
  c.i;
