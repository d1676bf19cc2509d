"""Keyswap: is a sort right, how fast will it be, and where do its keys go?

    import keyswap
    keyswap.check(before, after)            # -> CheckResult: true, or says what is wrong and why
    keyswap.assert_sorted(before, after)    # raises AssertionError with the same sentences
    keyswap.check_rows(table, sorted_table, by="region,amount:desc")
    keyswap.plan(keys, gpu_count=8)         # which keys go to which GPU, in how many passes
    keyswap.simulate("dgx-a100", keys=2e9)  # how long a multi-GPU sort takes

Arrays may be NumPy's, pandas' or Polars' columns, tensors of a CPU, anything with Python's buffer protocol, or lists
of numbers. They are read where they lie; only strided ones, and those of another byte order, are copied. check(),
check_order(), assert_sorted() and summarize() read arrays of CuPy, PyTorch, Numba, cuDF and JAX in the memory of their
GPUs.

Keys are in order as numpy.sort has them: NaNs last, -0.0 equal to 0.0. `nan_order` and `zero_order` say otherwise.

keyswap.testing has strategies for Hypothesis and inputs that broke real sorts.
"""

import numbers
import os
import sys
import tempfile
from ctypes import byref, c_char_p, c_double, c_void_p, sizeof
from ctypes import pointer as _pointer
from pathlib import Path
from typing import Any, Optional, Union

import json as _json

from . import _arrays, _arrow, _devices, _library
from ._library import Cancelled, InternalError, KeyswapError, Progress
from ._library import version as __version__
from ._results import (CheckResult, Comparison, Plan, Record, Report, RowCheckResult, Simulation, Summary, Sweep, Table,
                       Topology, Verification)

__all__ = ["check", "check_order", "check_rows", "assert_sorted", "summarize", "compare", "plan", "sort", "generate", "simulate",
           "whatif", "verify", "report", "topology", "KeyswapError", "InternalError", "Cancelled", "CheckResult", "Comparison", "Plan",
           "Record", "Report", "RowCheckResult", "Simulation", "Summary", "Sweep", "Table", "Topology", "Verification", "__version__"]

_DIRECTIONS = ("ascending", "descending")
_ZERO_ORDERS = ("total", "equal")
_NAN_ORDERS = ("total", "first", "last")


def _index(names: "tuple[str, ...]", name: str, argument: str) -> int:
    if name not in names:
        raise KeyswapError(argument, f"'{name}' is not known", "known: " + ", ".join(names))
    return names.index(name)


def _whole(value: Any, argument: str, bits: int = 32, least: int = 0) -> int:
    """A number that C's unsigned integer of so many bits holds; ctypes would cut off its upper bits."""
    most = (1 << bits) - 1
    whole = isinstance(value, numbers.Integral) or isinstance(value, float) and value.is_integer()
    if not whole or not least <= value <= most:
        raise KeyswapError(argument, f"is {value!r}", f"give a whole number from {least} to {most:,}")
    return int(value)


def _flag(value: Any, argument: str) -> int:
    if value not in (True, False):
        raise KeyswapError(argument, f"is {value!r}", "give True or False")
    return int(value)


def _text(value: Any, argument: str) -> bytes:
    if not isinstance(value, str):
        raise KeyswapError(argument, f"is {value!r}, which is not a string", "give its name")
    return _library.encoded(value, argument)


def _check_options(descending: bool, zero_order: str, nan_order: str, gpu_count: Optional[int],
                   threads: int) -> _library.CheckOptions:
    options = _library.CheckOptions(struct_size=sizeof(_library.CheckOptions), direction=_flag(descending, "descending"))
    options.zero_order = _index(_ZERO_ORDERS, zero_order, "zero_order")
    options.nan_order = _index(_NAN_ORDERS, nan_order, "nan_order")
    options.gpu_count = 0 if gpu_count is None else _whole(gpu_count, "gpu_count", least=1)
    options.threads = _whole(threads, "threads")
    return options


