-- python -m tests.engines.test_steps writes this file again

-- packed
SELECT
  (
    CAST(HASH(r."user_id") >> 3 AS BIGINT)
  ) * 4 + (
    CAST(r."item_id" AS BIGINT) - 0
  ) AS key
FROM "memory"."main"."purchases" AS r
WHERE
  r."item_id" BETWEEN 0 AND 2 AND NOT r."user_id" IS NULL;
