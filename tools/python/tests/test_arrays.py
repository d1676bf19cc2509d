"""check, sort, plan and generate on arrays of every kind."""

import array
import ctypes
import os
import random
import threading

import pytest

import keyswap

np = pytest.importorskip("numpy")


def test_finds_what_is_wrong():
    found = keyswap.check([5, 5, 7], [5, 7, 7])
    assert not found
    assert found.sorted and not found.permutation
    assert "The output lacks 1 key of value 5" in found.text
    assert found.lost.keys == 1 and found.values[0].key == "5"
    assert "lacks 1 key" in found._repr_html_()
    assert found.to_dict()["holds"] is False


def test_what_numpy_sorts_is_sorted():
    rng = np.random.default_rng(1)
    for name in ("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8"):
        keys = rng.integers(0, 256, 3000).astype("u1").view("u1").repeat(np.dtype(name).itemsize).view(name)[:2000]
        with np.errstate(invalid="ignore"):
            # Its default sort for AVX-512 changes the bits of NaNs and zeros, which is reported.
            after = np.sort(keys, kind="stable")
            assert keyswap.check(keys, after), name
            assert not keyswap.check(keys, after[::-1]), name
    floats = np.array([1.0, -0.0, 0.0, np.nan, -np.nan, -np.inf])
    assert keyswap.check(floats, np.sort(floats, kind="stable"))
    assert not keyswap.check(floats, np.sort(floats, kind="stable"), nan_order="total")


def test_arrays_are_read_where_they_lie():
    keys = np.arange(10, dtype="i4")
    held = keyswap._arrays.keys_of(keys, "keys")
    assert held.struct.data == keys.ctypes.data
    read_only = np.arange(10, dtype="i4")
    read_only.flags.writeable = False
    assert keyswap._arrays.keys_of(read_only, "keys").struct.data == read_only.ctypes.data
    column = array.array("d", [1.0, 2.0])
    assert keyswap._arrays.keys_of(column, "keys").struct.data == column.buffer_info()[0]


def test_takes_other_arrays():
    assert keyswap.check(array.array("h", [2, -1]), array.array("h", [-1, 2]))
    assert keyswap.check((ctypes.c_uint64 * 2)(7, 3), (ctypes.c_uint64 * 2)(3, 7))
    assert keyswap.check(b"banana", bytes(sorted(b"banana")))
    assert keyswap.check(memoryview(b"ba"), b"ab")
    assert keyswap.check([2**63, 1], [1, 2**63])
    assert keyswap.check([], [])
    strided = np.arange(10)[::-2]
    assert keyswap.check(strided, np.sort(strided))
    assert keyswap.check(strided.astype(">i8"), np.sort(strided))
    assert keyswap.check(np.array([b"b", b"a"], "S16"), np.array([b"a", b"b"], "S16"))
    assert keyswap.check(b"\x80\x3f\x00\x00", b"\x00\x00\x80\x3f", type="bf16")


def test_takes_columns_of_pandas():
    pd = pytest.importorskip("pandas")
    column = pd.Series([3, 1, 2])
    assert keyswap.check(column, column.sort_values())
    strided = pd.DataFrame(np.arange(6).reshape(3, 2), columns=["a", "b"])["a"]
    assert keyswap.check(strided, strided)
    with pytest.raises(keyswap.KeyswapError, match="check_rows"):
        keyswap.check(pd.Series(["b", None]), pd.Series([None, "b"]))


class _NoArray:
    def __array__(self):
        raise RuntimeError("requires grad")


@pytest.mark.parametrize("given, message", [
    (np.zeros((2, 2)), "has 2 dimensions"),
    (np.zeros(2, [("a", "i8"), ("b", "i8")]), "is not a key type"),
    (np.ma.array([1, 2], mask=[False, True]), "has masked keys"),
    (_NoArray(), "after: does not become an array: requires grad"),
    (np.array(["2026-01-01"], "M8[D]"), "view\\('int64'\\)"),
    (np.array([1 + 2j]), "is not a key type"),
    ([None, 1], "has None, which is not a number"),
    ("text", "is a str, which does not hold keys"),
    (object(), "is a object, which does not hold keys"),
])
def test_refuses_what_is_no_array_of_keys(given, message):
    with pytest.raises(keyswap.KeyswapError, match=message):
        keyswap.check([1], given)


@pytest.mark.parametrize("given", [np.array([1, 2], "i4"), array.array("i", [1, 2])])
def test_refuses_a_type_of_another_width(given):
    with pytest.raises(keyswap.KeyswapError, match="before: has items of 4 bytes, and u64 keys have 8"):
        keyswap.check(given, given, type="u64")


def test_refuses_a_type_for_keys_of_another_byte_order():
    keys = (ctypes.c_int32.__ctype_be__ * 2)(1, 256)
    with pytest.raises(keyswap.KeyswapError, match="format '>i'"):
        keyswap.check(keys, keys, type="i32")