def check(before: Any, after: Any, *, values: Any = None, stable: bool = False, descending: bool = False,
          nan_order: str = "last", zero_order: str = "equal", gpu_count: Optional[int] = None, type: Any = None,
          threads: int = 0, progress: Optional[Progress] = None) -> CheckResult:
    """Checks that `after` is a sorted permutation of `before`; says what is wrong if not.

    before, after -- [n] keys of one type
    values     -- [n] index in `before` of each key of `after`, as numpy.argsort returns; checked too
    stable     -- equal keys must keep their order, which values show
    nan_order  -- "last" (as numpy.sort), "first", or "total": by sign and bits, at both ends
    zero_order -- "equal" (as numpy.sort), or "total": -0.0 before 0.0
    gpu_count  -- GPUs of the sort, to name faults at the borders of their chunks
    type       -- name of the keys' type, for buffers that do not say it ("bf16", "u128")
    threads    -- 0: one a core
    progress   -- called with (keys read, keys in all); True ends the work with Cancelled

    If either array lies on a GPU, both are read where they lie, once, and the result is a Comparison, which says
    whether all is right and where the order breaks, but not which keys differ. Values are for summarize() then.

    >>> keyswap.check([3, 1, 2], [1, 2, 2]).text
    """
    if _devices.is_on_device(before) or _devices.is_on_device(after):
        if values is not None or stable:
            raise KeyswapError("values", "are not checked on GPUs", "summarize() keys with their values before and after")
        orders = {"descending": descending, "nan_order": nan_order, "zero_order": zero_order, "type": type}
        return compare(summarize(before, **orders), summarize(after, **orders))
    first, second = _arrays.pair_of(before, after, ("before", "after"), type)
    if first.type != second.type:
        raise KeyswapError("after", f"has {second.type} keys, and before {first.type}", "compare arrays of one type")
    options = _check_options(descending, zero_order, nan_order, gpu_count, threads)
    options.stable = _flag(stable, "stable")
    indices = None if values is None else _arrays.keys_of(values, "values")
    if indices is not None:
        options.values = _pointer(indices.struct)
    guard = _library.ProgressGuard(progress)
    options.progress = guard.call
    _, text, json = _library.take_result("keyswap_check", first.struct, second.struct, byref(options), progress=guard)
    return CheckResult(_json.loads(json), text)


def check_order(keys: Any, *, descending: bool = False, nan_order: str = "last", zero_order: str = "equal",
                type: Any = None, threads: int = 0, progress: Optional[Progress] = None) -> CheckResult:
    """Checks that keys, [n], are in order, whatever they were before. Arguments as those of check()."""
    if _devices.is_on_device(keys):
        return compare(None, summarize(keys, descending=descending, nan_order=nan_order, zero_order=zero_order, type=type))
    held = _arrays.keys_of(keys, "keys", type)
    options = _check_options(descending, zero_order, nan_order, None, threads)
    guard = _library.ProgressGuard(progress)
    options.progress = guard.call
    _, text, json = _library.take_result("keyswap_check_order", held.struct, byref(options), progress=guard)
    return CheckResult(_json.loads(json), text)


