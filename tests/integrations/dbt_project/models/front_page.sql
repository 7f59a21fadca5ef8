-- The private selection: six products for the front page.
SELECT item_id, category, msd_rank FROM msd_topk({{ ref('products') }}, 6, 0.1, 0.5)
