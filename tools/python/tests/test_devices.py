"""summarize and compare; arrays on GPUs where the library and the machine have them."""

import ctypes
import pickle

import pytest

import keyswap

np = pytest.importorskip("numpy")


def test_summaries_say_whether_an_array_is_a_sorted_permutation():
    keys = np.random.default_rng(1).integers(0, 50, 1000)
    before = keyswap.summarize(keys)
    assert keyswap.compare(before, keyswap.summarize(np.sort(keys)))
    unsorted = keyswap.compare(before, keyswap.summarize(keys))
    assert not unsorted and unsorted.same_elements and "out of order" in unsorted.text
    assert unsorted.violations == int((np.diff(keys) < 0).sum())
    other = np.sort(keys)
    other[0] -= 1
    assert not keyswap.compare(before, keyswap.summarize(other))
    assert keyswap.compare(None, keyswap.summarize(other))


def test_parts_are_one_sequence():
    keys = np.arange(1000, dtype="f8")
    whole = keyswap.summarize(keys)
    assert keyswap.summarize(keys[:300], keys[300:300], keys[300:]) == whole
    joined = keyswap.summarize(keys[:300]) + keyswap.summarize(keys[300:])
    assert joined == whole and pickle.loads(pickle.dumps(joined)) == whole
    assert (keyswap.summarize(keys[300:]) + keyswap.summarize(keys[:300])).first_violation == 699
    assert keyswap.summarize() == keyswap.summarize([])


def test_values_travel_with_their_keys():
    keys, values = np.array([2, 1, 2], "i4"), np.array([7, 8, 9], "u8")
    before = keyswap.summarize(keys, values=values)
    assert keyswap.compare(before, keyswap.summarize(np.sort(keys), values=np.array([8, 9, 7], "u8")))
    assert not keyswap.compare(before, keyswap.summarize(np.sort(keys), values=np.array([7, 8, 9], "u8")))
    with pytest.raises(keyswap.KeyswapError, match="not as many"):
        keyswap.summarize(keys, values=values[:2])
    with pytest.raises(keyswap.KeyswapError, match="integers of 32 or 64 bits"):
        keyswap.summarize(keys, values=np.zeros(3))


class _Interface:  # what CuPy, PyTorch and Numba have
    def __init__(self, address, count, typestr, strides=None):
        self.__cuda_array_interface__ = {"shape": (count,), "typestr": typestr, "data": (address, False), "version": 3,
                                         "strides": strides}


def test_arrays_that_cannot_be_read_are_refused():
    for keys, problem in ((_Interface(64, 3, ">i4"), "not a key type"), (_Interface(64, 3, "|b1"), "not a key type"),
                          (_Interface(64, 3, "<i4", (8,)), "not contiguous")):
        with pytest.raises(keyswap.KeyswapError, match=problem):
            keyswap.check_order(keys)
    with pytest.raises(keyswap.KeyswapError, match="summarize"):
        keyswap.check(_Interface(64, 1, "<i4"), [1], values=[0])
    with pytest.raises(keyswap.KeyswapError, match="lies on a GPU"):
        keyswap.sort(_Interface(64, 1, "<i4"))
    with pytest.raises(keyswap.KeyswapError):  # no GPU, no CUDA, or no such memory
        keyswap.check_order(_Interface(4096, 3, "<i4"))


class _Late(_Interface):
    """What JAX has: an array whose address is known before its keys are there."""

    is_ready = False

    def block_until_ready(self):
        self.is_ready = True
        return self


def test_arrays_that_are_not_there_yet_are_waited_for():
    late = _Late(4096, 3, "<i4")
    keyswap._devices.keys_of(late, "keys")
    assert late.is_ready


class _DLPack:
    """A tensor of DLPack, which JAX and others hand out: an array of the host, or an address on a GPU."""

    def __init__(self, address, count, code, bits, device):
        self._shape = (ctypes.c_int64 * 1)(count)
        self._tensor = keyswap._devices._DLTensor(address, device[0], device[1], 1, code, bits, 1, self._shape, None, 0)
        self._device = device

    def __dlpack_device__(self):
        return self._device

    def __dlpack__(self):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self._tensor), b"dltensor", None)


def test_dlpack_is_read():
    keys = np.array([1, 5, 9], "i8")
    held = keyswap._devices._from_dlpack(_DLPack(keys.ctypes.data, 3, 0, 64, (3, 0)), "keys", None)
    assert (held.address, held.count, held.type, held.device) == (keys.ctypes.data, 3, "i64", -1)
    on_gpu = keyswap._devices.keys_of(_DLPack(4096, 3, 2, 32, (2, 1)), "keys")
    assert (on_gpu.address, on_gpu.count, on_gpu.type, on_gpu.device) == (4096, 3, "f32", 1)
    with pytest.raises(keyswap.KeyswapError, match="type code 4"):
        keyswap.check_order(_DLPack(4096, 3, 4, 16, (2, 1)))


def _cuda():
    """The CUDA runtime if there is one with a GPU."""
    for name in ("libcudart.so", "libcudart.so.13", "libcudart.so.12"):
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        count = ctypes.c_int()
        if library.cudaGetDeviceCount(ctypes.byref(count)) == 0 and count.value > 0:
            return library
    return None


def test_arrays_on_a_gpu_are_read_where_they_lie():
    cuda = _cuda()
    if cuda is None:
        pytest.skip("there is no GPU")

    def on_gpu(keys):
        address = ctypes.c_void_p()
        assert cuda.cudaMalloc(ctypes.byref(address), ctypes.c_size_t(keys.nbytes)) == 0
        assert cuda.cudaMemcpy(address, ctypes.c_void_p(keys.ctypes.data), ctypes.c_size_t(keys.nbytes), 1) == 0
        return _Interface(address.value, len(keys), keys.dtype.str)

    keys = np.random.default_rng(2).normal(size=100_000)
    try:
        before = on_gpu(keys)
        assert keyswap.check(before, on_gpu(np.sort(keys)))
    except keyswap.KeyswapError as error:
        pytest.skip(error.problem)  # a library without CUDA
    assert keyswap.check(before, np.sort(keys)), "one side in host memory"
    found = keyswap.check(before, on_gpu(keys[::-1].copy()))
    assert not found and found.same_elements and found.violations > 0
    assert keyswap.summarize(before) == keyswap.summarize(keys)
    assert keyswap.check_order(_DLPack(on_gpu(np.sort(keys)).__cuda_array_interface__["data"][0], len(keys), 2, 64, (2, 0)))


def test_compares_summaries_alone():
    made = keyswap.summarize(np.arange(3, dtype="u4"))
    for pair in ((made, 5), (None, None), ("x", made)):
        with pytest.raises(keyswap.KeyswapError, match="which is not a summary"):
            keyswap.compare(*pair)
