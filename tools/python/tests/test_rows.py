"""check_rows on tables of every kind, handed on by the Arrow C stream interface."""

import ctypes
import datetime
import decimal
import fractions
import gc
import random

import pytest

import keyswap
from keyswap import _arrow

np = pytest.importorskip("numpy")

BEFORE = {"region": ["N", "S", None, "N"], "amount": [3, 1, 2, 5], "id": np.arange(4)}
AFTER = {"region": ["N", "N", "S", None], "amount": [5, 3, 1, 2], "id": np.array([3, 0, 1, 2])}


def test_checks_a_dict_of_columns():
    assert keyswap.check_rows(BEFORE, AFTER, by="region,amount:desc")
    assert keyswap.check_rows(BEFORE, AFTER, by=["region", "amount:desc"], stable=True)
    wrong = keyswap.check_rows(BEFORE, AFTER, by=["region", "amount"])
    assert not wrong and wrong.permutation and not wrong.sorted
    assert wrong.order.row == 1 and wrong.order.column == "amount"
    assert "amount" in wrong.text and "amount" in wrong._repr_html_()


def test_progress_can_end_a_check():
    rows = {"a": np.zeros(1 << 18, "i8")}
    seen = []
    assert keyswap.check_rows(rows, rows, by="a", progress=lambda done, total: seen.append((done, total)))
    assert seen and all(done <= total for done, total in seen)
    with pytest.raises(keyswap.Cancelled):
        keyswap.check_rows(rows, rows, by="a", progress=lambda done, total: True)

    def interrupted(_done, _total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        keyswap.check_rows(rows, rows, by="a", progress=interrupted)


def test_finds_rows_that_changed():
    after = dict(AFTER, id=np.array([3, 0, 1, 1]))
    wrong = keyswap.check_rows(BEFORE, after, by="region,amount:desc")
    assert wrong.sorted and not wrong.permutation
    assert wrong.lost == 1 and wrong.gained == 1


def test_checks_the_order_alone_and_several_parts():
    assert keyswap.check_rows(None, AFTER, by="region,amount:desc")
    parts = [{name: column[:2] for name, column in AFTER.items()}, {name: column[2:] for name, column in AFTER.items()}]
    assert keyswap.check_rows(BEFORE, parts, by="region,amount:desc")
    assert not keyswap.check_rows(BEFORE, parts[::-1], by="region,amount:desc")


def test_takes_columns_of_every_kind():
    columns = {
        "bool": [True, False, None], "bool_array": np.array([True, False, True]),
        "small": np.array([1, -2, 3], "i1"), "half": np.array([1, 2, np.nan], "f2"), "float": np.array([1.5, -0.0, 2], "f4"),
        "day": np.array(["2026-01-02", "NaT", "1969-12-31"], "M8[D]"), "time": np.array([1, 2, 3], "M8[ns]"),
        "month": np.array(["2026-01", "2026-02", "2026-03"], "M8[M]"), "bytes": [b"\xff", b"", None],
        "text": np.array(["a", "bb", "ä"]), "money": [decimal.Decimal("1.50"), None, decimal.Decimal("-2")],
        "date": [datetime.date(1970, 1, 2), None, datetime.date(1969, 12, 31)],
        "moment": [datetime.datetime(2026, 1, 1, 12), None, datetime.datetime(1960, 1, 1)],
        "large": [2**64 - 1, 0, None], "strided": np.arange(6)[::2], "nothing": [None, None, None],
    }
    row = {name: list(column) if isinstance(column, list) else column.tolist() for name, column in columns.items()}
    for name in columns:
        order = sorted(range(3), key=lambda place: (row[name][place] is None or row[name][place] != row[name][place],
                                                    0 if row[name][place] is None else row[name][place]))
        after = {other: [column[place] for place in order] if isinstance(column, list) else column[order]
                 for other, column in columns.items()}
        found = keyswap.check_rows(columns, after, by=name)
        assert found, (name, found.text)


def test_takes_structured_arrays():
    rows = np.array([(2, "b"), (1, "a")], dtype=[("key", "i8"), ("name", "U3")])
    assert keyswap.check_rows(rows, np.sort(rows, order="key"), by="key")
    assert not keyswap.check_rows(rows, rows, by="key")


def test_takes_frames_of_pandas():
    pd = pytest.importorskip("pandas")
    draw = random.Random(3)
    for _ in range(30):
        size = draw.randrange(1, 60)
        frame = pd.DataFrame({
            "text": pd.Series([draw.choice(["a", "B", "ab", None]) for _ in range(size)], dtype="object"),
            "whole": pd.Series([draw.choice([1, -1, 7, None]) for _ in range(size)], dtype="Int64"),
            "float": [draw.choice([1.0, float("nan"), -2.5]) for _ in range(size)],
            "when": pd.to_datetime([draw.choice(["2026-01-01", "1969-12-31", None]) for _ in range(size)]),
            "kind": pd.Categorical([draw.choice("xyz") for _ in range(size)]),
            "row": range(size)})
        by = draw.sample(["text", "whole", "float", "when"], draw.randrange(1, 4))
        after = frame.sort_values(by, kind="stable", na_position="last")
        found = keyswap.check_rows(frame, after, by=by, stable=True)
        assert found, found.text
        if size > 1:
            torn = after.assign(row=after["row"].to_numpy()[::-1])
            assert not keyswap.check_rows(frame, torn, by=by)


class Capsuled:
    """A table of another library, which gives a capsule."""

    def __init__(self, columns):
        self.columns = columns

    def __arrow_c_stream__(self, requested_schema=None):
        address, stream = _arrow.stream_of(self.columns, "columns")
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        self.stream = stream
        return make(address, b"arrow_array_stream", None)


def test_takes_what_gives_a_stream():
    assert keyswap.check_rows(Capsuled(BEFORE), Capsuled(AFTER), by="region,amount:desc")


def test_everything_is_released():
    for after in (AFTER, dict(AFTER, more=[1, 2, 3, 4])):
        try:
            keyswap.check_rows(BEFORE, after, by="region")
        except keyswap.KeyswapError:
            pass
    with pytest.raises(keyswap.KeyswapError):
        keyswap.check_rows(BEFORE, AFTER, by="no_such_column")
    gc.collect()
    assert not _arrow._alive


@pytest.mark.parametrize("after, by, message", [
    (AFTER, "amonut", "did you mean 'amount'"),
    ({"region": ["N"], "amount": [1, 2]}, "region", "has columns of 1 and 2 rows"),
    ({"region": ["N", 1]}, "region", "has items of the kinds int, str"),
    ({"z": np.zeros(2, complex)}, "z", "complex128, which is not a column type"),
    (7, "region", "is a int, which is not a table"),
])
def test_refuses_what_is_no_table(after, by, message):
    with pytest.raises(keyswap.KeyswapError, match=message):
        keyswap.check_rows(BEFORE, after, by=by)


def test_refuses_what_would_lose_a_column_or_an_item():
    pd = pytest.importorskip("pandas")
    twice = pd.DataFrame([[1, 2]], columns=["a", "a"])
    with pytest.raises(keyswap.KeyswapError, match="before: has two columns 'a'"):
        keyswap.check_rows(twice, twice, by="a")
    masked = {"a": np.ma.array([1, 2], mask=[False, True])}
    with pytest.raises(keyswap.KeyswapError, match="has masked items"):
        keyswap.check_rows(masked, masked, by="a")


def test_orders_times_with_a_zone_as_instants():
    pd = pytest.importorskip("pandas")
    instants = pd.Series(pd.to_datetime(["2023-10-29 00:30", "2023-10-29 01:15"])).dt.tz_localize("UTC")
    in_berlin = instants.dt.tz_convert("Europe/Berlin")  # 02:30 summer time, then 02:15
    assert keyswap.check_rows({"t": in_berlin}, {"t": in_berlin}, by="t")
    assert keyswap.check_rows({"t": in_berlin.tolist()}, {"t": in_berlin.tolist()}, by="t")
    assert not keyswap.check_rows(None, {"t": in_berlin[::-1]}, by="t")
    with pytest.raises(keyswap.KeyswapError, match="with a zone and without"):
        keyswap.check_rows(None, {"t": [in_berlin[0], datetime.datetime(2023, 1, 1)]}, by="t")


def test_keeps_nanoseconds_of_pandas():
    pd = pytest.importorskip("pandas")
    times = pd.Series([pd.Timestamp(5), pd.Timestamp(3)], dtype=object)
    assert not keyswap.check_rows(None, {"t": times}, by="t")


def refused(columns, problem):
    with pytest.raises(keyswap.KeyswapError, match=problem):
        keyswap.check_rows(columns, columns, by="a")


@pytest.mark.parametrize("dtype", ["M8[us]", "M8[D]", "M8[h]", "M8[25s]", "M8[7D]", "M8[M]"])
def test_times_count_in_their_unit_and_byte_order(dtype):
    for order in "<>":
        times = np.array([5, 3, "NaT"], order + dtype)
        seconds = {"a": times.astype("M8[s]")} if dtype[3:-1] in ("h", "25s") else {"a": times.astype(dtype.replace("7", ""))}
        assert keyswap.check_rows({"a": times}, {"a": np.sort(times)}, by="a", stable=True)
        assert keyswap.check_rows({"a": times}, {"a": np.sort(seconds["a"])}, by="a")
        assert not keyswap.check_rows({"a": times}, seconds, by="a").sorted


def test_refuses_times_that_would_be_others():
    refused({"a": np.array([5, 3], "M8[ps]")}, "has the type datetime64\\[ps\\]")
    refused({"a": np.array([2**61, 3], "M8[h]")}, "too far from 1970")
    refused({"a": np.array([2**33, 3], "M8[D]")}, "too far from 1970")


def test_refuses_numbers_that_a_float_rounds():
    refused({"a": [1.5, 2**53 + 1]}, "has 9007199254740993, which a float rounds")
    refused({"a": [1.5, np.int64(2**53 + 1)]}, "has 9007199254740993")
    refused({"a": [fractions.Fraction(1, 3)]}, "has 1/3")
    refused({"a": [10**400, 1.5]}, "no float64 holds")
    assert keyswap.check_rows({"a": [2**53, 1.5, None]}, {"a": [1.5, 2**53, None]}, by="a")


def test_nan_is_a_missing_value_except_among_numbers():
    nan = float("nan")
    assert keyswap.check_rows({"a": ["x", nan, "b"]}, {"a": ["b", "x", None]}, by="a")
    assert keyswap.check_rows({"a": [decimal.Decimal("nan"), decimal.Decimal(1)]}, {"a": [decimal.Decimal(1), None]}, by="a")
    assert not keyswap.check_rows({"a": [nan, 1.0]}, {"a": [1.0, None]}, by="a")


def test_refuses_decimals_without_a_place():
    refused({"a": [decimal.Decimal("inf")]}, "infinite decimals")
    refused({"a": [decimal.Decimal("1e-100")]}, "100 digits after the point")


def test_nullable_columns_and_categoricals_of_pandas():
    pd = pytest.importorskip("pandas")
    flags = pd.DataFrame({"a": pd.array([True, None, False], "boolean")})
    assert keyswap.check_rows(flags, flags.sort_values("a"), by="a")
    sizes = pd.DataFrame({"a": pd.Categorical(["low", "high"], ["low", "high"], ordered=True), "b": [1, 2]})
    for by in ("a", '"a":desc', "b,1"):
        with pytest.raises(keyswap.KeyswapError, match="is sorted by categories"):
            keyswap.check_rows(sizes, sizes.sort_values("a"), by=by)
    assert keyswap.check_rows(sizes, sizes, by="b")
    assert keyswap.check_rows(sizes.assign(a=sizes.a.cat.codes), sizes.assign(a=sizes.a.cat.codes), by="a")
