"""Arrays of any library as the shared library reads them: where they lie, without a copy if they can be."""

import array as _array
import ctypes
import numbers
import sys
from ctypes import byref, c_int, c_void_p
from typing import Any, Optional

from ._library import Array, KeyswapError, encoded, library, raise_error

# NumPy's kind and width, or struct's letter, to the library's name of a type.
OF_NUMPY = {"u1": "u8", "u2": "u16", "u4": "u32", "u8": "u64", "i1": "i8", "i2": "i16", "i4": "i32", "i8": "i64",
             "f2": "f16", "f4": "f32", "f8": "f64", "b1": "u8", "S16": "b128", "V16": "b128"}
_OF_STRUCT = {"B": "u", "H": "u", "I": "u", "L": "u", "Q": "u", "N": "u", "?": "u", "c": "u", "b": "i", "h": "i",
              "i": "i", "l": "i", "q": "i", "n": "i", "e": "f", "f": "f", "d": "f"}
TO_NUMPY = {"u8": "u1", "u16": "<u2", "u32": "<u4", "u64": "<u8", "i8": "i1", "i16": "<i2", "i32": "<i4",
            "i64": "<i8", "f16": "<f2", "f32": "<f4", "f64": "<f8", "b128": "S16"}
_TO_ARRAY = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "f32": "f",
             "f64": "d"}


def numpy() -> Any:
    """NumPy if it is installed, else None."""
    try:
        import numpy as found  # pylint: disable=import-outside-toplevel
    except ImportError:
        return None
    return found


class _Buffer(ctypes.Structure):  # Python's Py_buffer
    _fields_ = [("buf", c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t),
                ("itemsize", ctypes.c_ssize_t), ("readonly", c_int), ("ndim", c_int), ("format", ctypes.c_char_p),
                ("shape", c_void_p), ("strides", c_void_p), ("suboffsets", c_void_p), ("internal", c_void_p)]


def _address_of(view: memoryview) -> int:
    """Where the bytes of a contiguous buffer lie; read-only ones too."""
    buffer = _Buffer()
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(view), byref(buffer), 0)
    try:
        return buffer.buf or 0
    finally:
        ctypes.pythonapi.PyBuffer_Release(byref(buffer))


def type_number(name: Any) -> int:
    """The number of a type by its name ("u32", "float32"), NumPy's dtype, int or float."""
    if name in (int, float):
        name = {int: "i64", float: "f64"}[name]
    if not isinstance(name, str):
        name = getattr(name, "name", None) or getattr(name, "__name__", str(name))  # of a dtype, of numpy.float32
    number = c_int()
    raise_error(library.keyswap_type_of(encoded(name, "type"), byref(number)))
    return number.value


def type_name(number: int) -> str:
    return library.keyswap_type_name(number).decode()


class Keys:
    """Keys of a caller. `owner` keeps the memory alive that `struct` points to."""

    def __init__(self, owner: Any, address: int, count: int, type_: str, writable: bool) -> None:
        self.owner = owner
        self.type = type_
        self.writable = writable
        self.struct = Array(address, count, type_number(type_))

    def __len__(self) -> int:
        return self.struct.count


def _refuse(argument: str, problem: str, remedy: str) -> "KeyswapError":
    return KeyswapError(argument, problem, remedy)


def typed(argument: str, own: Optional[str], type_: Optional[str], item_size: int, count: int) -> "tuple[str, int]":
    """The type of keys, and their number: `own` of the array, or the one that its caller names."""
    if type_ is None:
        return own or "", count
    width = library.keyswap_type_size(type_number(type_))
    if item_size not in (1, width):  # bytes have no type of their own
        raise _refuse(argument, f"has items of {item_size} bytes, and {type_} keys have {width}", "check type=")
    if count * item_size % width != 0:
        raise _refuse(argument, f"has {count * item_size} bytes, not a multiple of the {width} bytes of a key",
                      "check the type")
    return type_, count * item_size // width


