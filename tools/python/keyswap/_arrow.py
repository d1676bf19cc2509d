"""Tables as the Arrow C stream interface hands them on: what gives one itself, and columns of NumPy, pandas and Python.

Source: Apache Arrow, "The Arrow C data interface" and "The Arrow C stream interface".
"""

import ctypes
import datetime
import decimal
import itertools
import numbers
import re
from ctypes import CFUNCTYPE, Structure, c_char_p, c_int, c_int64, c_void_p
from typing import Any, Dict, List, Optional, Tuple

from ._arrays import is_masked, numpy, refuse_rounded
from ._library import KeyswapError, encoded, surrogate_error


class Schema(Structure):
    _fields_ = [("format", c_char_p), ("name", c_char_p), ("metadata", c_void_p), ("flags", c_int64),
                ("n_children", c_int64), ("children", c_void_p), ("dictionary", c_void_p), ("release", c_void_p),
                ("private_data", c_void_p)]


class ArrowArray(Structure):
    _fields_ = [("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64),
                ("n_children", c_int64), ("buffers", c_void_p), ("children", c_void_p), ("dictionary", c_void_p),
                ("release", c_void_p), ("private_data", c_void_p)]


class Stream(Structure):
    _fields_ = [("get_schema", c_void_p), ("get_next", c_void_p), ("get_last_error", c_void_p), ("release", c_void_p),
                ("private_data", c_void_p)]


class Column:
    """A column in Arrow's form: its format, and its buffers with what owns them (None: no buffer)."""

    def __init__(self, format_: str, length: int, buffers: List[Any], null_count: int = 0) -> None:
        self.format = format_
        self.length = length
        self.buffers = buffers
        self.null_count = null_count


# What structs of ours point to, until they are released.
_alive: Dict[int, Any] = {}
_next_key = itertools.count(1)


def _keep(what: Any) -> int:
    key = next(_next_key)
    _alive[key] = what
    return key


def _release(kind: Any) -> Any:
    def release(address: int) -> None:
        struct = kind.from_address(address)
        children = struct.children if kind is not Stream else None
        if children:
            for child in (c_void_p * struct.n_children).from_address(children):
                held = kind.from_address(child)
                if held.release:
                    CFUNCTYPE(None, c_void_p)(held.release)(child)
        _alive.pop(struct.private_data, None)
        struct.release = None
    return CFUNCTYPE(None, c_void_p)(release)


_RELEASE = {kind: _release(kind) for kind in (Schema, ArrowArray, Stream)}


def _address(function: Any) -> int:
    return ctypes.cast(function, c_void_p).value or 0


def _with_children(struct: Any, children: List[Any], owned: List[Any]) -> None:
    pointers = (c_void_p * max(1, len(children)))(*[ctypes.addressof(child) for child in children])
    owned += [pointers, children]
    struct.n_children = len(children)
    struct.children = ctypes.addressof(pointers)


def _fill_schema(out: Any, format_: str, name: str, children: List[Any]) -> None:
    owned: List[Any] = [format_.encode(), name.encode()]
    out.format, out.name, out.metadata, out.flags, out.dictionary = owned[0], owned[1], None, 2, None
    _with_children(out, children, owned)
    out.release = _address(_RELEASE[Schema])
    out.private_data = _keep(owned)


def _fill_array(out: Any, column: Column, children: List[Any]) -> None:
    pointers = (c_void_p * max(1, len(column.buffers)))(*[_data(buffer) for buffer in column.buffers])
    owned: List[Any] = [column.buffers, pointers]
    out.length, out.null_count, out.offset, out.n_buffers = column.length, column.null_count, 0, len(column.buffers)
    out.buffers, out.dictionary = ctypes.addressof(pointers), None
    _with_children(out, children, owned)
    out.release = _address(_RELEASE[ArrowArray])
    out.private_data = _keep(owned)


def _data(buffer: Any) -> Optional[int]:
    if buffer is None:
        return None
    if hasattr(buffer, "__array_interface__"):
        return buffer.__array_interface__["data"][0]
    return ctypes.addressof(buffer)


class _Table:
    """One batch of columns, behind a stream's functions."""

    def __init__(self, columns: Dict[str, Column]) -> None:
        self.columns = columns
        self.read = False

    def get_schema(self, out: Any) -> None:
        children = []
        for name, column in self.columns.items():
            child = Schema()
            _fill_schema(child, column.format, name, [])
            children.append(child)
        _fill_schema(out, "+s", "", children)

    def get_next(self, out: Any) -> None:
        out.release = None
        if self.read:
            return
        self.read = True
        children = []
        for column in self.columns.values():
            child = ArrowArray()
            _fill_array(child, column, [])
            children.append(child)
        length = next(iter(self.columns.values())).length if self.columns else 0
        _fill_array(out, Column("+s", length, [None]), children)


@CFUNCTYPE(c_int, c_void_p, c_void_p)
def _get_schema(stream: int, out: int) -> int:
    _alive[Stream.from_address(stream).private_data].get_schema(Schema.from_address(out))
    return 0


@CFUNCTYPE(c_int, c_void_p, c_void_p)
def _get_next(stream: int, out: int) -> int:
    _alive[Stream.from_address(stream).private_data].get_next(ArrowArray.from_address(out))
    return 0


@CFUNCTYPE(c_void_p, c_void_p)
def _get_last_error(_stream: int) -> None:
    return None


def _stream_of(columns: Dict[str, Column]) -> Stream:
    stream = Stream(_address(_get_schema), _address(_get_next), _address(_get_last_error), _address(_RELEASE[Stream]))
    stream.private_data = _keep(_Table(columns))
    return stream


def _bits(flags: List[bool]) -> Any:
    made = (ctypes.c_uint8 * ((len(flags) + 7) // 8 or 1))()
    for place, flag in enumerate(flags):
        made[place // 8] |= flag << (place % 8)
    return made


def _validity(valid: List[bool]) -> Tuple[Any, int]:
    nulls = len(valid) - sum(valid)
    return (_bits(valid), nulls) if nulls else (None, 0)


_SCALARS = {"b1": "b", "i1": "c", "u1": "C", "i2": "s", "u2": "S", "i4": "i", "u4": "I", "i8": "l", "u8": "L", "f2": "e",
            "f4": "f", "f8": "g"}
_UNITS = {"s": "tss:", "ms": "tsm:", "us": "tsu:", "ns": "tsn:"}
_KEY = re.compile(r'(?:^|,)(?:"((?:[^"]|"")*)"|([^,:"]*))')  # the name of a key column, before its direction
_EPOCH = datetime.datetime(1970, 1, 1)


def _of_numpy(values: Any, name: str) -> Column:
    np = numpy()
    if is_masked(values):
        raise KeyswapError(name, "has masked items", "give a list: .tolist() has None for them")
    if values.ndim != 1:
        raise KeyswapError(name, f"has {values.ndim} dimensions", "give columns of one")
    kind = values.dtype.kind
    if kind in "OUS":
        return _of_items(values.tolist(), name)
    if kind == "M":
        return _of_times(values, name)
    code = values.dtype.str[1:]
    if code not in _SCALARS:
        raise KeyswapError(name, f"has the type {values.dtype}, which is not a column type", "leave it out or convert it")
    if kind == "b":
        return Column("b", len(values), [None, np.packbits(values, bitorder="little")])
    held = np.ascontiguousarray(values)
    return Column(_SCALARS[code], len(held), [None, held.astype(held.dtype.newbyteorder("<"), copy=False)])


def _of_times(values: Any, name: str) -> Column:
    np = numpy()
    given, given_unit = values, np.datetime_data(values.dtype)[0]
    unit = given_unit if given_unit in _UNITS else "D" if given_unit in ("Y", "M", "W", "D") else "s"
    if given_unit in ("ps", "fs", "as", "generic"):
        raise KeyswapError(name, f"has the type {given.dtype}, which is not a column type", "give .astype('M8[ns]')")
    values = given.astype(f"<M8[{unit}]")  # one unit each, in this byte order
    validity, nulls = None, 0
    missing = np.isnat(values)
    words = np.ascontiguousarray(values).view("i8")
    beyond = (values.astype(given.dtype) != given) & ~np.isnat(given)  # NumPy's conversion wraps around
    if beyond.any() or (unit == "D" and (words[~missing] != words[~missing].astype("i4")).any()):
        raise KeyswapError(name, f"has times of the type {given.dtype} that are too far from 1970", "give .astype('i8')")
    if missing.any():
        validity, nulls = np.packbits(~missing, bitorder="little"), int(missing.sum())
    if unit == "D":
        return Column("tdD", len(values), [validity, np.where(missing, 0, words).astype("i4")], nulls)
    return Column(_UNITS[unit], len(values), [validity, words], nulls)


def _of_text(items: List[Any], valid: List[bool], validity: Tuple[Any, int], format_: str) -> Column:
    parts = [(item.encode() if isinstance(item, str) else bytes(item)) if there else b"" for item, there in zip(items, valid)]
    offsets = (c_int64 * (len(items) + 1))(0, *itertools.accumulate(map(len, parts)))
    joined = ctypes.create_string_buffer(b"".join(parts))
    return Column(format_, len(items), [validity[0], offsets, joined], validity[1])


def _is_missing(item: Any) -> bool:
    return (item is None or type(item).__name__ in ("NAType", "NaTType") or
            isinstance(item, decimal.Decimal) and item.is_nan())


def _valid_items(items: List[Any]) -> List[bool]:
    """Whether each item is a value. NaN is one among numbers alone; elsewhere pandas writes it for a missing value."""
    valid = [not _is_missing(item) for item in items]
    if all(isinstance(item, numbers.Real) for item, ok in zip(items, valid) if ok):
        return valid
    return [ok and not (isinstance(item, float) and item != item) for item, ok in zip(items, valid)]


def _of_items(items: List[Any], name: str) -> Column:
    """Python's own values, of one kind but for None: numbers, text, bytes, dates, times, decimals."""
    valid = _valid_items(items)
    there = [item for item, ok in zip(items, valid) if ok]
    validity = _validity(valid)

    def all_are(*kinds: Any) -> bool:
        return all(isinstance(item, kinds) for item in there)

    def scalars(format_: str, c_type: Any, convert: Any) -> Column:
        made = (c_type * max(1, len(items)))(*[convert(item) if ok else 0 for item, ok in zip(items, valid)])
        return Column(format_, len(items), [validity[0], made], validity[1])

    if all_are(bool):
        return Column("b", len(items), [validity[0], _bits([ok and bool(item) for item, ok in zip(items, valid)])], validity[1])
    if all_are(numbers.Integral):
        wide = any(item >= 1 << 63 for item in there)
        if any(not -(1 << 63) <= item < 1 << 64 for item in there) or wide and min(there) < 0:
            raise KeyswapError(name, "has numbers beyond 64 bits", "give decimals")
        return scalars("L" if wide else "l", ctypes.c_uint64 if wide else c_int64, int)
    if all_are(numbers.Real) and not all_are(decimal.Decimal):
        try:
            floats = scalars("g", ctypes.c_double, float)
        except OverflowError:
            raise KeyswapError(name, "has numbers that no float64 holds", "give decimals") from None
        refuse_rounded([item if ok else 0 for item, ok in zip(items, valid)], floats.buffers[1], name)
        return floats
    if all_are(str):
        return _of_text(items, valid, validity, "U")
    if all_are(bytes, bytearray):
        return _of_text(items, valid, validity, "Z")
    if all_are(datetime.datetime):
        return _of_instants(there, name, scalars)
    if all_are(datetime.date) and not any(isinstance(item, datetime.datetime) for item in there):
        return scalars("tdD", ctypes.c_int32, lambda item: item.toordinal() - _EPOCH.toordinal())
    if all_are(decimal.Decimal, numbers.Integral):
        return _of_decimals(items, valid, validity, name)
    kinds = sorted({type(item).__name__ for item in there})
    raise KeyswapError(name, "has items of the kinds " + ", ".join(kinds), "give a column of one kind, None where one is missing")


def _of_instants(there: List[Any], name: str, scalars: Any) -> Column:
    """Times of day and date, in nanoseconds if any has some, as pandas' may; those with a zone in UTC."""
    zoned = [item.tzinfo is not None for item in there]
    if any(zoned) and not all(zoned):
        raise KeyswapError(name, "has times with a zone and without", "give all of them one")
    epoch = _EPOCH.replace(tzinfo=datetime.timezone.utc) if any(zoned) else _EPOCH

    def microseconds(item: Any) -> int:
        return (item - epoch) // datetime.timedelta(microseconds=1)

    if any(getattr(item, "nanosecond", 0) for item in there):
        return scalars("tsn:", c_int64, lambda item: 1000 * microseconds(item) + getattr(item, "nanosecond", 0))
    return scalars("tsu:", c_int64, microseconds)


def _of_decimals(items: List[Any], valid: List[bool], validity: Tuple[Any, int], name: str) -> Column:
    there = [decimal.Decimal(item) for item, ok in zip(items, valid) if ok]
    if not all(item.is_finite() for item in there):
        raise KeyswapError(name, "has infinite decimals", "leave them out, or give floats")
    scale = max([0, *(-int(item.as_tuple().exponent) for item in there)])
    if scale > 38:
        raise KeyswapError(name, f"has decimals of {scale} digits after the point, more than 38", "round them")
    words = b""
    for item, ok in zip(items, valid):
        number = int(decimal.Decimal(item).scaleb(scale, decimal.Context(prec=80))) if ok else 0
        if abs(number) >= 10**38:
            raise KeyswapError(name, "has decimals of more than 38 digits", "round them")
        words += number.to_bytes(16, "little", signed=True)
    return Column(f"d:38,{scale}", len(items), [validity[0], ctypes.create_string_buffer(words or b"\0", max(16, len(words)))],
                  validity[1])


def _column_of(values: Any, name: str) -> Column:
    if type(values).__module__.split(".")[0] == "pandas":
        dtype = values.dtype
        if getattr(dtype, "tz", None) is not None:
            return _of_numpy(values.dt.tz_convert(None).to_numpy(), name)  # UTC: clocks may go back
        plain = isinstance(dtype, getattr(numpy(), "dtype")) and dtype.kind != "O"
        return _of_numpy(values.to_numpy(), name) if plain else _of_items(list(values.astype(object)), name)
    if numpy() is not None and isinstance(values, numpy().ndarray):
        return _of_numpy(values, name)
    if isinstance(values, (list, tuple, range)):
        return _of_items(list(values), name)
    for method in ("to_numpy", "__array__"):
        if hasattr(values, method):
            return _of_numpy(getattr(values, method)(), name)
    raise KeyswapError(name, f"is a {type(values).__name__}, which is not a column", "give an array or a list")


def _columns_of(table: Any) -> Any:
    """Names with columns, of tables that give no stream themselves."""
    dtype = getattr(table, "dtype", None)
    if getattr(dtype, "names", None):
        return [(name, table[name]) for name in dtype.names]
    if isinstance(table, dict):
        return list(table.items())
    if type(table).__module__.split(".")[0] == "pandas" and hasattr(table, "columns"):
        return [(str(name), table.iloc[:, place]) for place, name in enumerate(table.columns)]
    return None


def _refuse_other_order(table: Any, argument: str, by: Any) -> None:
    """pandas sorts a categorical by the order of its categories; here their values are compared."""
    if type(table).__module__.split(".")[0] != "pandas" or not hasattr(table, "columns") or not isinstance(by, str):
        return
    keys = {quoted.replace('""', '"') or plain for quoted, plain in _KEY.findall(by)}
    for place, name in enumerate(table.columns):
        categories = getattr(table.dtypes.iloc[place], "categories", None)
        if categories is not None and {str(name), str(place + 1)} & keys and not categories.is_monotonic_increasing:
            raise KeyswapError(f"{argument}[{str(name)!r}]", "is sorted by categories, which do not ascend",
                               "give the categories' numbers, .cat.codes")


def stream_of(table: Any, argument: str, by: Any = None) -> Tuple[int, Any]:
    """The address of an ArrowArrayStream that gives the table, and what keeps it alive.

    by -- key columns, as for check_rows()
    """
    _refuse_other_order(table, argument, by)
    if hasattr(table, "__arrow_c_stream__"):
        capsule = table.__arrow_c_stream__()
        get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
        get_pointer.restype, get_pointer.argtypes = c_void_p, [ctypes.py_object, c_char_p]
        return get_pointer(capsule, b"arrow_array_stream"), (capsule, table)
    columns = _columns_of(table)
    if columns is None:
        raise KeyswapError(argument, f"is a {type(table).__name__}, which is not a table",
                           "give a DataFrame, a table of Arrow, a dict of columns or a structured array")
    made: Dict[str, Column] = {}
    for name, values in columns:
        if str(name) in made:
            raise KeyswapError(argument, f"has two columns '{name}'", "rename one of them")
        subject = f"{argument}[{str(name)!r}]"
        encoded(str(name), subject)
        try:
            made[str(name)] = _column_of(values, subject)
        except UnicodeEncodeError as error:
            raise surrogate_error(subject, error.object) from None
    lengths = {column.length for column in made.values()}
    if len(lengths) > 1:
        raise KeyswapError(argument, f"has columns of {' and '.join(map(str, sorted(lengths)))} rows", "give as many of each")
    stream = _stream_of(made)
    return ctypes.addressof(stream), stream


