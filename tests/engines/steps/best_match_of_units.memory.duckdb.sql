-- python -m tests.engines.test_steps writes this file again

-- units
CREATE TEMPORARY TABLE "_msd_units" AS
SELECT
  ROW_NUMBER() OVER () - 1 AS x,
  u.unit AS unit
FROM (
  SELECT DISTINCT
    r."user_id" AS unit
  FROM "memory"."main"."visits" AS r
  WHERE
    NOT r."user_id" IS NULL
) AS u;

-- points
CREATE TEMPORARY TABLE "_msd_points" AS
SELECT DISTINCT
  u.x AS x,
  1 AS w,
  r."place" AS c0
FROM "memory"."main"."visits" AS r
JOIN "_msd_units" AS u
  ON r."user_id" = u.unit;

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

-- keys
SELECT
  (
    x * 4 + i
  ) * 2097152 + q AS key
FROM (
  SELECT
    r.x AS x,
    v.i AS i,
    r.w AS w,
    GREATEST(
      COALESCE(
        TRY_CAST(ROUND(
          -GREATEST(-COALESCE(TRY(CAST((
            1 - ABS(r.c0 - v.c0) / 4
          ) AS DOUBLE)), 0), -1) * 1048576
        ) AS BIGINT),
        0
      ),
      0
    ) AS q
  FROM "_msd_points" AS r
  CROSS JOIN "_msd_v" AS v
) AS s;
