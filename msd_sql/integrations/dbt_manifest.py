"""What a dbt project selects from: do candidates descend from a protected model through a table that dbt made?

The guard sees one statement: views and CTEs, but not that a table was made of private rows an hour ago. dbt knows it.
Private are the models with a post-hook that calls msd_protect, those with `meta: {msd_protected: true}`, whatever they
are made of, and whatever is made of one of these; not what a selection has chosen, and not what is marked
`meta: {msd_public: true}`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msd_sql.errors import InputError, LeakError
from msd_sql.guard.statement_text import mentioned

_ASKS = frozenset(["msd_select", "msd_topk"])
_COMMENT = re.compile(r"\{#.*?#\}|--[^\n]*|/\*.*?\*/", re.DOTALL)
_CONFIG = re.compile(r"\{\{-?\s*config\s*\(")
_REF = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)


@dataclass(frozen=True)
class Leak:
    """A model that selects from candidates that may be private, and the way by which they come from a protected one."""

    model: str
    way: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.model} selects from candidates that may be private: {' → '.join(self.way)}"


def leaks(manifest: str | Path, protected: Iterable[str] = ()) -> list[Leak]:
    """The models of a manifest whose candidates may be private; `protected` names further private models and sources.

    >>> import json
    >>> made = folder / "manifest.json"
    >>> _ = made.write_text(json.dumps({"nodes": {}, "sources": {}}))
    >>> leaks(made)
    []
    """
    try:
        read = json.loads(Path(manifest).read_text("utf-8"))
        nodes: dict[str, Mapping[str, Any]] = {**read["sources"], **read["nodes"]}
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(
            f"{manifest} is not a manifest of dbt's. Run dbt build (or dbt compile), and give target/manifest.json."
        ) from None
    nodes = {key: node for key, node in nodes.items() if node.get("resource_type") != "test"}
    parents = {key: _parents(node, nodes) for key, node in nodes.items()}
    names = {str(node.get("name")): key for key, node in nodes.items()}
    unknown = [name for name in protected if name not in names]
    if unknown:
        raise InputError(f"The project has no model, seed or source '{unknown[0]}'.")
    declared = {names[name] for name in protected} | {key for key, node in nodes.items() if _protects(node)}
    if not declared:
        return []
    private = declared | {above for key in declared for above in _above(key, parents, nodes)}
    found = []
    for key, node in nodes.items():
        if _ASKS & _words(node) and (way := _way(key, private, parents, nodes)):
            found.append(Leak(str(node["name"]), tuple(str(nodes[one]["name"]) for one in way)))
    return sorted(found, key=str)


def _way(key: str, private: set[str], parents: Mapping[str, set[str]], nodes: Mapping[str, Any]) -> list[str]:
    """The nodes from a private one to this one; empty if none of what it reads is private."""
    for parent in sorted(parents[key]):
        if _is_public(nodes[parent]):
            continue
        if parent in private:
            return [parent, key]
        if not _ASKS & _words(nodes[parent]) and (way := _way(parent, private, parents, nodes)):
            return [*way, key]
    return []


def _above(key: str, parents: Mapping[str, set[str]], nodes: Mapping[str, Any]) -> set[str]:
    direct = {parent for parent in parents[key] if not _is_public(nodes[parent])}
    return direct | {more for parent in direct for more in _above(parent, parents, nodes)}


def _parents(node: Mapping[str, Any], nodes: Mapping[str, Mapping[str, Any]]) -> set[str]:
    """What a model's own SQL reads: what only a hook or a comment names is not read."""
    named = [key for key in (node.get("depends_on") or {}).get("nodes", ()) if key in nodes]
    words = _words(node)
    return {key for key in named if {_name(nodes[key]), str(nodes[key].get("name", "")).lower()} & words}


def _words(node: Mapping[str, Any]) -> frozenset[str]:
    code = node.get("compiled_code")
    if code is None:  # a call of ref('products') becomes the name
        bare = _without_config(_COMMENT.sub(" ", node.get("raw_code") or ""))
        code = _REF.sub(lambda found: re.sub(r"[^\w]+", " ", found[0]), bare)
    try:
        return mentioned(str(code))
    except LeakError:
        return frozenset(re.findall(r"\w+", str(code).lower()))


def _without_config(code: str) -> str:
    """The code of a model that is not yet compiled, without its config(…), whose hooks name what it does not read."""
    found = _CONFIG.search(code)
    if found is None:
        return code
    depth, at = 1, found.end()
    while depth and at < len(code):
        depth += (code[at] == "(") - (code[at] == ")")
        at += 1
    rest = code[at:].partition("}}")[2]
    return code[: found.start()] + _without_config(rest)


def _name(node: Mapping[str, Any]) -> str:
    return str(node.get("alias") or node.get("identifier") or node.get("name") or "").lower()


def _protects(node: Mapping[str, Any]) -> bool:
    hooks = (node.get("config") or {}).get("post-hook") or ()
    said = any("msd_protect" in str(hook.get("sql") if isinstance(hook, dict) else hook) for hook in hooks)
    return said or bool(_meta(node).get("msd_protected"))


def _is_public(node: Mapping[str, Any]) -> bool:
    return bool(_meta(node).get("msd_public"))


def _meta(node: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**(node.get("meta") or {}), **((node.get("config") or {}).get("meta") or {})}
