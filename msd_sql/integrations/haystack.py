"""For Haystack: a ranker that keeps top_k documents which are relevant and differ from each other."""

from __future__ import annotations

import numpy as np
from haystack import Document, component

from msd_sql.errors import InputError
from msd_sql.udfs.diversify import diversify


@component
class DiverseRanker:
    """Keeps `top_k` documents by their own scores and embeddings; `quota` names a field of their meta."""

    def __init__(self, top_k: int = 4, diversity: float = 0.5, quota: str | None = None) -> None:
        self.top_k, self.diversity, self.quota = top_k, diversity, quota

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document], top_k: int | None = None) -> dict[str, list[Document]]:
        """Keep the documents that are chosen, in the order of picking."""
        if any(one.embedding is None for one in documents):
            raise InputError("DiverseRanker needs documents with embeddings: let the retriever return them.")
        if not documents:
            return {"documents": []}
        scores = [one.score or 0.0 for one in documents]
        quota = None if self.quota is None else [one.meta.get(self.quota) for one in documents]
        vectors = np.asarray([one.embedding for one in documents])
        places = diversify(scores, vectors, top_k or self.top_k, self.diversity, quota)
        return {"documents": [documents[place] for place in places]}
