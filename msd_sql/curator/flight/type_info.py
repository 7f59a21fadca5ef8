"""What Flight SQL asks about types: those that published columns most often have, by the numbers of ODBC and JDBC."""

from __future__ import annotations

import pyarrow as pa

SCHEMA = pa.schema([
    pa.field("type_name", pa.string(), False), pa.field("data_type", pa.int32(), False),
    pa.field("column_size", pa.int32()),
    pa.field("literal_prefix", pa.string()), pa.field("literal_suffix", pa.string()),
    pa.field("create_params", pa.list_(pa.field("item", pa.string(), False))),
    pa.field("nullable", pa.int32(), False), pa.field("case_sensitive", pa.bool_(), False),
    pa.field("searchable", pa.int32(), False), pa.field("unsigned_attribute", pa.bool_()),
    pa.field("fixed_prec_scale", pa.bool_(), False), pa.field("auto_increment", pa.bool_()),
    pa.field("local_type_name", pa.string()),
    pa.field("minimum_scale", pa.int32()), pa.field("maximum_scale", pa.int32()),
    pa.field("sql_data_type", pa.int32(), False), pa.field("datetime_subcode", pa.int32()),
    pa.field("num_prec_radix", pa.int32()), pa.field("interval_precision", pa.int32()),
])  # fmt: skip
_VARCHAR, _DECIMAL, _DATETIME = 12, 3, 9
# Name, number, digits or bits or characters, and the base in which a number's size is counted.
_TYPES: tuple[tuple[str, int, int | None, int | None], ...] = (
    ("BOOLEAN", -7, 1, None),
    ("TINYINT", -6, 3, 10),
    ("BIGINT", -5, 19, 10),
    ("BLOB", -3, None, None),
    ("DECIMAL", _DECIMAL, 38, 10),
    ("INTEGER", 4, 10, 10),
    ("SMALLINT", 5, 5, 10),
    ("FLOAT", 7, 24, 2),
    ("DOUBLE", 8, 53, 2),
    ("UUID", _VARCHAR, 36, None),
    ("VARCHAR", _VARCHAR, None, None),
    ("DATE", 91, 10, None),
    ("TIME", 92, 15, None),
    ("TIMESTAMP", 93, 26, None),
)
_PARTS = {91: 1, 92: 2, 93: 3}  # of date and time


def type_info(wanted: int | None = None) -> pa.Table:
    """All types, or those of one number.

    >>> type_info(4).to_pylist()[0]["type_name"]
    'INTEGER'
    """
    rows = []
    for name, number, size, radix in _TYPES:
        if wanted not in (None, number):
            continue
        quoted = radix is None and number != -7
        rows.append(
            {
                "type_name": name,
                "data_type": number,
                "column_size": size,
                "literal_prefix": "'" if quoted else None,
                "literal_suffix": "'" if quoted else None,
                "create_params": ["precision", "scale"] if number == _DECIMAL else None,
                "nullable": 1,
                "case_sensitive": number == _VARCHAR,
                "searchable": 3 if number == _VARCHAR else 2,
                "unsigned_attribute": None if radix is None else False,
                "fixed_prec_scale": False,
                "auto_increment": None if radix is None else False,
                "local_type_name": name,
                "minimum_scale": 0 if radix == 10 else None,
                "maximum_scale": (38 if number == _DECIMAL else 0) if radix == 10 else None,
                "sql_data_type": _DATETIME if number in _PARTS else number,
                "datetime_subcode": _PARTS.get(number),
                "num_prec_radix": radix,
                "interval_precision": None,
            }
        )
    return pa.Table.from_pylist(rows, schema=SCHEMA)
