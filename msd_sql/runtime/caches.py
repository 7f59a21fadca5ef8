"""Caches: what is remembered of a database for as long as one of its connections is registered."""

from __future__ import annotations

from dataclasses import dataclass, field

from msd_sql.database.storage_layout import Layouts
from msd_sql.engines.index_cache import Indexes
from msd_sql.runtime.buffer import ReusableBuffer
from msd_sql.runtime.distance_cache import DistanceCache
from msd_sql.runtime.release_memory import Memory


@dataclass(frozen=True)
class Caches:
    """One of each; all of them may be used by several threads.

    >>> Caches().memory is Caches().memory
    False
    """

    memory: Memory = field(default_factory=Memory)  # what was released
    indexes: Indexes = field(default_factory=Indexes)  # of protected relations
    layouts: Layouts = field(default_factory=Layouts)  # contents of tables by how they are stored
    distances: DistanceCache = field(default_factory=DistanceCache)  # over the last vectors
    buffer: ReusableBuffer = field(default_factory=ReusableBuffer)  # for the vectors of a statement
