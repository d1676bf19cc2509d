"""For tests of sorts: inputs that broke real sorts, strategies for Hypothesis, an assertion that says why.

    from hypothesis import given
    from keyswap.testing import assert_sorted_permutation, hard_keys, zoo

    @given(hard_keys("f32"))
    def test_sorts_hard_keys(keys):
        assert_sorted_permutation(keys, my_sort(keys))

    @pytest.mark.parametrize("case", zoo("f32"), ids=str)
    def test_sorts_the_zoo(case):
        assert_sorted_permutation(case.keys, my_sort(case.keys))

Keys are arrays of NumPy if it is installed, else of Python's `array`. The zoo needs neither pytest nor Hypothesis.
"""

import json
import math
from typing import Any, List, NamedTuple, Sequence

from . import _arrays, _library, check

__all__ = ["ZooCase", "assert_sorted_permutation", "hard_keys", "zoo"]

_SHOWN = 24  # keys of an input that fit a line or two


class ZooCase(NamedTuple):
    """An input on which a real sort failed."""

    name: str
    source: str  # project and number of the report: "cub 43"
    keys: Any  # [n]

    def __str__(self) -> str:
        return self.name


def zoo(type: Any = "u32") -> List[ZooCase]:
    """Inputs that broke real sorts, as keys of a type of 32 or 64 bits."""
    number = _arrays.type_number(type)
    _, _, text = _library.take_result("keyswap_zoo", number)
    cases = []
    for case in json.loads(text)["cases"]:
        keys = _arrays.new_array(case["keys"], _arrays.type_name(number))
        held = _arrays.keys_of(keys, "keys", copy=False)
        _library.raise_error(_library.library.keyswap_zoo_keys(number, case["name"].encode(), held.struct.data, len(held)))
        cases.append(ZooCase(case["name"], case["source"], keys))
    return cases


def assert_sorted_permutation(before: Any, after: Any, **options: Any) -> None:
    """Raises AssertionError unless `after` is `before` in order: what is wrong, and what may have caused it.

    options -- those of keyswap.check(): descending, stable, values, nan_order, ...
    """
    __tracebackhide__ = True  # pylint: disable=unused-variable
    found = check(before, after, **options)
    if found:
        return
    message = found.text
    if len(before) <= _SHOWN and len(after) <= _SHOWN:
        message += f"\nbefore: {_shown(before)}\nafter:  {_shown(after)}"
    raise AssertionError(message)


def _shown(keys: Any) -> str:
    items = keys.tolist() if hasattr(keys, "tolist") else list(keys)
    return "[" + ", ".join(repr(item) for item in items) + "]"


def _special_keys(type_: str) -> List[Any]:
    """Values at which keys, digits and comparisons change, the simplest first."""
    kind, bits = type_[0], int(type_.lstrip("uifb"))
    if kind == "f":
        largest, least_normal, least = {16: (65504.0, 2.0**-14, 2.0**-24),
                                        32: ((2 - 2.0**-23) * 2.0**127, 2.0**-126, 2.0**-149),
                                        64: (1.7976931348623157e308, 2.0**-1022, 5e-324)}[bits]
        keys: List[Any] = [0.0, 1.0, -1.0, -0.0]
        for key in (largest, math.inf, least_normal, least, math.nan):
            keys += [key, -key]
        return keys
    most = (1 << (bits - 1)) - 1 if kind == "i" else (1 << bits) - 1
    keys = [0, 1]
    for bit in range(8, bits, 8):  # neighbours of the borders of digits
        keys += [key for key in ((1 << bit) - 1, 1 << bit) if key <= most]
    keys += [most - 1, most]
    if kind == "i":
        keys += [-1, -(1 << (bits - 1))]
    return keys


def _array_of(keys: Sequence[Any], type_: str) -> Any:
    made = _arrays.new_array(len(keys), type_)
    for place, key in enumerate(keys):
        made[place] = key
    return made


def _repeated(few: List[Any], count: int, distinct: bool, type_: str) -> List[Any]:
    """So many keys out of a few, which fall by 1 with each repetition if they are to be distinct."""
    keys = [few[place * 7 % len(few)] for place in range(count)]
    if not distinct:
        return keys
    if type_[0] == "f":
        least = -65504.0 if type_ == "f16" else -math.inf  # below, NumPy warns of an overflow
        return [key if math.isinf(key) else max(key - float(place // len(few)), least) for place, key in enumerate(keys)]
    least = -(1 << (int(type_[1:]) - 1)) if type_[0] == "i" else 0
    return [max(least, key - place // len(few)) for place, key in enumerate(keys)]


# Faults sit at the borders of tiles: warps, blocks, merge networks, and the radix steps of CUB and of Keyswap
# (kernels/primitives/steps/look_back.cuh: 384 threads with 12, 15, 20 or 23 keys each).
_TILES = (32, 64, 256, 1024, 2048, 4096, 4608, 5760, 7680, 8832)


def hard_keys(type: Any = "u32", max_size: int = 5000) -> Any:
    """A Hypothesis strategy: keys on which sorts go wrong, [up to max_size].

    Ties, few distinct values in long rows, limits and special floats, neighbours of the borders of digits and of
    tiles, sorted and reversed input. Failures shrink to few and small keys.

    type -- "u32", "f64", ... or NumPy's dtype; integers and floats of 8 to 64 bits
    """
    from hypothesis import strategies as st  # pylint: disable=import-outside-toplevel

    type_ = _arrays.type_name(_arrays.type_number(type))
    if type_ in ("bf16", "b128", "u128", "i128"):
        raise _library.KeyswapError("type", f"{type_} has no strategy", "give integers or floats of 8 to 64 bits")
    bits = int(type_[1:])
    if type_[0] == "f":
        any_key = st.floats(width=bits)
        small = st.integers(0, 10).map(float)
    else:
        least = -(1 << (bits - 1)) if type_[0] == "i" else 0
        any_key = st.integers(least, least + (1 << bits) - 1)
        small = st.integers(0, 10)
    key = st.one_of(small, st.sampled_from(_special_keys(type_)), any_key)

    def expanded(rows: "list[tuple[Any, int]]") -> List[Any]:
        keys: List[Any] = []
        for value, count in rows:
            keys += [value] * min(count, max_size - len(keys))
        return keys

    def ordered(keys: List[Any]) -> List[Any]:
        return sorted(keys, key=lambda each: (math.isnan(each), each) if isinstance(each, float) else (False, each))

    plain = st.lists(key, max_size=max_size)
    rows = st.lists(st.tuples(key, st.integers(1, max(1, max_size // 10)))).map(expanded)
    few = st.lists(key, min_size=1, max_size=3).flatmap(lambda some: st.lists(st.sampled_from(some), max_size=max_size))
    tiles = [tile + beyond for tile in _TILES for beyond in (-1, 0, 1) if tile + beyond <= max_size] or [max_size]

    def repeated(few: List[Any], size: int, at_a_tile: bool, distinct: bool) -> List[Any]:
        snaps = at_a_tile and size >= tiles[0] // 2  # small ones stay as they are, so that they shrink further
        return _repeated(few, tiles[size % len(tiles)] if snaps else size, distinct, type_)

    many = st.builds(repeated, st.lists(key, min_size=1, max_size=4), st.integers(0, max_size), st.booleans(), st.booleans())
    shapes = st.one_of(plain, few, rows, plain.map(ordered), plain.map(lambda keys: ordered(keys)[::-1]), many)

    def keys_of(keys: List[Any]) -> Any:  # by this name failing examples are shown
        return _array_of(keys, type_)

    return shapes.map(keys_of)
