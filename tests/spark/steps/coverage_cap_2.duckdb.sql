-- python -m tests.spark.test_steps writes this file again

-- bought
SELECT
  CAST(c.i AS INT) AS i,
  r."user_id" AS unit
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
WHERE
  NOT r."user_id" IS NULL;

-- pairs
SELECT DISTINCT
  i,
  unit
FROM bought AS bought;

-- totals
SELECT
  i,
  COUNT(*) AS units
FROM pairs AS pairs
GROUP BY
  i;

-- at_cap
SELECT
  i,
  COUNT(*) AS units
FROM pairs AS pairs
WHERE
  unit IN (
    SELECT
      unit
    FROM (
      SELECT
        0 AS slot,
        unit
      FROM pairs AS pairs
      WHERE
        i IN (0)
    ) AS chosen
    GROUP BY
      unit
    HAVING
      COUNT(*) >= 2
  )
GROUP BY
  i;

-- reached
SELECT
  CAST(SUM(LEAST(picks, 2)) AS BIGINT) AS units
FROM (
  SELECT
    COUNT(*) AS picks
  FROM (
    SELECT
      0 AS slot,
      unit
    FROM pairs AS pairs
    WHERE
      i IN (0, 2)
  ) AS chosen
  GROUP BY
    unit
) AS held;

-- swaps
SELECT
  pairs.i AS i,
  held.slot AS slot,
  COUNT(*) AS units
FROM (
  SELECT
    *
  FROM pairs AS pairs
  WHERE
    i IN (1)
) AS pairs
JOIN (
  SELECT
    chosen.slot AS slot,
    chosen.unit AS unit
  FROM (
    SELECT
      CASE i WHEN 0 THEN 0 WHEN 2 THEN 1 END AS slot,
      unit
    FROM pairs AS pairs
    WHERE
      i IN (0, 2)
  ) AS chosen
  JOIN (
    SELECT
      unit
    FROM (
      SELECT
        CASE i WHEN 0 THEN 0 WHEN 2 THEN 1 END AS slot,
        unit
      FROM pairs AS pairs
      WHERE
        i IN (0, 2)
    ) AS chosen
    GROUP BY
      unit
    HAVING
      COUNT(*) = 2
  ) AS tight
    ON chosen.unit = tight.unit
  UNION ALL
  SELECT
    -1 AS slot,
    unit
  FROM (
    SELECT
      CASE i WHEN 0 THEN 0 WHEN 2 THEN 1 END AS slot,
      unit
    FROM pairs AS pairs
    WHERE
      i IN (0, 2)
  ) AS chosen
  GROUP BY
    unit
  HAVING
    COUNT(*) >= 2
) AS held
  ON pairs.unit = held.unit
GROUP BY
  pairs.i,
  held.slot
UNION ALL
SELECT
  -1 AS i,
  slot,
  units
FROM (
  SELECT
    chosen.slot AS slot,
    COUNT(*) AS units
  FROM (
    SELECT
      CASE i WHEN 0 THEN 0 WHEN 2 THEN 1 END AS slot,
      unit
    FROM pairs AS pairs
    WHERE
      i IN (0, 2)
  ) AS chosen
  JOIN (
    SELECT
      unit
    FROM (
      SELECT
        CASE i WHEN 0 THEN 0 WHEN 2 THEN 1 END AS slot,
        unit
      FROM pairs AS pairs
      WHERE
        i IN (0, 2)
    ) AS chosen
    GROUP BY
      unit
    HAVING
      COUNT(*) <= 2
  ) AS loose
    ON chosen.unit = loose.unit
  GROUP BY
    chosen.slot
) AS kept;

-- swaps
SELECT
  pairs.i AS i,
  held.slot AS slot,
  COUNT(*) AS units
FROM pairs AS pairs
JOIN (
  SELECT
    chosen.slot AS slot,
    chosen.unit AS unit
  FROM (
    SELECT
      CASE i WHEN 0 THEN 0 WHEN 2 THEN 1 END AS slot,
      unit
    FROM pairs AS pairs
    WHERE
      i IN (0, 2)
  ) AS chosen
  JOIN (
    SELECT
      unit
    FROM (
      SELECT
        CASE i WHEN 0 THEN 0 WHEN 2 THEN 1 END AS slot,
        unit
      FROM pairs AS pairs
      WHERE
        i IN (0, 2)
    ) AS chosen
    GROUP BY
      unit
    HAVING
      COUNT(*) = 2
  ) AS tight
    ON chosen.unit = tight.unit
  UNION ALL
  SELECT
    -1 AS slot,
    unit
  FROM (
    SELECT
      CASE i WHEN 0 THEN 0 WHEN 2 THEN 1 END AS slot,
      unit
    FROM pairs AS pairs
    WHERE
      i IN (0, 2)
  ) AS chosen
  GROUP BY
    unit
  HAVING
    COUNT(*) >= 2
) AS held
  ON pairs.unit = held.unit
GROUP BY
  pairs.i,
  held.slot
UNION ALL
SELECT
  -1 AS i,
  slot,
  units
FROM (
  SELECT
    chosen.slot AS slot,
    COUNT(*) AS units
  FROM (
    SELECT
      CASE i WHEN 0 THEN 0 WHEN 2 THEN 1 END AS slot,
      unit
    FROM pairs AS pairs
    WHERE
      i IN (0, 2)
  ) AS chosen
  JOIN (
    SELECT
      unit
    FROM (
      SELECT
        CASE i WHEN 0 THEN 0 WHEN 2 THEN 1 END AS slot,
        unit
      FROM pairs AS pairs
      WHERE
        i IN (0, 2)
    ) AS chosen
    GROUP BY
      unit
    HAVING
      COUNT(*) <= 2
  ) AS loose
    ON chosen.unit = loose.unit
  GROUP BY
    chosen.slot
) AS kept;
