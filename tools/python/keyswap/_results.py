"""What calls return: objects with named fields, tables with columns, and pages for notebooks."""

import html
import json
import tempfile
from ctypes import byref
from pathlib import Path
from typing import Any, Dict, List, Optional

from ._arrays import numpy
from ._library import SummaryFields, library


class Record:
    """A JSON object whose members are attributes: `simulation.total_ms`, `row["keys"]`."""

    def __init__(self, fields: Dict[str, Any]) -> None:
        self._fields = fields

    def __getattr__(self, name: str) -> Any:
        try:
            return _wrapped(self.__dict__["_fields"][name])
        except KeyError:
            known = ", ".join(self.__dict__.get("_fields", {}))
            raise AttributeError(f"{type(self).__name__} has no field '{name}' (it has: {known})") from None

    def __getitem__(self, name: str) -> Any:
        return _wrapped(self._fields[name])

    def __contains__(self, name: str) -> bool:
        return name in self._fields

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self._fields]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self._fields == other._fields

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={_short(value)}" for name, value in self._fields.items()
                          if name not in ("command", "version", "config"))
        return f"{type(self).__name__}({shown})"

    def to_dict(self) -> Dict[str, Any]:
        """All fields, as the command prints them with --json."""
        return json.loads(json.dumps(self._fields))


class Table(List[Any]):
    """Rows of one kind: a list of records whose fields are columns too."""

    def column(self, name: str) -> Any:
        """A field of every row, [rows]: an array of NumPy if it is installed, else a list."""
        values = [row[name] for row in self]
        return values if numpy() is None else numpy().asarray(values)

    def _repr_html_(self) -> str:
        return _table_html([row.to_dict() for row in self])


def _wrapped(value: Any) -> Any:
    if isinstance(value, dict):
        return Record(value)
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        return Table(Record(row) for row in value)
    return value


def _short(value: Any) -> str:
    if isinstance(value, (dict, list)) and len(value) > 3:
        return f"<{len(value)} {'fields' if isinstance(value, dict) else 'rows'}>"
    return repr(value)


def _table_html(rows: List[Dict[str, Any]]) -> str:
    names = list(rows[0]) if rows else []
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(str(row.get(name, '')))}</td>" for name in names) + "</tr>"
                   for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def page_html(page: str, height: int = 720) -> str:
    """A whole page inside a notebook's cell, apart from the cell's own scripts and styles."""
    return (f'<iframe srcdoc="{html.escape(page, quote=True)}" width="100%" height="{height}" '
            'style="border:0"></iframe>')


class CheckResult(Record):
    """Whether an output is a sorted permutation of its input, and if not, what is wrong.

    True if all holds: `assert keyswap.check(before, after)`.

    holds       -- all of what follows
    sorted      -- the output is in order
    permutation -- the output has the keys of the input, each as often (missing for check_order)
    order       -- .shape, .first_unsorted (index from 0), .sorted_runs, .key_before, .key_at
    lost, gained -- keys that the output lacks or has too many of, None if none
    values      -- [up to 8] of differing keys: .key, .in_input, .in_output
    guess       -- what may have gone wrong, None if nothing fits
    pairs       -- of checks with values: .paired, .stable
    text        -- all of it in sentences
    """

    holds: bool
    sorted: bool
    permutation: bool
    order: Record
    lost: Optional[Record]
    gained: Optional[Record]
    values: Any
    guess: Optional[Record]
    pairs: Optional[Record]

    def __init__(self, fields: Dict[str, Any], text: str) -> None:
        super().__init__(fields)
        self.text = text.strip()

    def __bool__(self) -> bool:
        return bool(self._fields["holds"])

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.text}>"

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        lines = "".join(f"<li>{html.escape(line)}</li>" for line in self.text.splitlines())
        mark = "&#10003;" if self else "&#10007;"
        values = self._fields.get("values") or []
        return f"<b>{mark} keyswap.check</b><ul>{lines}</ul>" + (_table_html(values) if values else "")


class RowCheckResult(CheckResult):
    """Whether the rows of a table are those of another, sorted by some columns, and if not, what is wrong.

    True if all holds.

    sorted, permutation, stable -- what was found; None for what was not asked
    order  -- the first two rows out of order, None if sorted: .row, .column (that decides), .cell_before, .cell_at
    rows   -- [up to 8] that one side has more often: .row, .in_input, .in_output, .cells
    lost, gained -- numbers of rows that the output has too seldom or too often
    guess, columns, text
    """

    stable: Optional[bool]
    rows: Any
    columns: Any