def is_masked(given: Any) -> bool:
    """Whether some of an array's items are masked, which its memory does not show."""
    masked = sys.modules.get("numpy.ma")
    return masked is not None and isinstance(given, masked.MaskedArray) and bool(masked.is_masked(given))


def _from_interface(given: Any, argument: str, type_: Optional[str]) -> Optional[Keys]:
    interface = given.__array_interface__
    order, descriptor = interface["typestr"][0], interface["typestr"][1:]
    if len(interface["shape"]) != 1:
        raise _refuse(argument, f"has {len(interface['shape'])} dimensions", "give one of them, or .ravel() it")
    if is_masked(given):
        raise _refuse(argument, "has masked keys, which have no place among numbers", "give .compressed() or .filled()")
    if descriptor[0] in "mM":
        raise _refuse(argument, f"has the type {interface['typestr']}, whose NaT has no place among numbers",
                      "give .view('int64'), where NaT is the least")
    own = None if any(name for name, *_ in interface.get("descr", ())) else OF_NUMPY.get(descriptor)
    if (type_ or own) is None:
        raise _refuse(argument, f"has the type {interface['typestr']}, which is not a key type",
                      "give numbers of 8 to 64 bits or 16 bytes (S16), or name the type with type=; rows of several "
                      "columns are for check_rows()")
    width = int(descriptor[1:])
    name, count = typed(argument, own, type_, width, interface["shape"][0])
    strides = interface.get("strides")
    if order == ">" or (strides is not None and strides[0] != width and interface["shape"][0] > 1):
        return None
    address, read_only = interface["data"]
    return Keys(given, address, count, name, not read_only)


def _from_buffer(given: Any, argument: str, type_: Optional[str]) -> Optional[Keys]:
    view = memoryview(given)
    if view.ndim != 1:
        raise _refuse(argument, f"has {view.ndim} dimensions", "give one of them")
    letter = view.format.lstrip("@=<|") if sys.byteorder == "little" else view.format.lstrip("@=|")
    if letter not in _OF_STRUCT:
        raise _refuse(argument, f"has items of the format '{view.format}', which are not keys",
                      "give an array of numbers, or its bytes: .cast('B')")
    name, count = typed(argument, f"{_OF_STRUCT[letter]}{8 * view.itemsize}", type_, view.itemsize, len(view))
    if not view.c_contiguous:
        return None
    return Keys((given, view), _address_of(view), count, name, not view.readonly)


def _of_numbers(given: Any, argument: str, type_: Optional[str]) -> Any:
    """A sequence of Python's numbers as an array of the narrowest type that surely holds them."""
    items = list(given)
    if type_ is None:
        if all(isinstance(item, numbers.Integral) for item in items):
            type_ = "u64" if items and min(items) >= 0 and max(items) >= 1 << 63 else "i64"
        elif all(isinstance(item, numbers.Real) for item in items):
            type_ = "f64"
        else:
            odd = next(item for item in items if not isinstance(item, numbers.Real))
            raise _refuse(argument, f"has {odd!r}, which is not a number", "give numbers; None and text are for check_rows()")
    try:
        held = _array.array(_TO_ARRAY[type_], items)
        if type_ in ("f32", "f64"):
            refuse_rounded(items, held, argument)
        return held
    except KeyError:
        raise _refuse(argument, f"is a list, which cannot be {type_}", "give an array") from None
    except (OverflowError, TypeError) as error:
        raise _refuse(argument, f"is not a list of {type_}: {error}", "choose another type") from None


def refuse_rounded(items: Any, held: Any, argument: str) -> None:
    """Whole numbers and fractions have exact values, which a float must not change: other keys would compare as equal."""
    for item, kept in zip(items, held):
        exact = int(item) if isinstance(item, numbers.Integral) else item
        if isinstance(exact, numbers.Rational) and kept != exact:
            raise _refuse(argument, f"has {exact}, which a float rounds to {kept!r}", "give numbers of one kind, or rounded ones")