@pytest.mark.parametrize("argument, call", [
    ("threads", lambda: keyswap.check([1], [1], threads=-1)),
    ("threads", lambda: keyswap.check([1], [1], threads=1 << 32)),
    ("threads", lambda: keyswap.check_order([1], threads="2")),
    ("gpu_count", lambda: keyswap.plan([1], gpu_count=0)),
    ("gpu_count", lambda: keyswap.plan([1], gpu_count=(1 << 32) + 4)),
    ("count", lambda: keyswap.generate(2.5)),
    ("seed", lambda: keyswap.generate(1, seed=1 << 64)),
    ("seed", lambda: keyswap.summarize([1], seed=-1)),
    ("algorithm", lambda: keyswap.plan([1], algorithm=None)),
    ("distribution", lambda: keyswap.generate(1, distribution=5)),
    ("descending", lambda: keyswap.sort([1], descending="no")),
    ("after", lambda: keyswap.check(np.zeros(1, "i4"), np.zeros(1, "i8"))),
    ("by", lambda: keyswap.check_rows({"a": [1]}, {"a": [1]}, by=5)),
    ("distribution", lambda: keyswap.generate(1, distribution="\ud800")),
    ("distribution", lambda: keyswap.generate(1, distribution="zipf\0")),
    ("type", lambda: keyswap.check([1], [1], type="u32\0")),
    ("platform", lambda: keyswap.simulate(keys=5, platform="\ud800")),
    ("file", lambda: keyswap.verify("a\0b")),
    ("before['a\\x00b']", lambda: keyswap.check_rows({"a\0b": [1]}, {"a": [1]}, by="a")),
    ("before['a\\ud800']", lambda: keyswap.check_rows({"a\ud800": [1]}, {"a": [1]}, by="a")),
    ("before['a']", lambda: keyswap.check_rows({"a": ["\ud800"]}, {"a": ["b"]}, by="a")),
    ("before and after", lambda: keyswap.compare(keyswap.summarize([1]), keyswap.summarize([1], seed=2))),
])
def test_names_the_argument_that_is_wrong(argument, call):
    with pytest.raises(keyswap.KeyswapError) as caught:
        call()
    assert caught.value.subject == argument


def test_a_platform_file_may_have_a_name_that_is_not_utf8(tmp_path):
    name = os.fsdecode(os.fsencode(tmp_path) + b"/p\xff.toml")
    with open(name, "w", encoding="utf-8") as file:
        file.write("name = 1\n")
    with pytest.raises(keyswap.KeyswapError, match="p.*toml:1: platform: \"name\""):
        keyswap.simulate(keys=5, platform=name)


def test_sorts_an_empty_array_in_place():
    keys = array.array("q")  # its address is odd
    assert len(keyswap.sort(keys, out=keys)) == 0


def test_errors_have_problem_and_remedy():
    with pytest.raises(keyswap.KeyswapError) as caught:
        keyswap.check([1], [1], nan_order="lats")
    assert caught.value.subject == "nan_order"
    assert caught.value.problem == "'lats' is not known"
    assert caught.value.remedy == "known: total, first, last"


def test_checks_values_and_stability():
    keys = np.array([2, 1, 2, 1])
    assert keyswap.check(keys, np.sort(keys), values=np.argsort(keys, kind="stable"), stable=True)
    unstable = keyswap.check(keys, np.sort(keys), values=[3, 1, 0, 2], stable=True)
    assert not unstable and unstable.pairs.paired and not unstable.pairs.stable
    assert not keyswap.check(keys, np.sort(keys), values=[0, 1, 2, 3])


def test_checks_the_order_alone():
    assert keyswap.check_order([1, 2, 2])
    assert keyswap.check_order([2, 1], descending=True)
    assert keyswap.check_order([1, 3, 2]).order.first_unsorted == 2


def test_asserts():
    keyswap.assert_sorted([2, 1], [1, 2])
    with pytest.raises(AssertionError, match="The output lacks 1 key"):
        keyswap.assert_sorted([2, 1], [2, 2])


def test_sorts_into_new_arrays_and_in_place():
    keys = keyswap.generate(5000, "f64", "zipf", seed=3)
    before = keys.copy()
    made = keyswap.sort(keys)
    assert (keys == before).all() and keyswap.check(keys, made)
    made, order = keyswap.sort(keys, np.arange(5000))
    assert keyswap.check(keys, made, values=order, stable=True)
    assert keyswap.sort(keys, out=keys) is keys
    assert keyswap.check(before, keys)
    target = np.empty_like(before)
    assert keyswap.sort(before, out=target, descending=True, algorithm="simd-merge") is target
    assert keyswap.check(before, target, descending=True)
    with_nans = np.array([np.nan, 1.0, -np.nan, -1.0])
    assert keyswap.check(with_nans, keyswap.sort(with_nans))
    assert keyswap.check(with_nans, keyswap.sort(with_nans, nan_order="first"), nan_order="first")
    assert list(keyswap.sort([3, 1, 2])) == [1, 2, 3]


