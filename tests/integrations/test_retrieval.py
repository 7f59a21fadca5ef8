"""Diverse retrieval in small pipelines of LangChain, LlamaIndex and Haystack, with embeddings made here."""

import numpy as np
import pytest

TEXTS = [f"{kind} number {i}" for kind in ("shoes", "tents", "books") for i in range(5)]


def embedding(text):
    """Texts of one kind are near to each other; the query is nearest to shoes."""
    kinds = {"shoes": 0, "tents": 1, "books": 2}
    vector = np.zeros(4)
    vector[next((place for kind, place in kinds.items() if kind in text), 0)] = 1
    vector[3] = 0.3 + 0.01 * (sum(map(ord, text)) % 7)
    return vector.tolist()


def kinds(texts):
    return {text.split()[0] for text in texts}


def test_langchain():
    pytest.importorskip("langchain_core", reason="langchain-core is not installed: python3 dev.py integrations")
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.vectorstores import InMemoryVectorStore

    from msd_sql.integrations.langchain import DiverseCompressor

    class Made(Embeddings):
        def embed_documents(self, texts):
            return [embedding(text) for text in texts]

        def embed_query(self, text):
            return embedding(text)

    store = InMemoryVectorStore(Made())
    store.add_documents([Document(text, metadata={"kind": text.split()[0]}) for text in TEXTS])
    found = store.as_retriever(search_kwargs={"k": 15}).invoke("shoes")
    assert kinds(one.page_content for one in found[:3]) == {"shoes"}
    made = DiverseCompressor(embeddings=Made(), k=3, diversity=0.7)
    assert kinds(one.page_content for one in made.compress_documents(found, "shoes")) == {"shoes", "tents", "books"}
    quota = DiverseCompressor(embeddings=Made(), k=3, diversity=0.0, quota="kind")
    assert kinds(one.page_content for one in quota.compress_documents(found, "shoes")) == {"shoes", "tents", "books"}
    assert made.compress_documents([], "shoes") == []


def test_llama_index():
    pytest.importorskip("llama_index.core", reason="llama-index-core is not installed: python3 dev.py integrations")
    from llama_index.core import VectorStoreIndex
    from llama_index.core.base.embeddings.base import BaseEmbedding
    from llama_index.core.schema import TextNode

    from msd_sql.integrations.llama_index import DiversePostprocessor

    class Made(BaseEmbedding):
        def _get_text_embedding(self, text):
            return embedding(text)

        _get_query_embedding = _get_text_embedding

        async def _aget_query_embedding(self, query):
            return embedding(query)

    index = VectorStoreIndex([TextNode(text=text) for text in TEXTS], embed_model=Made())
    found = index.as_retriever(similarity_top_k=15).retrieve("shoes")
    assert kinds(one.text for one in found[:3]) == {"shoes"}
    chosen = DiversePostprocessor(embed_model=Made(), k=3, diversity=0.7).postprocess_nodes(found, query_str="shoes")
    assert kinds(one.text for one in chosen) == {"shoes", "tents", "books"}


def test_haystack():
    pytest.importorskip("haystack", reason="haystack-ai is not installed: python3 dev.py integrations")
    from haystack import Document, Pipeline
    from haystack.components.retrievers.in_memory import InMemoryEmbeddingRetriever
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    from msd_sql import InputError
    from msd_sql.integrations.haystack import DiverseRanker

    store = InMemoryDocumentStore()
    store.write_documents([Document(content=text, embedding=embedding(text)) for text in TEXTS])
    pipeline = Pipeline()
    pipeline.add_component("find", InMemoryEmbeddingRetriever(store, top_k=15, return_embedding=True))
    pipeline.add_component("choose", DiverseRanker(top_k=3, diversity=0.7))
    pipeline.connect("find.documents", "choose.documents")
    found = pipeline.run({"find": {"query_embedding": embedding("shoes")}})["choose"]["documents"]
    assert kinds(one.content for one in found) == {"shoes", "tents", "books"}
    with pytest.raises(InputError, match="embeddings"):
        DiverseRanker().run([Document(content="no embedding")])