def summarize(*parts: Any, values: Any = None, descending: bool = False, nan_order: str = "last",
              zero_order: str = "equal", seed: int = 1, type: Any = None) -> Summary:
    """Reads keys once, where they lie: their order and what they hold, to be compared with those after a sort.

    parts  -- arrays of 32, 64 or 128 bits that are one sequence, in their order: on GPUs, several of them too, or in
              host memory; an array of JAX may be sharded
    values -- an array of integers of 32 or 64 bits that travels with the keys; a list of such with several parts
    seed   -- of the hash: summaries that are compared need the same

    >>> before = keyswap.summarize(tensor)
    >>> my_sort(tensor)
    >>> assert keyswap.compare(before, keyswap.summarize(tensor))
    """
    parts = tuple(shard for part in parts for shard in _devices.parts_of(part))
    names = ["keys"] if len(parts) == 1 else [f"parts[{place}]" for place in range(len(parts))]
    keys = [_devices.keys_of(part, name, type) for part, name in zip(parts, names)]
    paired = [] if values is None else list(values) if len(parts) > 1 else [values]
    held = [_devices.keys_of(part, "values") for part in paired]
    for one in keys:
        if one.type != keys[0].type:
            raise KeyswapError("parts", f"have {keys[0].type} and {one.type} keys", "give parts of one type")
    if values is not None and [one.count for one in held] != [one.count for one in keys]:
        raise KeyswapError("values", "are not as many as the keys", "give one value for each key, part by part")
    if any(one.type not in ("u32", "i32", "u64", "i64") or one.type != held[0].type for one in held):
        raise KeyswapError("values", f"have the type {held[0].type}", "give integers of 32 or 64 bits, of one type")
    if any(value.device == _library.HOST and key.device != _library.HOST for key, value in zip(keys, held)):
        raise KeyswapError("values", "lie in host memory, and the keys on a GPU", "move them to the keys' GPU")
    made = (_library.Part * len(keys))()
    for place, one in enumerate(keys):
        made[place] = _library.Part(one.device, one.address, held[place].address if held else None, one.count)
    options = _library.SummaryOptions(struct_size=sizeof(_library.SummaryOptions), direction=_flag(descending, "descending"))
    options.seed = _whole(seed, "seed", 64)
    options.zero_order = _index(_ZERO_ORDERS, zero_order, "zero_order")
    options.nan_order = _index(_NAN_ORDERS, nan_order, "nan_order")
    options.value_bits = int(held[0].type[1:]) if held else 0
    fields = _library.SummaryFields()
    number = _arrays.type_number(keys[0].type if keys else "u32")
    _library.raise_error(_library.library.keyswap_summarize(made, len(keys), number, byref(options), byref(fields)))
    return Summary(fields)


def compare(before: Optional[Summary], after: Summary) -> Comparison:
    """Whether `after` is of a sorted permutation of the keys of `before`. None: only the order is checked.

    Equal keys may have changed places. Both summaries need the same seed, type and width of values.
    """
    for name, one in (("before", before), ("after", after)):
        if not isinstance(one, Summary) and not (one is None and name == "before"):
            raise KeyswapError(name, f"is a {one.__class__.__name__}, which is not a summary",
                               "give what summarize() returns")
    first = None if before is None else byref(before.fields)
    _, text, json = _library.take_result("keyswap_compare", first, byref(after.fields))
    return Comparison(_json.loads(json), text)


def check_rows(before: Any, after: Any, by: Any, *, stable: bool = False, nan_order: str = "last",
               zero_order: str = "equal", threads: int = 0, progress: Optional[Progress] = None) -> RowCheckResult:
    """Checks that the rows of `after` are those of `before`, sorted by some columns; says what is wrong if not.

    before -- a table; None: only the order of `after` is checked
    after  -- a table, or a list of tables that are one output, as the partitions of Dask or Spark
    by     -- key columns, the first decides: "region,amount:desc", ["region", "amount:desc:nulls-first"]. Nulls are
              last by default, whatever the direction
    stable -- rows of equal keys must keep their order
    progress -- called with (rows read, rows in all); True ends the work with Cancelled

    Tables are whatever gives __arrow_c_stream__ (pyarrow, Polars, DuckDB, cuDF, pandas), DataFrames of older pandas,
    dicts of columns (arrays of NumPy, or lists with None) and structured arrays.
    """
    parts = list(after) if isinstance(after, (list, tuple)) else [after]
    names = ["after"] if len(parts) == 1 else [f"after[{place}]" for place in range(len(parts))]
    options = _library.RowsOptions(struct_size=sizeof(_library.RowsOptions), stable=_flag(stable, "stable"))
    options.threads = _whole(threads, "threads")
    options.zero_order = _index(_ZERO_ORDERS, zero_order, "zero_order")
    options.nan_order = _index(_NAN_ORDERS, nan_order, "nan_order")
    words = ",".join(by) if isinstance(by, (list, tuple)) and all(isinstance(word, str) for word in by) else by
    streams = [None if before is None else _arrow.stream_of(before, "before", words)]
    streams += [_arrow.stream_of(part, name, words) for part, name in zip(parts, names)]
    addresses = [None if stream is None else stream[0] for stream in streams]
    guard = _library.ProgressGuard(progress)
    options.progress = guard.call
    _, text, json = _library.take_result("keyswap_check_rows", addresses[0], (c_void_p * len(parts))(*addresses[1:]),
                                         len(parts), _text(words, "by"), byref(options), progress=guard)
    return RowCheckResult(_json.loads(json), text)


