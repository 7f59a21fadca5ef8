"""For LlamaIndex: a postprocessor that keeps k nodes which are relevant and differ from each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle

from msd_sql.udfs.diversify import diversify


class DiversePostprocessor(BaseNodePostprocessor):
    """Keeps `k` nodes by their own scores and embeddings; nodes without an embedding are embedded by `embed_model`."""

    embed_model: Any = None
    k: int = 4
    diversity: float = 0.5

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if not nodes:
            return []
        model: BaseEmbedding | None = self.embed_model
        texts = [one.node.get_content() for one in nodes if one.node.embedding is None]
        made = iter(model.get_text_embedding_batch(texts) if model is not None and texts else [])
        vectors = np.asarray([next(made) if one.node.embedding is None else one.node.embedding for one in nodes])
        scores = [one.score or 0.0 for one in nodes]
        return [nodes[place] for place in diversify(scores, vectors, self.k, self.diversity)]
