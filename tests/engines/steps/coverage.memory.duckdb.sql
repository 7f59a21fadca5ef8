-- python -m tests.engines.test_steps writes this file again

-- rows
SELECT
  "r"."item_id" AS item,
  CAST(HASH("r"."user_id") >> 3 AS BIGINT) AS unit
FROM "memory"."main"."purchases" AS r
WHERE
  "r"."item_id" BETWEEN 0 AND 2 AND NOT "r"."user_id" IS NULL;