def assert_sorted(before: Any, after: Any, **options: Any) -> None:
    """Raises AssertionError, with all that is known, unless check(before, after, **options) holds."""
    __tracebackhide__ = True  # pylint: disable=unused-variable
    found = check(before, after, **options)
    if not found:
        raise AssertionError(found.text)


def plan(keys: Any, *, gpu_count: int = 8, algorithm: str = "rmg", descending: bool = False, zero_order: str = "total",
         list_buckets: bool = False, type: Any = None, progress: Optional[Progress] = None) -> Plan:
    """Plans a multi-GPU sort: which buckets go to which GPU, in how many passes, and why.

    keys         -- [n] of 32 or 64 bits, or 16 bytes each; or the name of a file of keys
    algorithm    -- one of `keyswap algorithms`
    list_buckets -- the plan lists every bucket
    """
    if isinstance(keys, (str, os.PathLike)):
        fields, _ = _request("plan", [keys], {"gpu_count": gpu_count, "algorithm": algorithm, "type": type,
                                              "direction": _DIRECTIONS[descending], "zero_order": zero_order,
                                              "buckets": list_buckets}, progress)
        return Plan(fields)
    held = _arrays.keys_of(keys, "keys", type)
    options = _library.PlanOptions(struct_size=sizeof(_library.PlanOptions), direction=_flag(descending, "descending"))
    options.zero_order = _index(_ZERO_ORDERS, zero_order, "zero_order")
    options.gpu_count = _whole(gpu_count, "gpu_count", least=1)
    options.algorithm = _text(algorithm, "algorithm")
    options.list_buckets = _flag(list_buckets, "list_buckets")
    guard = _library.ProgressGuard(progress)
    options.progress = guard.call
    _, _, json = _library.take_result("keyswap_plan", held.struct, byref(options), progress=guard)
    return Plan(_json.loads(json))


def sort(keys: Any, values: Any = None, *, out: Any = None, descending: bool = False, nan_order: str = "last",
         algorithm: str = "buffered-radix", threads: int = 0, progress: Optional[Progress] = None) -> Any:
    """Sorts keys on this machine's processor, stably where they have values.

    keys      -- [n] of 32 or 64 bits, or 16 bytes each
    values    -- [n] integers of 32 or 64 bits that travel with the keys
    out       -- an array for the sorted keys, `keys` itself to sort in place; None: a new one. The sorted values
                 are new unless `out` is `keys`, and then they are sorted in place too
    algorithm -- "buffered-radix" or "simd-merge"
    progress  -- called with (0, 0) between passes; True ends the sort with Cancelled, as Ctrl-C ends it. What was to be
                 sorted in place is lost then

    Returns the sorted keys, with values (keys, values).
    """
    in_place = out is not None and out is keys
    given = _arrays.keys_of(keys, "out" if in_place else "keys", copy=not in_place)
    target = given if in_place else _arrays.keys_of(_like(given) if out is None else out, "out", copy=False)
    if target.type != given.type or len(target) != len(given) or not target.writable:
        raise KeyswapError("out", f"has {len(target)} {target.type} keys{'' if target.writable else ', read-only'}",
                           f"give a writable array of {len(given)} {given.type} keys, or leave it out")
    _move(given, target)
    options = _library.SortOptions(struct_size=sizeof(_library.SortOptions), direction=_flag(descending, "descending"))
    options.algorithm = _text(algorithm, "algorithm")
    options.threads = _whole(threads, "threads")
    options.nan_order = _index(_NAN_ORDERS, nan_order, "nan_order")
    sorted_values = None
    if values is not None:
        held = _arrays.keys_of(values, "values", copy=not in_place)
        if len(held) != len(given) or held.type not in ("u32", "i32", "u64", "i64"):
            raise KeyswapError("values", f"are {len(held)} of {held.type}",
                               f"give {len(given)} integers of 32 or 64 bits")
        if in_place and not held.writable:
            raise KeyswapError("values", "are read-only", "give a writable array, or another out")
        sorted_values = held if in_place else _arrays.keys_of(_like(held), "values", copy=False)
        _move(held, sorted_values)
        options.values = sorted_values.struct.data
        options.value_bits = int(held.type[1:])
    guard = _library.ProgressGuard(progress)
    options.progress = guard.call
    with guard:
        error = _library.library.keyswap_sort(target.struct.data, len(target), target.struct.type, byref(options))
    guard.finish(error)
    made = keys if in_place else out if out is not None else target.owner
    made = made[0] if isinstance(made, tuple) else made
    if sorted_values is None:
        return made
    found = values if in_place else sorted_values.owner
    return made, found[0] if isinstance(found, tuple) else found


