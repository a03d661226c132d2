"""Writes an .npz without numpy: make_npz.py OUT [--deflate] NAME=DTYPE:DIMS:VALUES ...

DTYPE is numpy's (<f4, |b1, |V2), DIMS like 2x3 (empty for a scalar), VALUES separated by commas; one
value alone fills the array. Half-width and void elements are given as their bits."""
import struct
import sys
import zipfile

FORMATS = {"f4": "f", "f8": "d", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I",
           "u8": "Q", "b1": "B", "V2": "H", "V1": "B", "f2": "H"}


def npy(dtype, dims, values):
    count = 1
    for dim in dims:
        count *= dim
    kind = FORMATS[dtype.lstrip("<|>")]
    numbers = [float(v) if kind in "fd" else int(v) for v in values.split(",") if v]
    if len(numbers) == 1:
        numbers *= count
    shape = "(" + "".join(f"{dim}, " for dim in dims) + ")"
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + struct.pack(f"<{len(numbers)}{kind}", *numbers)


def main():
    out, arguments = sys.argv[1], sys.argv[2:]
    method = zipfile.ZIP_STORED
    if arguments and arguments[0] == "--deflate":
        method, arguments = zipfile.ZIP_DEFLATED, arguments[1:]
    with zipfile.ZipFile(out, "w", method) as archive:
        for argument in arguments:
            name, rest = argument.split("=", 1)
            dtype, dims, values = rest.split(":", 2)
            archive.writestr(name + ".npy", npy(dtype, [int(d) for d in dims.split("x") if d], values))


main()
