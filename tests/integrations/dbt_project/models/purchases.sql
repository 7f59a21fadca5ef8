-- Protected as soon as it is committed; the swap of a later build keeps the protection, its budget and what was spent.
{{ config(post_hook=after_commit(
    "SELECT msd_protect('{{ this }}', unit := 'user_id', item := 'item_id', budget := 1.0, delta := 1e-6)"
)) }}
SELECT user_id, item_id FROM {{ ref('raw_purchases') }}