def _like(keys: _arrays.Keys) -> Any:
    return _arrays.new_array(len(keys), keys.type)


def _move(source: _arrays.Keys, target: _arrays.Keys) -> None:
    if len(source) > 0 and source.struct.data != target.struct.data:
        size = _library.library.keyswap_type_size(source.struct.type)
        from ctypes import memmove  # pylint: disable=import-outside-toplevel
        memmove(target.struct.data, source.struct.data, len(source) * size)


def generate(count: int, type: Any = "u32", distribution: str = "uniform", *, seed: int = 1,
             parameter: Optional[float] = None, out: Any = None) -> Any:
    """Makes keys, the same on every machine: an array of NumPy if it is installed, else of Python.

    type         -- "u32", "f64", ... or NumPy's dtype; 32, 64 or 128 bits
    distribution -- one of `keyswap distributions`; parameter -- of it; None: its default
    out          -- [count] an array to fill in place of a new one
    """
    number = _arrays.type_number(type)
    name = _arrays.type_name(number)
    count = _whole(count, "count", 63)
    made = _arrays.new_array(count, name) if out is None else out
    held = _arrays.keys_of(made, "out", name, copy=False)
    if len(held) != count or not held.writable:
        raise KeyswapError("out", f"has {len(held)} keys", f"give a writable array of {count}")
    given = None if parameter is None else byref(c_double(parameter))
    _library.raise_error(_library.library.keyswap_generate(held.struct.data, count, number, _text(distribution, "distribution"),
                                                           _whole(seed, "seed", 64), given))
    return made


def _words(value: Any) -> "list[Optional[str]]":
    """The values of an option as the command line has them; none for an option that is left out."""
    if value is None or value is False:
        return []
    if value is True:
        return [None]
    if isinstance(value, (list, tuple, range)):
        return [word for item in value for word in _words(item)]
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return [str(os.fspath(value) if isinstance(value, os.PathLike) else value)]


def _request(command: str, files: Any, options: "dict[str, Any]",
             progress: Optional[Progress]) -> "tuple[dict[str, Any], str]":
    """Runs a command of the program in this process. Returns its document and its remarks."""
    request = c_void_p()
    _library.raise_error(_library.library.keyswap_request_new(command.encode(), byref(request)))
    try:
        for name, value in options.items():
            for word in _words(value):
                given = None if word is None else c_char_p(_library.encoded(word, name, os.fsencode))
                _library.raise_error(_library.library.keyswap_request_option(request, name.replace("_", "-").encode(), given))
        for file in files:
            if not isinstance(file, (str, bytes, os.PathLike)):
                raise KeyswapError("file", f"is {file!r}, which is not a path", "give a file's name, one argument for each")
            _library.raise_error(_library.library.keyswap_request_file(request, _library.encoded(file, "file", os.fsencode)))
        guard = _library.ProgressGuard(progress)
        _, text, json = _library.take_result("keyswap_request_run", request, guard.call, None, progress=guard)
        return _json.loads(json), text
    finally:
        _library.library.keyswap_request_free(request)