class Comparison(CheckResult):
    """Whether one summary is of a sorted permutation of the keys of another. True if all holds.

    keys, input_keys -- their numbers
    same_elements    -- both hold the same keys and values, each as often
    violations       -- pairs of neighbours that are out of order
    first_violation  -- index of the first of the first pair, None if there is none
    text             -- all of it in sentences
    """

    keys: int
    input_keys: int
    same_elements: bool
    violations: int
    first_violation: Optional[int]


class Summary:
    """What one reading of keys found: made by keyswap.summarize(), compared by keyswap.compare().

    Summaries of parts are joined by +, in the parts' order. They can be pickled: processes that hold a part each send
    theirs.

    count           -- keys
    violations      -- pairs of neighbours that are out of order
    first_violation -- index of the first of the first pair, None if there is none
    """

    def __init__(self, fields: SummaryFields) -> None:
        self.fields = fields

    @property
    def count(self) -> int:
        return int(self.fields.count)

    @property
    def violations(self) -> int:
        return int(self.fields.violations)

    @property
    def first_violation(self) -> Optional[int]:
        return None if self.violations == 0 else int(self.fields.first_violation)

    def __add__(self, other: "Summary") -> "Summary":
        return Summary(library.keyswap_summary_joined(byref(self.fields), byref(other.fields)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Summary) and bytes(self.fields) == bytes(other.fields)

    def __hash__(self) -> int:
        return hash(bytes(self.fields))

    def __repr__(self) -> str:
        return f"<Summary: {self.count:,} keys, {self.violations:,} violations>"


class Paged(Record):
    """A result that `report` has a page of, which a notebook shows."""

    def __init__(self, fields: Dict[str, Any], page_arguments: "tuple[tuple, Dict[str, Any]]", remarks: str = "") -> None:
        super().__init__(fields)
        self._page_arguments = page_arguments
        self.remarks = remarks.strip()

    def _repr_html_(self) -> Optional[str]:
        from . import KeyswapError, report  # pylint: disable=import-outside-toplevel
        files, options = self._page_arguments
        try:
            return page_html(report(*files, **options).html)
        except KeyswapError:
            return None  # the notebook shows the text


class Plan(Record):
    """Where a multi-GPU sort sends keys.

    plan   -- .finding (a sentence), .passes_needed, .chunk, .gpus ([GPUs]), .key_swap, ...
    config -- what was planned
    memory -- bytes that a GPU needs, if the sort's kernels are known
    """

    plan: Record
    config: Record

    def __init__(self, fields: Dict[str, Any]) -> None:
        super().__init__(fields)

    def _repr_html_(self) -> str:
        plan = self._fields["plan"]
        return f"<p>{html.escape(str(plan.get('finding', '')))}</p>" + _table_html(plan.get("gpus", []))


class Simulation(Paged):
    """A predicted sort.

    total_ms    -- how long it takes, milliseconds
    interval_ms -- [2] the least and the most that the model's error allows, milliseconds
    phases, links -- [rows] tables; bottleneck -- what holds it up
    memory, config, assumptions, ...
    """

    total_ms: float
    interval_ms: List[float]
    phases: Table
    links: Table


class Sweep(Paged):
    """Many predicted sorts: rows -- [combinations], each as the command `whatif --json` has it."""

    rows: Table

    def _repr_html_(self) -> Optional[str]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "sweep.json"
            path.write_text(json.dumps(self._fields), encoding="utf-8")
            self._page_arguments = ((path,), {})
            return super()._repr_html_()


class Verification(Paged):
    """Whether recorded runs are as the reference model has them.

    True if all hold. traces -- [runs], each with .differences
    """

    holds: bool
    traces: Table

    def __bool__(self) -> bool:
        return bool(self._fields["holds"])


class Report(Record):
    """A page on a plan, runs or simulations. html -- all of it; page -- its data."""

    def __init__(self, fields: Dict[str, Any], page: str) -> None:
        super().__init__(fields)
        self.html = page

    def save(self, path: Any) -> None:
        """Writes the page, a single HTML file that needs no network."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def __repr__(self) -> str:
        return f"<Report: {len(self.html)} bytes of HTML>"

    def _repr_html_(self) -> str:
        return page_html(self.html)


class Topology(Record):
    """A machine: name, description, links ([links]) with their origins, channels."""

    links: Table
    channels: Table

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self.description)}</p>" + _table_html(self._fields["links"])

