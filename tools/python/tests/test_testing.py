"""keyswap.testing: faults that are planted in sorts are found, and shrink to the fewest keys that show them."""

import pytest

import keyswap
from keyswap.testing import assert_sorted_permutation, hard_keys, zoo

np = pytest.importorskip("numpy")
hypothesis = pytest.importorskip("hypothesis")
from hypothesis import given, settings  # noqa: E402

TYPES = ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f16", "f32", "f64"]


def shrunk(type_, sort, max_size=5000):
    """The smallest keys that Hypothesis finds on which a sort fails."""
    smallest = []

    @settings(derandomize=True, database=None, max_examples=1000, deadline=None)
    @given(hard_keys(type_, max_size))
    def run(keys):
        try:
            assert_sorted_permutation(keys, sort(keys))
        except AssertionError as error:
            smallest[:] = [keys, str(error)]
            raise

    with pytest.raises(AssertionError):
        run()
    return smallest


def loses_a_third_equal_key(keys):
    made = np.sort(keys)
    for place in range(2, len(made)):
        if made[place] == made[place - 2]:
            made[place - 1] = 0 if made[place] else 1
    return made


def ignores_the_sign(keys):
    return keys[np.argsort(keys.view("u4"), kind="stable")]


def reads_three_digits(keys):
    return keys[np.argsort(keys & 0xFFFFFF, kind="stable")]


def puts_nans_first(keys):
    return np.concatenate([keys[np.isnan(keys)], np.sort(keys[~np.isnan(keys)])])


def forgets_what_follows_a_tile(keys):
    return np.concatenate([np.sort(keys[:1024]), keys[1024:]])


def returns_each_key_once(keys):
    return np.unique(keys)


@pytest.mark.parametrize("type_, sort, count, cause", [
    ("i32", loses_a_third_equal_key, 3, "lacks"),
    ("i32", ignores_the_sign, 2, r"before: \[0, -1\]"),
    ("f32", ignores_the_sign, 2, r"before: \[0.0, -1.0\]"),
    ("u32", reads_three_digits, 2, r"after:  \[16777216, [01]\]"),
    ("f64", puts_nans_first, 2, "NaN|nan"),
    ("u64", returns_each_key_once, 2, "lacks 1 key|fewer"),
])
def test_planted_faults_shrink_to_the_fewest_keys(type_, sort, count, cause):
    keys, message = shrunk(type_, sort)
    assert len(keys) == count, (keys, message)
    import re
    assert re.search(cause, message), message


def test_tiles_and_their_neighbours_are_drawn():
    drawn = set()

    @settings(derandomize=True, database=None, max_examples=4000, deadline=None)
    @given(hard_keys("u8", 9000))
    def run(keys):
        drawn.add(len(keys))

    run()
    tiles = [32, 64, 256, 1024, 2048, 4096] + [384 * keys for keys in (12, 15, 20, 23)]  # as in look_back.cuh
    wanted = {tile + beyond for tile in tiles for beyond in (-1, 0, 1)}
    assert wanted <= drawn, sorted(wanted - drawn)


def test_faults_of_large_inputs_are_found():
    keys, message = shrunk("u32", forgets_what_follows_a_tile)
    assert 1025 <= len(keys) <= 1026, message


@pytest.mark.parametrize("type_", TYPES)
def test_right_sorts_pass(type_):
    @settings(derandomize=True, database=None, max_examples=60, deadline=None)
    @given(hard_keys(type_, 300))
    def run(keys):
        assert_sorted_permutation(keys, np.sort(keys, kind="stable"), values=np.argsort(keys, kind="stable"), stable=True)

    run()


@pytest.mark.parametrize("type_", ["u32", "u64", "i32", "i64", "f32", "f64"])
def test_own_sort_passes(type_):
    @settings(derandomize=True, database=None, max_examples=60, deadline=None)
    @given(hard_keys(type_, 300))
    def run(keys):
        assert_sorted_permutation(keys, keyswap.sort(keys))

    run()


@pytest.mark.parametrize("case", zoo("f32"), ids=str)
def test_zoo_of_floats(case):
    assert_sorted_permutation(case.keys, np.sort(case.keys, kind="stable"))


@pytest.mark.keyswap_zoo("u32", "i64")
def test_zoo_by_the_plugin(zoo_case):
    assert_sorted_permutation(zoo_case.keys, np.sort(zoo_case.keys))


def test_zoo_finds_a_fault():
    failed = [case.name for case in zoo("i32") if not keyswap.check(case.keys, loses_a_third_equal_key(case.keys))]
    assert "AllEqual" in failed


def test_small_inputs_are_shown():
    with pytest.raises(AssertionError, match=r"before: \[2, 1\]\nafter:  \[2, 1\]"):
        assert_sorted_permutation([2, 1], [2, 1])


def test_refuses_types_without_a_strategy():
    with pytest.raises(keyswap.KeyswapError, match="b128 has no strategy"):
        hard_keys("b128")
