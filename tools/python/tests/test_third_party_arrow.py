"""check_rows on streams of a foreign producer: the OGR layers of GDAL 3.6 and newer (Debian: libgdal32)."""

import ctypes
import ctypes.util
import random

import pytest

import keyswap

NAME = ctypes.util.find_library("gdal")
if NAME is None:
    pytest.skip("there is no libgdal", allow_module_level=True)
GDAL = ctypes.CDLL(NAME)
if not hasattr(GDAL, "OGR_L_GetArrowStream"):
    pytest.skip("libgdal is older than 3.6", allow_module_level=True)
GDAL.GDALOpenEx.restype = ctypes.c_void_p
GDAL.GDALDatasetGetLayer.restype = ctypes.c_void_p
GDAL.GDALDatasetGetLayer.argtypes = [ctypes.c_void_p, ctypes.c_int]
GDAL.GDALClose.argtypes = [ctypes.c_void_p]
GDAL.OGR_L_GetArrowStream.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
GDAL.GDALAllRegister()

VECTOR = 4  # GDAL_OF_VECTOR


def strings(*values):
    """A list of strings as GDAL takes them."""
    return (ctypes.c_char_p * (len(values) + 1))(*[value.encode() for value in values], None)


class Layer:
    """The only layer of a file, which gives its stream."""

    def __init__(self, path, batch):
        self.batch = batch
        options = strings("AUTODETECT_TYPE=YES", "EMPTY_STRING_AS_NULL=YES")
        self.dataset = GDAL.GDALOpenEx(str(path).encode(), VECTOR, strings("CSV"), options, None)
        assert self.dataset

    def __del__(self):
        GDAL.GDALClose(self.dataset)

    def __arrow_c_stream__(self, requested_schema=None):
        self.stream = (ctypes.c_void_p * 5)()  # ArrowArrayStream: four functions and private data
        options = strings("INCLUDE_FID=NO", f"MAX_FEATURES_IN_BATCH={self.batch}")
        assert GDAL.OGR_L_GetArrowStream(GDAL.GDALDatasetGetLayer(self.dataset, 0), self.stream, options)
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(self.stream), b"arrow_array_stream", None)


def write(path, rows):
    lines = ["id,amount,price,region,day,moment"]
    lines += [",".join("" if cell is None else str(cell) for cell in row) for row in rows]
    path.write_text("\n".join(lines) + "\n")


def draw_rows(draw, size):
    """The first row has no null, so that each column is of its type in every file."""
    def maybe(value):
        return None if draw.random() < 0.1 else value

    rows = [(0, 2**40, 0.25, "north", "2026/01/01", "2026/01/01 12:00:00")]
    for place in range(1, size):
        rows.append((place, maybe(draw.randrange(-5, 5)), maybe(draw.randrange(-8, 8) / 4),
                     maybe(draw.choice(["north", "south", "äußerst", "a b"])),
                     maybe(f"2026/0{draw.randrange(1, 9)}/1{draw.randrange(9)}"),
                     maybe(f"2026/01/01 1{draw.randrange(9)}:00:00")))
    return rows


def test_sorted_rows_pass_and_exchanged_ones_do_not(tmp_path):
    columns = {"amount": 1, "price": 2, "region": 3, "day": 4, "moment": 5}
    draw = random.Random(6)
    for case in range(60):
        rows = draw_rows(draw, draw.randrange(2, 200))
        by = draw.sample(sorted(columns), draw.randrange(1, 4))

        def key(row):
            cells = [row[columns[name]] for name in by]
            return [(cell is None, 0 if cell is None else cell.encode() if isinstance(cell, str) else cell) for cell in cells]

        ordered = sorted(rows, key=key)
        write(tmp_path / "before.csv", rows)
        write(tmp_path / "after.csv", ordered)
        before = Layer(tmp_path / "before.csv", draw.randrange(1, 100))
        after = Layer(tmp_path / "after.csv", draw.randrange(1, 100))
        found = keyswap.check_rows(before, after, by=by, stable=True)
        assert found, (case, by, found.text)

        first = draw.randrange(len(rows))
        second = next((place for place in range(len(rows)) if key(ordered[place]) != key(ordered[first])), None)
        if second is not None:
            ordered[first], ordered[second] = ordered[second], ordered[first]
            write(tmp_path / "after.csv", ordered)
            assert not keyswap.check_rows(before, Layer(tmp_path / "after.csv", 7), by=by)


def test_a_changed_cell_is_found(tmp_path):
    rows = sorted(draw_rows(random.Random(7), 50), key=lambda row: row[0])
    write(tmp_path / "before.csv", rows)
    for column in range(1, 6):
        changed = [list(row) for row in rows]
        place = next(place for place in range(1, 50) if changed[place][column] != rows[0][column])
        changed[place][column] = rows[0][column]
        write(tmp_path / "after.csv", changed)
        found = keyswap.check_rows(Layer(tmp_path / "before.csv", 9), Layer(tmp_path / "after.csv", 50), by="id")
        assert not found and found.sorted and not found.permutation, column
