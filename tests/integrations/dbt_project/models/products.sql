-- depends_on: {{ ref('purchases') }}
{{ config(post_hook=after_commit(
    "SELECT msd_items('{{ this }}', key := 'item_id', features := 'category', reach := '{{ ref('purchases') }}')"
)) }}
SELECT item_id, category FROM {{ ref('raw_products') }}
