"""Selection: an answer as Python sees it: a sequence of its items, which shows itself and draws itself."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from msd_sql.udfs.receipt import Receipt

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from matplotlib.figure import Figure

TITLES = ("title", "name", "product_name", "label", "product", "description")  # a column that says what an item is


@dataclass(frozen=True, eq=False, repr=False)
class Selection(Sequence[Any]):
    """An answer: the chosen items in pick order, their rows, how far apart they are, and what the release cost.

    It is a sequence of its items, and equal to another selection, list or tuple of the same items in the same order.

    >>> chosen = msd_sql.select(con.table("products"), k=3, eps=0.1, diversity=0.5)
    >>> len(chosen), chosen[0] in chosen, chosen == list(chosen)
    (3, True, True)
    """

    items: tuple[Any, ...]
    rows: Any  # every column of the chosen rows and msd_rank: a DataFrame, or the kind of frame that was given
    diversity: float | None  # mean distance of the pairs; None where no distance was used
    receipt: Receipt | None  # None: there were no candidates
    entry: str | None  # the line of the ledger; None where nothing private was read
    # Of every pick its distance to the nearest one before, None for the first; no tuple where no distance was used, or
    # where it would take long to work out.
    nearest: tuple[float | None, ...] | None = None

    @property
    def keys(self) -> tuple[Any, ...]:
        """The keys of the chosen items: another name of `items`."""
        return self.items

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Any, ...]: ...
    def __getitem__(self, place: int | slice) -> Any:
        return self.items[place]

    def __len__(self) -> int:
        return len(self.items)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Selection | list | tuple):
            return self.items == tuple(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.items)

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a DataFrame of pandas; Streamlit and others ask for it by this name."""
        found: pd.DataFrame = self.rows.to_pandas() if hasattr(self.rows, "to_pandas") else self.rows
        return found

    def pl(self) -> pl.DataFrame:
        """The rows as a DataFrame of polars."""
        import polars

        return polars.from_pandas(self.rows) if hasattr(self.rows, "iloc") else polars.DataFrame(self.rows)

    def arrow(self) -> pa.Table:
        """The rows as a table of Arrow."""
        import pyarrow

        return pyarrow.Table.from_pandas(self.to_pandas(), preserve_index=False)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.arrow().__arrow_c_stream__(requested_schema)

    @property
    def title_column(self) -> str | None:
        """The column that says what an item is; None if there is none by a usual name and none of texts.

        >>> msd_sql.select(con.table("products"), k=3, eps=0.1, diversity=0.5).title_column
        'name'
        """
        return title_column(self.rows)

    @property
    def titles(self) -> tuple[str, ...]:
        """What the items are, in pick order: their titles, or their keys where there are none.

        >>> len(msd_sql.select(con.table("products"), k=3, eps=0.1, diversity=0.5).titles)
        3
        """
        column = self.title_column
        return tuple(str(one) for one in (self.items if column is None else self.rows[column].to_list()))

    def plot(self, *, label: str | None = None, features: str | None = None) -> Figure:
        """Draw how far the chosen items are apart (extra: plots); columns are found by themselves, or named.

        >>> msd_sql.select(con.table("products"), k=6, eps=0.1, diversity=0.5).plot().savefig(folder / "six.png")
        """
        from msd_sql.plots import plot_selection

        return plot_selection(self, label=label, features=features)

    def __repr__(self) -> str:
        table = self._shown().to_string(index=False, max_rows=20, max_colwidth=40) if self.items else "no items"
        return f"{table}\n{self._told()}"

    def _repr_html_(self) -> str:
        return f"<div>{self._shown().to_html(index=False)}<p><small>{html.escape(self._told())}</small></p></div>"

    def _shown(self) -> pd.DataFrame:
        shown = self.to_pandas().copy()
        if self.nearest is not None:
            shown["distance to the nearest before"] = ["" if one is None else f"{one:.2f}" for one in self.nearest]
        return shown

    def _told(self) -> str:
        told = str(self.receipt) if self.receipt is not None else "no candidates"
        return told if self.diversity is None else f"{told}; mean distance of the chosen {self.diversity:.3f}"


def title_column(rows: Any) -> str | None:
    """The column of a frame that says what an item is: by a usual name, or the first of texts; None if there is none.

    >>> import pandas as pd
    >>> title_column(pd.DataFrame({"id": ["x1"], "kind": ["tea"], "Title": ["Green tea"]}))
    'Title'
    """
    names = getattr(rows, "columns", [])
    names = getattr(rows, "column_names", names)  # of pyarrow
    known = {str(name).lower(): str(name) for name in names}
    for wanted in TITLES:
        if wanted in known:
            return known[wanted]
    return next((name for name in known.values() if len(rows) and isinstance(rows[name].to_list()[0], str)), None)
