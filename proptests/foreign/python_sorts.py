#!/usr/bin/env python3
"""Sorts of Python's array libraries, kept loaded, for `keyswap record --command`.

usage: python_sorts.py PORT     says on a line each which libraries there are, then waits for requests
A request is a line of a connection: LIBRARY TYPE INPUT OUTPUT, with files of raw keys; the answer is
"sorted", or what went wrong. `tools/scripts/survey` starts it and asks.
"""
import socketserver
import sys

import numpy

NUMPY_TYPES = {"u32": "uint32", "u64": "uint64", "i32": "int32", "i64": "int64", "f32": "float32", "f64": "float64"}


def numpy_sort(keys):
    return numpy.sort(keys)


SORTS = {"numpy.sort": numpy_sort}
try:
    import torch

    if torch.cuda.is_available():
        SORTS["torch.sort"] = lambda keys: torch.sort(torch.from_numpy(keys).cuda()).values.cpu().numpy()
except ImportError:
    pass
try:
    import cupy

    SORTS["cupy.sort"] = lambda keys: cupy.asnumpy(cupy.sort(cupy.asarray(keys)))
except ImportError:
    pass
try:
    import jax

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_platforms", "cuda")
    SORTS["jax.numpy.sort"] = lambda keys: numpy.asarray(jax.numpy.sort(jax.numpy.asarray(keys)))
except ImportError:
    pass


class Answer(socketserver.StreamRequestHandler):
    def handle(self):
        library, key_type, source, destination = self.rfile.readline().decode().split()
        try:
            keys = numpy.fromfile(source, dtype=NUMPY_TYPES[key_type])
            SORTS[library](keys).tofile(destination)
            answer = "sorted"
        except Exception as problem:  # whatever a library throws is what went wrong
            answer = " ".join(str(problem).split())[:200] or type(problem).__name__
        self.wfile.write((answer + "\n").encode())


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


with Server(("127.0.0.1", int(sys.argv[1])), Answer) as server:
    for library in SORTS:
        print(library, flush=True)
    print("ready", flush=True)
    server.serve_forever()
