-- python -m tests.engines.test_steps writes this file again

-- units
CREATE TEMPORARY TABLE "_msd_units" AS
SELECT
  ROW_NUMBER() OVER () - 1 AS x,
  u.unit AS unit
FROM (
  SELECT DISTINCT
    r."user_id" AS unit
  FROM "memory"."main"."purchases" AS r
  WHERE
    NOT r."user_id" IS NULL
) AS u;

-- keys
SELECT
  (
    x * 4 + i
  ) * 2097152 + q AS key
FROM (
  SELECT
    u.x AS x,
    c.i AS i,
    1 AS w,
    GREATEST(
      COALESCE(
        TRY_CAST(ROUND(-GREATEST(-COALESCE(TRY(CAST((
          r.stars
        ) AS DOUBLE)), 0), -1) * 1048576) AS BIGINT),
        0
      ),
      0
    ) AS q
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
  JOIN "_msd_units" AS u
    ON r."user_id" = u.unit
) AS s;
