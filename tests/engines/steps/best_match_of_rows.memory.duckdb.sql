-- python -m tests.engines.test_steps writes this file again

-- points
CREATE TEMPORARY TABLE "_msd_points" AS
SELECT
  ROW_NUMBER() OVER () - 1 AS x,
  COUNT(*) AS w,
  r."place" AS c0
FROM "memory"."main"."visits" AS r
GROUP BY
  r."place"
HAVING
  COUNT(*) > 0;

-- v
CREATE TEMPORARY TABLE "_msd_v" AS
SELECT
  i,
  c0
FROM (
  SELECT
    c.i AS i,
    v."place" AS c0,
    ROW_NUMBER() OVER (PARTITION BY c.i ORDER BY v."place") AS nth
  FROM "memory"."main"."products" AS v
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
    ON v."id" = c.key
) AS numbered
WHERE
  nth = 1;

-- weights
SELECT
  x,
  w
FROM "_msd_points" AS points;

-- compared
SELECT
  r.x AS x,
  v.i AS i,
  TRY(CAST((
    1 - ABS(r.c0 - v.c0) / 4
  ) AS DOUBLE)) AS s
FROM "_msd_points" AS r
CROSS JOIN "_msd_v" AS v;
