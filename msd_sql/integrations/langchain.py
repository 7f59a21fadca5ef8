"""For LangChain: a compressor that keeps k documents which are relevant and differ from each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.embeddings import Embeddings
from pydantic import ConfigDict

from msd_sql.udfs.diversify import diversify


class DiverseCompressor(BaseDocumentCompressor):
    """Keeps `k` documents; `quota` names a metadata field, such as the source: none may crowd out the others."""

    model_config = ConfigDict(arbitrary_types_allowed=True)
    embeddings: Embeddings
    k: int = 4
    diversity: float = 0.5
    quota: str | None = None

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Any = None
    ) -> Sequence[Document]:
        """Keep the documents that are chosen, in the order of picking."""
        if not documents:
            return []
        vectors = np.asarray(self.embeddings.embed_documents([one.page_content for one in documents]))
        scores = vectors @ np.asarray(self.embeddings.embed_query(query))
        quota = None if self.quota is None else [one.metadata.get(self.quota) for one in documents]
        return [documents[place] for place in diversify(scores, vectors, self.k, self.diversity, quota)]
