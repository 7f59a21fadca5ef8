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

-- matches
CREATE TEMPORARY TABLE "_msd_matches" AS
SELECT
  x,
  CAST(i AS INT) AS i,
  MAX(w) AS w,
  CAST(MAX(q) AS INT) AS q
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
) AS s
WHERE
  q > 0
GROUP BY
  x,
  i;

-- totals
SELECT
  i,
  CAST(SUM(w * q) AS BIGINT) AS total
FROM "_msd_matches" AS matches
GROUP BY
  i;

-- picked
CREATE TEMPORARY TABLE "_msd_picked" AS
SELECT
  0 AS slot,
  x,
  w,
  q
FROM "_msd_matches" AS matches
WHERE
  i = 0;

-- better
CREATE TEMPORARY TABLE "_msd_better" AS
SELECT
  matches.x AS x,
  COALESCE(best.b, 0) AS old,
  matches.q AS new
FROM "_msd_matches" AS matches
LEFT JOIN (
  SELECT
    x,
    MAX(q) AS b
  FROM "_msd_picked" AS picked
  GROUP BY
    x
) AS best
  ON matches.x = best.x
WHERE
  matches.i = 0 AND matches.q > COALESCE(best.b, 0);

-- losses
SELECT
  matches.i AS i,
  CAST(SUM(matches.w * (
    LEAST(matches.q, better.new) - better.old
  )) AS BIGINT) AS total
FROM "_msd_matches" AS matches
JOIN "_msd_better" AS better
  ON matches.x = better.x
WHERE
  matches.q > better.old
GROUP BY
  matches.i;
