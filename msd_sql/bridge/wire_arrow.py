"""Columns of the wire as Arrow arrays, without a Python object for every value."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from msd_sql.bridge import wire


def array(vector: wire.Vector) -> pa.Array:
    """The rows as an Arrow array: numbers and texts by reference, lists by their offsets.

    >>> array(wire.Vector(wire.Type(wire.DOUBLE), 2, None, np.array([1.0, 2.0]))).to_pylist()
    [1.0, 2.0]
    """
    kind = vector.type
    mask = None if vector.known is None else pa.py_buffer(np.packbits(vector.known, bitorder="little"))
    if kind.id == wire.LIST:
        return _lists(vector)
    missing = None if vector.known is None else pa.array(~vector.known)
    if kind.id == wire.ARRAY:
        return pa.FixedSizeListArray.from_arrays(array(vector.children[0]), kind.size, mask=missing)
    if kind.id == wire.STRUCT:
        children = [array(child) for child in vector.children]
        return pa.StructArray.from_arrays(children, names=list(kind.names), mask=missing)
    plain = {wire.BIGINT: pa.int64(), wire.FLOAT: pa.float32(), wire.DOUBLE: pa.float64()}.get(kind.id)
    if plain is not None:
        return pa.Array.from_buffers(plain, vector.rows, [mask, pa.py_buffer(vector.data)])
    return pa.array(wire.values(vector), type=_TYPES.get(kind.id))


def _lists(vector: wire.Vector) -> pa.ListArray:
    """DuckDB's lists are (offset, length) in any order; Arrow's follow each other."""
    starts, sizes = vector.data[:, 0].astype(np.int64), vector.data[:, 1].astype(np.int64)
    if vector.known is not None:
        sizes = np.where(vector.known, sizes, 0)
    ends = np.cumsum(sizes)
    child = array(vector.children[0])
    follow = np.array_equal(starts[sizes > 0], (ends - sizes)[sizes > 0])
    if not follow or len(child) != (ends[-1] if len(ends) else 0):
        child = child.take(pa.array(np.repeat(starts - (ends - sizes), sizes) + np.arange(sizes.sum())))
    offsets = pa.array(np.concatenate([[0], ends]).astype(np.int32))
    mask = None if vector.known is None else pa.array(~vector.known)
    return pa.ListArray.from_arrays(offsets, child, mask=mask)


_TYPES = {
    wire.VARCHAR: pa.string(),
    wire.BOOLEAN: pa.bool_(),
    wire.INTEGER: pa.int32(),
}