@pytest.mark.parametrize("keys", [np.arange(9)[::-2], np.arange(9)[::-1].astype(">i4"), [3, 1, 2], range(3)])
def test_refuses_to_sort_in_place_what_it_would_copy(keys):
    before = list(keys)
    with pytest.raises(keyswap.KeyswapError) as caught:
        keyswap.sort(keys, out=keys)
    assert caught.value.subject == "out" and list(keys) == before
    contiguous = np.arange(len(before))[::-1].copy()
    with pytest.raises(keyswap.KeyswapError) as caught:
        keyswap.sort(contiguous, keys, out=contiguous)
    assert caught.value.subject == "values"


def test_sorts_a_column_of_pandas_in_place():
    pd = pytest.importorskip("pandas")
    column = pd.Series([3, 1, 2])
    assert keyswap.sort(column, out=column) is column
    assert column.tolist() == [1, 2, 3]


def test_refuses_sorts_that_it_does_not_have():
    with pytest.raises(keyswap.KeyswapError, match="widen them to u32"):
        keyswap.sort(np.zeros(2, "u2"))
    with pytest.raises(keyswap.KeyswapError, match="give a writable array of 2 i64 keys"):
        keyswap.sort([1, 2], out=np.zeros(3, "i8"))
    with pytest.raises(keyswap.KeyswapError, match="'quick' is not known"):
        keyswap.sort([1, 2], algorithm="quick")


def test_generates_the_keys_of_the_command_line():
    assert (keyswap.generate(100, seed=2) == keyswap.generate(100, seed=2)).all()
    assert (keyswap.generate(100, seed=2) != keyswap.generate(100, seed=3)).any()
    assert keyswap.generate(10, np.float32).dtype == np.float32
    assert (keyswap.generate(4, "u32", "zero") == 0).all()
    with pytest.raises(keyswap.KeyswapError, match="did you mean 'zipf'"):
        keyswap.generate(1, distribution="zpif")


def test_plans():
    plan = keyswap.plan(np.full(1000, 7, "u4"), gpu_count=4)
    assert len(plan.plan.gpus) == 4 and plan.config.gpu_count == 4
    assert plan.plan.gpus.column("gpu").tolist() == [0, 1, 2, 3]
    assert plan.plan.finding in plan._repr_html_()


def test_progress_can_end_the_work():
    keys = np.zeros(1 << 22, "u4")
    seen = []
    assert keyswap.check(keys, keys, progress=lambda done, total: seen.append((done, total)))
    assert seen and all(done <= total or total == 0 for done, total in seen)
    with pytest.raises(keyswap.Cancelled):
        keyswap.check(keys, keys, progress=lambda done, total: True)

    def interrupted(_done, _total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        keyswap.check(keys, keys, progress=interrupted)


def test_progress_can_end_a_sort():
    keys = np.arange(1 << 20, dtype="u4")[::-1].copy()
    calls = []
    assert (keyswap.sort(keys, progress=lambda done, total: calls.append((done, total))) == np.sort(keys)).all()
    assert calls
    for algorithm in ("buffered-radix", "simd-merge"):
        with pytest.raises(keyswap.Cancelled):
            keyswap.sort(keys, algorithm=algorithm, progress=lambda done, total: True)


def test_ctrl_c_ends_a_sort():
    import _thread
    keys = np.random.default_rng(1).integers(0, 1 << 63, 1 << 22, dtype="u8")
    timer = threading.Timer(0.05, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(1000):
            keyswap.sort(keys)
    timer.join()


def test_ctrl_c_ends_a_check():
    import _thread
    keys = np.zeros(1 << 26, "u4")
    keys[::2] = 1
    timer = threading.Timer(0.05, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(100):
            keyswap.check(keys, keys)
    timer.join()


def test_agrees_with_numpy_on_faults_at_random():
    draw = random.Random(5)
    for _ in range(300):
        keys = np.array([draw.choice([0, 1, 2, 255, 256, -1]) for _ in range(draw.randrange(1, 40))])
        after = np.sort(keys)
        if draw.random() < 0.7:
            after[draw.randrange(len(after))] = draw.choice([0, 1, 2, 255, 256, -1])
        assert bool(keyswap.check(keys, after)) == bool((after == np.sort(keys)).all())


def test_refuses_numbers_that_a_float_rounds():
    for given, type_ in (([1.5, 2**53 + 1], None), ([0.5, 2**24 + 1], "f32")):
        with pytest.raises(keyswap.KeyswapError, match=f"has {given[1]}, which a float rounds"):
            keyswap.check(given, given, type=type_)
    assert keyswap.check([2**53, 0.1], [0.1, 2**53])


def test_takes_nullable_columns_without_missing_keys():
    pd = pytest.importorskip("pandas")
    assert keyswap.check(pd.Series([3, 1], dtype="Int64"), pd.Series([1, 3], dtype="Int64"))
    with pytest.raises(keyswap.KeyswapError, match="has missing keys"):
        keyswap.check_order(pd.Series([1, None], dtype="Int64"))
