"""Arrays in the memory of GPUs, by __cuda_array_interface__ (CuPy, PyTorch, Numba, cuDF) and DLPack (JAX)."""

import ctypes
from ctypes import POINTER, Structure, c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p
from math import prod
from typing import Any, Optional

from . import _arrays
from ._library import ANY_DEVICE, HOST, KeyswapError

_DLPACK_CPU = (1, 3)  # host memory, and such that CUDA pinned
_DLPACK_CUDA = (2, 13)  # device memory, and managed memory
_DLPACK_KINDS = {0: "i", 1: "u", 2: "f"}


class _DLTensor(Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32),
                ("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16), ("shape", POINTER(c_int64)),
                ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)]


class DeviceKeys:
    """Keys, or values, where they lie. `owner` keeps their memory alive."""

    def __init__(self, owner: Any, device: int, address: int, count: int, type_: str) -> None:
        self.owner = owner
        self.device = device
        self.address = address
        self.count = count
        self.type = type_


def parts_of(given: Any) -> "list[Any]":
    """The shards of an array of JAX in their order, one on each device; any other array alone."""
    shards = [shard for shard in getattr(given, "addressable_shards", ()) if shard.replica_id == 0]
    if len(shards) < 2:
        return [given]
    if len(getattr(given, "shape", ())) != 1 or sum(len(shard.data) for shard in shards) != len(given):
        raise KeyswapError("keys", "lie on other hosts too, or have several dimensions",
                           "summarize() each host's shards, and join the summaries by +")
    return [shard.data for shard in sorted(shards, key=lambda shard: shard.index[0].start or 0)]


def is_on_device(given: Any) -> bool:
    """Whether an array says that it lies on a GPU."""
    if len(parts_of(given)) > 1:
        return all(is_on_device(part) for part in parts_of(given))
    if hasattr(given, "__cuda_array_interface__"):
        return True
    return hasattr(given, "__dlpack_device__") and int(given.__dlpack_device__()[0]) in _DLPACK_CUDA


def keys_of(given: Any, argument: str, type_: Any = None) -> DeviceKeys:
    """An array on a GPU, or one in host memory, which lists are copied to."""
    name = None if type_ is None else _arrays.type_name(_arrays.type_number(type_))
    if hasattr(given, "block_until_ready"):
        given.block_until_ready()  # JAX has threads that have not queued its work yet, which no device knows of
    if hasattr(given, "__cuda_array_interface__"):
        return _from_interface(given, argument, name)
    if is_on_device(given):
        return _from_dlpack(given, argument, name)
    held = _arrays.keys_of(given, argument, type_)
    return DeviceKeys(held, HOST, held.struct.data or 0, held.struct.count, held.type)


def _check_layout(argument: str, shape: Any, strides: Any, width: int) -> None:
    """Strides are in items of `width`, or None."""
    if len(shape) != 1:
        raise KeyswapError(argument, f"has {len(shape)} dimensions", "give one of them, or .ravel() it")
    if strides is not None and shape[0] > 1 and strides[0] != width:
        raise KeyswapError(argument, "is not contiguous in memory", "copy it first, as .contiguous() does")


def _from_interface(given: Any, argument: str, type_: Optional[str]) -> DeviceKeys:
    interface = given.__cuda_array_interface__
    order, descriptor = interface["typestr"][0], interface["typestr"][1:]
    if descriptor == "b1" or order == ">" or (type_ is None and descriptor not in _arrays.OF_NUMPY):
        raise KeyswapError(argument, f"has the type {interface['typestr']}, which is not a key type",
                           "give numbers of 32 or 64 bits")
    _check_layout(argument, interface["shape"], interface.get("strides"), int(descriptor[1:]))
    if interface.get("mask") is not None:
        raise KeyswapError(argument, "has a mask", "give keys without nulls")
    address, _ = interface["data"]
    own = _arrays.OF_NUMPY.get(descriptor)
    name, count = _arrays.typed(argument, own, type_, int(descriptor[1:]), interface["shape"][0])
    return DeviceKeys(given, ANY_DEVICE, address or 0, count, name)


def _from_dlpack(given: Any, argument: str, type_: Optional[str]) -> DeviceKeys:
    capsule = given.__dlpack__()  # frees what it holds when it goes, unless it is renamed
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = c_void_p, [ctypes.py_object, c_char_p]
    tensor = _DLTensor.from_address(pointer(capsule, b"dltensor"))
    kind = _DLPACK_KINDS.get(tensor.code)
    if type_ is None and (kind is None or tensor.lanes != 1):
        raise KeyswapError(argument, f"has items of DLPack's type code {tensor.code}, which are not keys",
                           "give numbers of 32 or 64 bits")
    shape = [tensor.shape[i] for i in range(tensor.ndim)]
    strides = [tensor.strides[i] for i in range(tensor.ndim)] if tensor.strides else None
    _check_layout(argument, shape, strides, 1)
    if tensor.device_type not in _DLPACK_CPU + _DLPACK_CUDA:
        raise KeyswapError(argument, f"is on a device of DLPack's type {tensor.device_type}", "copy it to the host")
    device = HOST if tensor.device_type in _DLPACK_CPU else tensor.device_id
    address = (tensor.data or 0) + tensor.byte_offset
    name, count = _arrays.typed(argument, f"{kind}{tensor.bits}", type_, tensor.bits * tensor.lanes // 8, prod(shape))
    return DeviceKeys((given, capsule), device, address, count, name)