def _joined(value: Any) -> Any:
    """A list as one word, as the command line has lists that it splits at commas."""
    return ",".join(word or "" for word in _words(value)) if isinstance(value, (list, tuple, range)) else value


# Options of `simulate` that `report` has too, for the page of a simulation.
_OF_PAGES = {"profile", "algorithm", "type", "distribution", "parameter", "seed", "gpus", "input_on", "output_on", "values"}


def simulate(platform: Union[str, "os.PathLike[str]"] = "dgx-a100", keys: float = 1e9, *,
             progress: Optional[Progress] = None, **options: Any) -> Simulation:
    """Predicts how long a multi-GPU sort takes, and what holds it up.

    platform -- a machine of topology(), "cluster:dgx-h100:N", or a file
    keys     -- their number
    options  -- those of `keyswap simulate`, with _ for -: algorithm="rmg-fast", type="f32", gpus="0-3",
                distribution="zipf", seed=2, assume=["upi.efficiency=0.7"], ... (`keyswap simulate --help`)
    """
    options["gpus"] = _joined(options.get("gpus"))
    given = {"platform": platform, "keys": keys, **options}
    fields, remarks = _request("simulate", [], given, progress)
    shown = {name: value for name, value in given.items() if name in _OF_PAGES | {"platform", "keys"}}
    shown.setdefault("distribution", fields["config"]["distribution"])
    return Simulation(fields, ((), shown), remarks)


def whatif(platform: Any = None, keys: Any = None, *, progress: Optional[Progress] = None, **options: Any) -> Sweep:
    """Predicts many sorts: every combination of platforms, numbers of keys and GPUs, algorithms, links.

    platform, keys and options -- those of `keyswap whatif`; lists are taken as several values
    """
    joined = {name: _joined(value) if name != "link" else value
              for name, value in {"platform": platform, "keys": keys, **options}.items()}
    fields, remarks = _request("whatif", [], joined, progress)
    return Sweep(fields, ((), {}), remarks)


def verify(*traces: Union[str, "os.PathLike[str]"], progress: Optional[Progress] = None, **options: Any) -> Verification:
    """Compares recorded runs, files or folders, with the reference model, bucket for bucket.

    options -- those of `keyswap verify`: all=True, accept_incomplete=True, ranks=True, ...
    """
    fields, remarks = _request("verify", traces, options, progress)
    return Verification(fields, (traces, {}), remarks)


def report(*files: Union[str, "os.PathLike[str]"], output: Any = None, progress: Optional[Progress] = None,
           **options: Any) -> Report:
    """Makes the page on traces, profiles or measurements, or on a plan or simulation that the options name.

    output  -- where the page is written, which must not exist; None: nowhere (Report.save() does later)
    options -- those of `keyswap report`: platform="dgx-a100", keys=1e9, distribution="zipf", svg="folder", ...
    """
    options["algorithm"] = _joined(options.get("algorithm"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html" if output is None else Path(output)
        fields, _ = _request("report", files, {"output": path, **options}, progress)
        return Report(fields, path.read_text(encoding="utf-8"))


def topology(platform: Optional[Union[str, "os.PathLike[str]"]] = None) -> Union[Table, Topology]:
    """All machines that are known, a table of name, description and number of GPUs; or one with its links."""
    if platform is None:
        fields, _ = _request("topology list", [], {}, None)
        return Table(Record(row) for row in fields["platforms"])
    fields, _ = _request("topology show", [], {"platform": platform}, None)
    return Topology(fields)


if sys.version_info < (3, 9):  # pragma: no cover
    raise ImportError("keyswap needs Python 3.9 or later")
