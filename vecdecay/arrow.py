"""What this program promises of the tables that it returns: PyArrow's, whose package tells a type checker nothing."""

from collections.abc import Sequence
from typing import Any, Protocol


class ArrowTable(Protocol):
    """A ``pyarrow.Table``; its further methods are PyArrow's own."""

    @property
    def num_rows(self) -> int:
        """The number of rows."""

    @property
    def column_names(self) -> list[str]:
        """The names of the columns, in their order."""

    @property
    def schema(self) -> Any:
        """Names, types and metadata of the columns: a ``pyarrow.Schema``."""

    def __getitem__(self, key: str) -> Any:
        """Return a column: a ``pyarrow.ChunkedArray``."""

    def select(self, columns: Sequence[str]) -> "ArrowTable":
        """Return some of the columns."""

    def filter(self, mask: Any) -> "ArrowTable":
        """Return the rows for which an expression or a column of booleans holds."""

    def slice(self, offset: int = 0, length: int | None = None) -> "ArrowTable":
        """Return some rows that follow each other."""

    def sort_by(self, sorting: Any) -> "ArrowTable":
        """Return the rows in another order."""

    def add_column(self, i: int, field_: Any, column: Any) -> "ArrowTable":
        """Return the table with one more column, at place ``i``."""

    def to_pylist(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries."""

    def to_pydict(self) -> dict[str, list[Any]]:
        """Return the columns as lists."""

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame. Needs pandas."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Stream the table through the Arrow C interface."""


class Streamed:
    """Base of answers that stream their table through the Arrow C interface, as Polars, DuckDB and pandas read it."""

    table: Any

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Stream the table through the Arrow C interface."""
        return self.table.__arrow_c_stream__(requested_schema)


class ArrowDataset(Protocol):
    """A ``pyarrow.dataset.Dataset``: files that are read when they are asked for rows."""

    @property
    def schema(self) -> Any:
        """Names, types and metadata of the columns: a ``pyarrow.Schema``."""

    @property
    def files(self) -> list[str]:
        """The paths of the files."""

    def filter(self, expression: Any) -> "ArrowDataset":
        """Return the dataset without the rows for which the expression does not hold."""

    def to_table(self, columns: Sequence[str] | None = None, filter: Any = None) -> ArrowTable:
        """Read columns, and the rows for which an expression holds; all if None."""

    def count_rows(self) -> int:
        """Return the number of rows."""
