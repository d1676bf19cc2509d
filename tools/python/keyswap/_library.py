"""The shared library, its structures and its errors (keyswap.h says what they mean)."""

import contextlib
import ctypes
import os
import signal
import threading
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_double, c_int, c_size_t, c_uint32,
                    c_uint64, c_void_p)
from pathlib import Path
from typing import Any, Callable, Optional

Progress = Callable[[int, int], Any]

ABI = 0
HOST = -1  # in place of a device's number
ANY_DEVICE = -2
_CANCELLED = 3
_INTERNAL = 4


class KeyswapError(Exception):
    """A call that could not be carried out.

    subject -- the argument, option or file that it is about
    problem -- what is wrong with it
    remedy  -- what to try; empty if nothing is known to help
    """

    def __init__(self, subject: str, problem: str, remedy: str = "") -> None:
        super().__init__(f"{subject}: {problem}" + (f" ({remedy})" if remedy else ""))
        self.subject = subject
        self.problem = problem
        self.remedy = remedy


class InternalError(KeyswapError):
    """A mistake in Keyswap itself; please report it."""


class Cancelled(KeyswapError):
    """The work was ended by its progress function, which returned True."""


class Array(Structure):
    _fields_ = [("data", c_void_p), ("count", c_size_t), ("type", c_int)]


ProgressCall = CFUNCTYPE(c_int, c_void_p, c_uint64, c_uint64)


class CheckOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("direction", c_int), ("zero_order", c_int), ("nan_order", c_int),
                ("gpu_count", c_uint32), ("threads", c_uint32), ("values", POINTER(Array)), ("stable", c_int),
                ("hash_seed", c_uint64), ("progress", ProgressCall), ("progress_data", c_void_p)]


class SortOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("direction", c_int), ("algorithm", c_char_p), ("threads", c_uint32),
                ("values", c_void_p), ("value_bits", c_uint32), ("nan_order", c_int), ("progress", ProgressCall),
                ("progress_data", c_void_p)]


class RowsOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("zero_order", c_int), ("nan_order", c_int), ("threads", c_uint32),
                ("stable", c_int), ("hash_seed", c_uint64), ("progress", ProgressCall), ("progress_data", c_void_p)]


class Part(Structure):
    _fields_ = [("device", c_int), ("keys", c_void_p), ("values", c_void_p), ("count", c_size_t)]


class SummaryOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("direction", c_int), ("zero_order", c_int), ("nan_order", c_int),
                ("value_bits", c_uint32), ("seed", c_uint64)]


class SummaryFields(Structure):
    _fields_ = [("count", c_uint64), ("digest", c_uint64 * 2), ("violations", c_uint64), ("first_violation", c_uint64),
                ("first", c_uint64 * 2), ("last", c_uint64 * 2), ("seed", c_uint64), ("type", c_int),
                ("value_bits", c_uint32)]


class PlanOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("direction", c_int), ("zero_order", c_int), ("gpu_count", c_uint32),
                ("algorithm", c_char_p), ("list_buckets", c_int), ("progress", ProgressCall),
                ("progress_data", c_void_p)]


_FUNCTIONS = {
    "keyswap_version": (c_char_p, []),
    "keyswap_abi": (c_int, []),
    "keyswap_error_kind": (c_int, [c_void_p]),
    "keyswap_error_subject": (c_char_p, [c_void_p]),
    "keyswap_error_problem": (c_char_p, [c_void_p]),
    "keyswap_error_remedy": (c_char_p, [c_void_p]),
    "keyswap_error_free": (None, [c_void_p]),
    "keyswap_type_name": (c_char_p, [c_int]),
    "keyswap_type_size": (c_size_t, [c_int]),
    "keyswap_type_of": (c_void_p, [c_char_p, POINTER(c_int)]),
    "keyswap_result_verdict": (c_int, [c_void_p]),
    "keyswap_result_text": (c_char_p, [c_void_p]),
    "keyswap_result_json": (c_char_p, [c_void_p]),
    "keyswap_result_free": (None, [c_void_p]),
    "keyswap_check": (c_void_p, [Array, Array, POINTER(CheckOptions), POINTER(c_void_p)]),
    "keyswap_check_order": (c_void_p, [Array, POINTER(CheckOptions), POINTER(c_void_p)]),
    "keyswap_sort": (c_void_p, [c_void_p, c_size_t, c_int, POINTER(SortOptions)]),
    "keyswap_generate": (c_void_p, [c_void_p, c_size_t, c_int, c_char_p, c_uint64, POINTER(c_double)]),
    "keyswap_plan": (c_void_p, [Array, POINTER(PlanOptions), POINTER(c_void_p)]),
    "keyswap_summarize": (c_void_p, [POINTER(Part), c_size_t, c_int, POINTER(SummaryOptions), POINTER(SummaryFields)]),
    "keyswap_summary_joined": (SummaryFields, [POINTER(SummaryFields), POINTER(SummaryFields)]),
    "keyswap_compare": (c_void_p, [POINTER(SummaryFields), POINTER(SummaryFields), POINTER(c_void_p)]),
    "keyswap_check_rows": (c_void_p, [c_void_p, POINTER(c_void_p), c_size_t, c_char_p, POINTER(RowsOptions),
                                      POINTER(c_void_p)]),
    "keyswap_zoo": (c_void_p, [c_int, POINTER(c_void_p)]),
    "keyswap_zoo_keys": (c_void_p, [c_int, c_char_p, c_void_p, c_size_t]),
    "keyswap_request_new": (c_void_p, [c_char_p, POINTER(c_void_p)]),
    "keyswap_request_option": (c_void_p, [c_void_p, c_char_p, c_char_p]),
    "keyswap_request_file": (c_void_p, [c_void_p, c_char_p]),
    "keyswap_request_run": (c_void_p, [c_void_p, ProgressCall, c_void_p, POINTER(c_void_p)]),
    "keyswap_request_free": (None, [c_void_p]),
}


