#!/usr/bin/env python3
"""Keeps a library of sorts loaded, for served_sort.so: a GPU's context and Python's libraries take seconds to start.

usage: sort_server.py SOCKET LIBRARY
  SOCKET   file of a local socket that is made
  LIBRARY  numpy, pandas, dask, torch-cpu, torch (on a GPU), cupy, jax, or a shared library for `keyswap record`, such as cuda_sorts.so
Says the library's version, then its sorts, a line each, then "ready", and waits for requests. A request is a line
SORT TYPE COUNT VALUE_BYTES, with the keys and the values behind it; the answer is a line "sorted" with both behind it, or what went
wrong. Exit status: 2 where the library is not there. `tools/scripts/survey` starts it.
"""
import ctypes
import os
import socketserver
import sys

import numpy

TYPES = {"u32": "uint32", "u64": "uint64", "i32": "int32", "i64": "int64", "f32": "float32", "f64": "float64"}
# Of shared libraries; those that move values too are listed in `survey`.
FUNCTIONS = ["cub_merge_sort", "cub_segmented_sort", "thrust_sort", "thrust_stable_sort_by_function", "sort"]


def of_numpy():
    return numpy.__version__, {
        "numpy.sort": lambda keys, _: (numpy.sort(keys), None),
        "numpy.argsort(kind='stable')": moved_by(lambda keys: numpy.argsort(keys, kind="stable"))}


def of_pandas():
    import pandas

    return pandas.__version__, {
        "pandas.Series.sort_values": lambda keys, _: (pandas.Series(keys).sort_values().to_numpy(), None),
        "pandas.Series.sort_values(kind='stable')": moved_by(
            lambda keys: pandas.Series(keys).sort_values(kind="stable").index.to_numpy())}


def of_dask():
    import dask
    import dask.dataframe
    import pandas

    def sort(keys, _):
        parts = dask.dataframe.from_pandas(pandas.DataFrame({"key": keys}), npartitions=8)
        return parts.sort_values("key").compute(scheduler="threads").key.to_numpy(), None

    return dask.__version__, {"dask.dataframe sort_values, 8 partitions": sort}


def of_torch(device):
    import torch

    torch.zeros(1, device=device)

    def sort(keys, values, stable):
        keys, places = torch.sort(torch.from_numpy(keys).to(device), stable=stable)
        return keys.cpu().numpy(), values[places.cpu().numpy()] if stable else None

    return torch.__version__, {"torch.sort": lambda keys, values: sort(keys, values, False),
                               "torch.sort(stable=True)": lambda keys, values: sort(keys, values, True)}


def of_cupy():
    import cupy

    cupy.cuda.Device(0).use()
    return cupy.__version__, {
        "cupy.sort": lambda keys, _: (cupy.asnumpy(cupy.sort(cupy.asarray(keys))), None),
        "cupy.argsort(kind='stable')": moved_by(
            lambda keys: cupy.asnumpy(cupy.argsort(cupy.asarray(keys), kind="stable")))}


def of_jax():
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
    import jax

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_platforms", "cuda")
    sorts = {
        "jax.numpy.sort": lambda keys, _: (numpy.asarray(jax.numpy.sort(jax.numpy.asarray(keys))), None),
        "jax.numpy.argsort": moved_by(lambda keys: numpy.asarray(jax.numpy.argsort(jax.numpy.asarray(keys))))}
    devices = jax.devices()
    if len(devices) > 1:
        over_all = jax.sharding.NamedSharding(jax.sharding.Mesh(devices, ("keys",)), jax.sharding.PartitionSpec("keys"))

        def sharded(keys, sort):
            """Of keys that lie in equal parts on all devices, as they must: the greatest ones are put behind them."""
            missing = -len(keys) % len(devices)
            greatest = numpy.nan if keys.dtype.kind == "f" else numpy.iinfo(keys.dtype).max
            whole = numpy.append(keys, numpy.full(missing, greatest, keys.dtype))
            return numpy.asarray(jax.jit(sort, out_shardings=over_all)(jax.device_put(whole, over_all)))[:len(keys)]

        sorts["jax.numpy.sort, sharded"] = lambda keys, _: (sharded(keys, jax.numpy.sort), None)
        sorts["jax.numpy.argsort, sharded"] = moved_by(lambda keys: sharded(keys, jax.numpy.argsort))
    return jax.__version__, sorts


def of_shared_library(path):
    library = ctypes.CDLL(os.path.abspath(path))
    version = ""
    if hasattr(library, "versions"):
        library.versions.restype = ctypes.c_char_p
        version = library.versions().decode()

    def caller(function):
        def call(keys, values):
            key_type = next(name for name, of_numpy in TYPES.items() if of_numpy == keys.dtype)
            pointers = [None if array is None else array.ctypes.data_as(ctypes.c_void_p) for array in (keys, values)]
            code = function(pointers[0], ctypes.c_uint64(len(keys)), key_type.encode(), pointers[1],
                            ctypes.c_uint64(0 if values is None else values.itemsize))
            if code != 0:
                raise RuntimeError(f"it returned {code}")
            return keys, values
        return call

    return version, {name: caller(getattr(library, name)) for name in FUNCTIONS if hasattr(library, name)}


def moved_by(order_of):
    """A sort that moves keys and values to the places that an order of the keys gives."""
    def sort(keys, values):
        order = order_of(keys)
        return keys[order], values[order]
    return sort


class Answer(socketserver.StreamRequestHandler):
    def handle(self):
        name, key_type, count, value_bytes = self.rfile.readline().decode().rsplit(" ", 3)
        count, value_bytes = int(count), int(value_bytes)

        def array_of(dtype):
            dtype = numpy.dtype(dtype)
            return numpy.frombuffer(self.rfile.read(count * dtype.itemsize), dtype).copy()

        keys = array_of(TYPES[key_type])
        values = array_of(f"u{value_bytes}") if value_bytes else None
        try:
            outputs = [numpy.ascontiguousarray(output) for output in self.server.sorts[name](keys, values)
                       if output is not None]
        except Exception as problem:  # whatever a library throws is what went wrong
            outputs = []
            answer = " ".join(str(problem).split())[:200] or type(problem).__name__
        else:
            answer = "sorted"
            if sum(output.nbytes for output in outputs) != keys.nbytes + count * value_bytes:
                outputs, answer = [], f"the output has {outputs[0].size} keys of {outputs[0].itemsize} bytes"
        self.wfile.write((answer + "\n").encode())
        for output in outputs:
            self.wfile.write(output.tobytes())


class Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    request_queue_size = 1024


def main():
    path, library = sys.argv[1:]
    known = {"numpy": of_numpy, "pandas": of_pandas, "dask": of_dask, "torch-cpu": lambda: of_torch("cpu"),
             "torch": lambda: of_torch("cuda"), "cupy": of_cupy, "jax": of_jax}
    try:
        version, sorts = known[library]() if library in known else of_shared_library(library)
    except Exception as problem:  # of any kind, where a library finds no GPU
        print(f"sort_server: error: {library}: {' '.join(str(problem).split())[:200]}", file=sys.stderr)
        sys.exit(2)
    with Server(path, Answer) as server:
        server.sorts = sorts
        print("\n".join([f"{library} {version}" if library in known else version, *sorts, "ready"]), flush=True)
        server.serve_forever()


main()
