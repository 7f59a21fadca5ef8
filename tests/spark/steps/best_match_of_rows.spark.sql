-- python -m tests.spark.test_steps writes this file again

-- points
SELECT
  STRUCT(r.`place`) AS x,
  COUNT(*) AS w,
  r.`place` AS c0
FROM `memory`.`main`.`visits` AS r
GROUP BY
  r.`place`;

-- matches
SELECT
  x,
  CAST(i AS INT) AS i,
  w,
  CAST(q AS INT) AS q
FROM (
  SELECT
    r.x AS x,
    v.i AS i,
    r.w AS w,
    GREATEST(
      COALESCE(
        TRY_CAST(ROUND(
          -GREATEST(-COALESCE(CAST((
            1 - ABS(r.c0 - v.c0) / 4
          ) AS DOUBLE), 0), -1) * 1048576
        ) AS BIGINT),
        0
      ),
      0
    ) AS q
  FROM divided AS r
  CROSS JOIN `_msd_v` AS v
) AS s
WHERE
  q > 0;

-- totals
SELECT
  i,
  CAST(SUM(w * q) AS BIGINT) AS total
FROM matches AS matches
GROUP BY
  i;

-- gained
SELECT
  matches.i AS i,
  CAST(SUM(matches.w * GREATEST(matches.q - COALESCE(tops.b, 0), 0)) AS BIGINT) AS total
FROM matches AS matches
LEFT JOIN (
  SELECT
    x,
    MAX(w) AS w,
    MAX(CASE WHEN nth = 1 THEN slot END) AS slot,
    MAX(CASE WHEN nth = 1 THEN q END) AS b,
    COALESCE(MAX(CASE WHEN nth = 2 THEN q END), 0) AS second
  FROM (
    SELECT
      x,
      w,
      slot,
      q,
      ROW_NUMBER() OVER (PARTITION BY x ORDER BY q DESC, slot NULLS LAST) AS nth
    FROM (
      SELECT
        CASE i WHEN 0 THEN 0 END AS slot,
        x,
        w,
        q
      FROM matches AS matches
      WHERE
        i IN (0)
    ) AS picked
  ) AS ranked
  WHERE
    nth <= 2
  GROUP BY
    x
) AS tops
  ON matches.x = tops.x
GROUP BY
  matches.i;

-- swaps
SELECT
  matches.i AS i,
  COALESCE(tops.slot, -1) AS slot,
  CAST(SUM(matches.w * GREATEST(matches.q - COALESCE(tops.b, 0), 0)) AS BIGINT) AS gain,
  CAST(SUM(matches.w * (
    LEAST(GREATEST(matches.q, tops.second), tops.b) - tops.second
  )) AS BIGINT) AS back
FROM (
  SELECT
    *
  FROM matches AS matches
  WHERE
    i IN (1)
) AS matches
LEFT JOIN (
  SELECT
    x,
    MAX(w) AS w,
    MAX(CASE WHEN nth = 1 THEN slot END) AS slot,
    MAX(CASE WHEN nth = 1 THEN q END) AS b,
    COALESCE(MAX(CASE WHEN nth = 2 THEN q END), 0) AS second
  FROM (
    SELECT
      x,
      w,
      slot,
      q,
      ROW_NUMBER() OVER (PARTITION BY x ORDER BY q DESC, slot NULLS LAST) AS nth
    FROM (
      SELECT
        CASE i WHEN 0 THEN 0 WHEN 2 THEN 1 END AS slot,
        x,
        w,
        q
      FROM matches AS matches
      WHERE
        i IN (0, 2)
    ) AS picked
  ) AS ranked
  WHERE
    nth <= 2
  GROUP BY
    x
) AS tops
  ON matches.x = tops.x
GROUP BY
  matches.i,
  tops.slot
UNION ALL
SELECT
  -1 AS i,
  slot,
  CAST(0 AS BIGINT) AS gain,
  total AS back
FROM (
  SELECT
    slot,
    CAST(SUM(w * (
      b - second
    )) AS BIGINT) AS total
  FROM (
    SELECT
      x,
      MAX(w) AS w,
      MAX(CASE WHEN nth = 1 THEN slot END) AS slot,
      MAX(CASE WHEN nth = 1 THEN q END) AS b,
      COALESCE(MAX(CASE WHEN nth = 2 THEN q END), 0) AS second
    FROM (
      SELECT
        x,
        w,
        slot,
        q,
        ROW_NUMBER() OVER (PARTITION BY x ORDER BY q DESC, slot NULLS LAST) AS nth
      FROM (
        SELECT
          CASE i WHEN 0 THEN 0 WHEN 2 THEN 1 END AS slot,
          x,
          w,
          q
        FROM matches AS matches
        WHERE
          i IN (0, 2)
      ) AS picked
    ) AS ranked
    WHERE
      nth <= 2
    GROUP BY
      x
  ) AS tops
  GROUP BY
    slot
) AS lost;

-- swaps
SELECT
  matches.i AS i,
  COALESCE(tops.slot, -1) AS slot,
  CAST(SUM(matches.w * GREATEST(matches.q - COALESCE(tops.b, 0), 0)) AS BIGINT) AS gain,
  CAST(SUM(matches.w * (
    LEAST(GREATEST(matches.q, tops.second), tops.b) - tops.second
  )) AS BIGINT) AS back
FROM matches AS matches
LEFT JOIN (
  SELECT
    x,
    MAX(w) AS w,
    MAX(CASE WHEN nth = 1 THEN slot END) AS slot,
    MAX(CASE WHEN nth = 1 THEN q END) AS b,
    COALESCE(MAX(CASE WHEN nth = 2 THEN q END), 0) AS second
  FROM (
    SELECT
      x,
      w,
      slot,
      q,
      ROW_NUMBER() OVER (PARTITION BY x ORDER BY q DESC, slot NULLS LAST) AS nth
    FROM (
      SELECT
        CASE i WHEN 0 THEN 0 WHEN 2 THEN 1 END AS slot,
        x,
        w,
        q
      FROM matches AS matches
      WHERE
        i IN (0, 2)
    ) AS picked
  ) AS ranked
  WHERE
    nth <= 2
  GROUP BY
    x
) AS tops
  ON matches.x = tops.x
GROUP BY
  matches.i,
  tops.slot
UNION ALL
SELECT
  -1 AS i,
  slot,
  CAST(0 AS BIGINT) AS gain,
  total AS back
FROM (
  SELECT
    slot,
    CAST(SUM(w * (
      b - second
    )) AS BIGINT) AS total
  FROM (
    SELECT
      x,
      MAX(w) AS w,
      MAX(CASE WHEN nth = 1 THEN slot END) AS slot,
      MAX(CASE WHEN nth = 1 THEN q END) AS b,
      COALESCE(MAX(CASE WHEN nth = 2 THEN q END), 0) AS second
    FROM (
      SELECT
        x,
        w,
        slot,
        q,
        ROW_NUMBER() OVER (PARTITION BY x ORDER BY q DESC, slot NULLS LAST) AS nth
      FROM (
        SELECT
          CASE i WHEN 0 THEN 0 WHEN 2 THEN 1 END AS slot,
          x,
          w,
          q
        FROM matches AS matches
        WHERE
          i IN (0, 2)
      ) AS picked
    ) AS ranked
    WHERE
      nth <= 2
    GROUP BY
      x
  ) AS tops
  GROUP BY
    slot
) AS lost;