def _load() -> ctypes.CDLL:
    """The library that KEYSWAP_LIBRARY names, the one in this package, or the system's."""
    name = f"libkeyswap.so.{ABI}"
    packed = Path(__file__).with_name(name)
    path = os.environ.get("KEYSWAP_LIBRARY") or (str(packed) if packed.exists() else name)
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"{path} cannot be loaded: {error} (install the package python3-keyswap or the wheel, or "
                          "name the library in KEYSWAP_LIBRARY)") from None
    for function, (result, arguments) in _FUNCTIONS.items():
        getattr(library, function).restype = result
        getattr(library, function).argtypes = arguments
    if library.keyswap_abi() != ABI:
        raise ImportError(f"{path} has the interface {library.keyswap_abi()}, and this package needs {ABI} "
                          "(install both of one version)")
    return library


library = _load()
version: str = library.keyswap_version().decode()


def text(value: Optional[bytes]) -> str:
    return (value or b"").decode("utf-8", "replace")


def surrogate_error(subject: str, value: Any) -> KeyswapError:
    return KeyswapError(subject, f"has half of a surrogate pair: {value!r}", "decode it with the right encoding")


def encoded(value: Any, subject: str, encode: Callable[[Any], bytes] = str.encode) -> bytes:
    """Text for C. encode -- os.fsencode for names of files, which may have bytes that are not UTF-8."""
    try:
        made = encode(value)
    except UnicodeEncodeError:
        raise surrogate_error(subject, value) from None
    if b"\0" in made:
        raise KeyswapError(subject, f"has the character NUL: {value!r}", "leave it out")
    return made


def raise_error(error: Optional[int]) -> None:
    """Raises an error of the library, and frees it; None is none."""
    if not error:
        return
    kind = library.keyswap_error_kind(error)
    parts = [text(getattr(library, "keyswap_error_" + part)(error)) for part in ("subject", "problem", "remedy")]
    library.keyswap_error_free(error)
    raise {_CANCELLED: Cancelled, _INTERNAL: InternalError}.get(kind, KeyswapError)(*parts)


class ProgressGuard:
    """A progress function of C around one of Python, or around none: Ctrl-C is noticed when it is called.

    What the function raises ends the work and is raised again by finish(), and the handler of SIGINT is called then: an
    exception that it raised inside the callback would be lost.
    """

    def __init__(self, progress: Optional[Progress]) -> None:
        self._progress = progress
        self._raised: Optional[BaseException] = None
        self._signal: "Optional[tuple[int, Any]]" = None
        self._handler = signal.getsignal(signal.SIGINT) if threading.current_thread() is threading.main_thread() else None
        self.call = ProgressCall(self._call) if progress is not None or callable(self._handler) else ProgressCall()

    def __enter__(self) -> "ProgressGuard":
        if callable(self._handler):
            signal.signal(signal.SIGINT, self._remember)
        return self

    def __exit__(self, *_: Any) -> None:
        if callable(self._handler):
            signal.signal(signal.SIGINT, self._handler)

    def _remember(self, number: int, frame: Any) -> None:
        self._signal = (number, frame)

    def _call(self, _data: Any, done: int, total: int) -> int:
        try:
            asked = self._progress is not None and self._progress(done, total) is True
            return 1 if asked or self._signal is not None else 0
        except BaseException as raised:  # pylint: disable=broad-except
            self._raised = raised
            return 1

    def finish(self, error: Optional[int]) -> None:
        if self._signal is not None and callable(self._handler):
            try:
                self._handler(*self._signal)
            except BaseException as raised:  # pylint: disable=broad-except
                self._raised = raised
        if self._raised is not None:
            if error:
                library.keyswap_error_free(error)
            raise self._raised
        raise_error(error)


def take_result(function: str, *arguments: Any, progress: Optional[ProgressGuard] = None) -> "tuple[bool, str, str]":
    """Calls a function whose last argument takes a result. Returns whether all is fine, text and JSON."""
    made = c_void_p()
    with progress or contextlib.nullcontext():
        error = getattr(library, function)(*arguments, byref(made))
    try:
        if progress is not None:
            progress.finish(error)
        else:
            raise_error(error)
        return (library.keyswap_result_verdict(made) == 0, text(library.keyswap_result_text(made)),
                text(library.keyswap_result_json(made)))
    finally:
        library.keyswap_result_free(made)