def keys_of(given: Any, argument: str, type_: Any = None, copy: bool = True) -> Keys:
    """Keys that anything holds: NumPy's arrays, buffers, pandas' columns, tensors of a CPU, lists.

    copy -- whether keys that cannot be read where they lie may be copied
    """
    name = None if type_ is None else type_name(type_number(type_))
    if hasattr(given, "__cuda_array_interface__"):
        raise _refuse(argument, "lies on a GPU", "call check(), check_order() or summarize(), or copy it to the host")
    if hasattr(given, "__array_interface__"):
        found = _from_interface(given, argument, name)
    elif not isinstance(given, (str, list, tuple, range)) and _is_buffer(given):
        found = _from_buffer(given, argument, name)
    else:
        found = keys_of(_converted(given, argument, name), argument, type_, copy)
        # A conversion that copies gives a second copy another address; one that does not is repeated at no cost.
        if not copy and found.struct.data != keys_of(_converted(given, argument, name), argument, type_).struct.data:
            raise _refuse(argument, f"is a {type(given).__name__}, whose keys would be copied", "give an array")
    if found is not None:
        return found
    if copy and numpy() is not None:
        contiguous = numpy().ascontiguousarray(given)
        return keys_of(contiguous.astype(contiguous.dtype.newbyteorder("<")), argument, type_, False)
    raise _refuse(argument, "has gaps between its keys, or another byte order", "copy it first, as numpy.ascontiguousarray does")


def pair_of(first: Any, second: Any, names: "tuple[str, str]", type_: Any = None) -> "tuple[Keys, Keys]":
    """Two arrays of one type: a list takes the type of an array that it is compared with."""
    listed = [isinstance(given, (list, tuple, range)) for given in (first, second)]
    if listed[0] and not listed[1]:
        held = keys_of(second, names[1], type_)
        return keys_of(first, names[0], type_ or held.type), held
    held = keys_of(first, names[0], type_)
    return held, keys_of(second, names[1], type_ or (held.type if listed[1] and (not listed[0] or second == []) else None))


def _is_buffer(given: Any) -> bool:
    try:
        memoryview(given).release()
        return True
    except TypeError:
        return False


def _converted(given: Any, argument: str, type_: Optional[str]) -> Any:
    """Something that has an interface of arrays, made of something that has none."""
    for method in ("to_numpy", "__array__"):
        if hasattr(given, method):
            try:
                made = getattr(given, method)()
            except Exception as error:  # pylint: disable=broad-except
                raise _refuse(argument, f"does not become an array: {error}", "give one of NumPy") from error
            if getattr(made, "dtype", None) == object and hasattr(getattr(given, "dtype", None), "numpy_dtype"):
                if given.isna().any():  # a nullable column of pandas
                    raise _refuse(argument, "has missing keys, which have no place among numbers",
                                  "give .dropna(), or use check_rows()")
                return given.to_numpy(dtype=given.dtype.numpy_dtype)
            if getattr(made, "dtype", None) == object:
                raise _refuse(argument, "has objects, such as None or text", "give numbers, or use check_rows()")
            return made
    if isinstance(given, (list, tuple, range)):
        return _of_numbers(given, argument, type_)
    raise _refuse(argument, f"is a {type(given).__name__}, which does not hold keys",
                  "give an array, a buffer, a column or a list of numbers")


def new_array(count: int, type_: str) -> Any:
    """Room for keys: an array of NumPy, or of Python where NumPy is missing or has no such type."""
    found = numpy()
    if found is not None and type_ in TO_NUMPY:
        return found.empty(count, dtype=TO_NUMPY[type_])
    if type_ in _TO_ARRAY:
        return _array.array(_TO_ARRAY[type_], bytes(count * _array.array(_TO_ARRAY[type_]).itemsize))
    return bytearray(count * library.keyswap_type_size(type_number(type_)))
