"""Generates the cases of op_cases.py, runs them with jaxlib and compares our results. Runs in jaxlib's environment.

    op_oracle.py make FOLDER FIRST LAST OP...    writes OP-N.hlo, .in.npz and .want.npz
    op_oracle.py compare FOLDER                  reads .got.npz too; prints a JSON line for each case

A case that jaxlib does not run (its CPU lacks the op on that type) leaves no .want.npz."""
import json
import pathlib
import re
import sys

import jax
import ml_dtypes
import numpy as np
from jax._src.lib import xla_client
from jaxlib import _hlo

import op_cases

JOINED = 20  # cases per compilation
EPSILON = {"f64": 2.0**-52, "f32": 2.0**-23, "f16": 2.0**-10, "bf16": 2.0**-7, "c64": 2.0**-23, "c128": 2.0**-52}
# Allowed relative difference between two correct functions. f32: the row's bar. Narrow types: two steps, one for the
# function and one for double rounding. f64: the accuracy of XLA's own polynomials.
RELATIVE = {"f64": 1e-12, "c128": 1e-12, "f32": 1e-5, "c64": 1e-5, "f16": 2.0**-9, "bf16": 2.0**-6}
NAMES = {np.dtype(v): k for k, v in op_cases.NUMPY.items()}
TINY = {"f64": 2.3e-308, "c128": 2.3e-308, "f32": 1.2e-38, "c64": 1.2e-38, "bf16": 1.2e-38, "f16": 6.2e-5}


def execute(text, inputs):
    module = _hlo.hlo_module_from_text(text)
    stable = xla_client._xla.mlir.hlo_to_stablehlo(module.as_serialized_hlo_module_proto())
    options = xla_client.CompileOptions()
    options.device_assignment = xla_client.DeviceAssignment.create(np.zeros((1, 1), np.int32))
    device = jax.devices("cpu")[0]
    program = device.client.compile_and_load(stable, xla_client.DeviceList((device,)), options)
    results = program.execute_sharded([jax.device_put(array, device) for array in inputs])
    return [np.asarray(shard) for out in results.disassemble_into_single_device_arrays() for shard in out]


def is_numpys(dtype):
    """Whether this is numpy's own type. Types of ml_dtypes may also claim to be floats."""
    return dtype.kind in "biuc" or dtype in (np.float16, np.float32, np.float64)


def plain(array):
    """Returns the array in a form that numpy can store; types unknown to numpy are stored as their bits."""
    array = np.asarray(array)
    if NAMES.get(array.dtype) in ("s4", "u4", "s2", "u2"):
        return array.astype(np.int8 if NAMES[array.dtype][0] == "s" else np.uint8)
    return array if is_numpys(array.dtype) else array.view(f"u{array.dtype.itemsize}")


def parts_of(shape):
    """Returns the shapes of a tuple's elements, or the shape itself."""
    return re.findall(r"\w+\[[^\]]*\]", shape)


def joined(cases):
    """Combines all cases into one module that calls their entries; jaxlib compiles it in little more time than one.
    Returns its text and the number of results of each case."""
    texts, calls, counts, parameters = [], [], [], 0
    roots = []
    for i, case in enumerate(cases):
        text = case.text.replace("HloModule case", "").replace("ENTRY main {", "main {")
        for name in set(re.findall(r"^(\w+) \{", text, re.M)):
            text = re.sub(rf"\b{name}\b(?!=)", f"c{i}_{name}", text)
        texts.append(text)
        result = re.search(r"c%d_main \{.*?ROOT \w+ = (\([^=]*?\)|\S+) " % i, text, re.S).group(1)
        names = []
        for array in re.findall(r"p\d+ = (\S+) parameter", text[text.index(f"c{i}_main {{"):]):
            names.append(f"q{parameters}")
            calls.append(f"  q{parameters} = {array} parameter({parameters})")
            parameters += 1
        calls.append(f"  r{i} = {result} call({', '.join(names)}), to_apply=c{i}_main")
        parts = parts_of(result)
        counts.append(len(parts))
        if result.startswith("("):
            for k, part in enumerate(parts):
                calls.append(f"  r{i}_{k} = {part} get-tuple-element(r{i}), index={k}")
                roots.append((f"r{i}_{k}", part))
        else:
            roots.append((f"r{i}", result))
    whole = f"  ROOT out = ({', '.join(s for _, s in roots)}) tuple({', '.join(n for n, _ in roots)})"
    return "HloModule cases\n" + "\n".join(texts) + "ENTRY main {\n" + "\n".join(calls) + "\n" + whole + "\n}\n", counts


def ask(cases):
    """Returns the results of each case, or the error."""
    try:
        if len(cases) == 1:
            return [execute(cases[0].text, cases[0].inputs)]
        text, counts = joined(cases)
        arrays = execute(text, [array for case in cases for array in case.inputs])
        wants = []
        for count in counts:
            wants.append(arrays[:count])
            arrays = arrays[count:]
        return wants
    except Exception as error:  # jaxlib's own error type is not public
        if len(cases) > 1:
            return [ask([case])[0] for case in cases]
        return [str(error)[:120]]


def make(folder, first, last, ops):
    jax.config.update("jax_enable_x64", True)
    for op in ops:
        numbers = [n for n in range(first, last) if not (folder / f"{op}-{n}.asked").exists()]
        for begin in range(0, len(numbers), JOINED):
            batch = [(folder / f"{op}-{n}", op_cases.make(op, n)) for n in numbers[begin:begin + JOINED]]
            for (path, case), want in zip(batch, ask([case for _, case in batch])):
                path.with_suffix(".hlo").write_text(case.text)
                np.savez(path.with_suffix(".in.npz"), **{f"in_{i}": plain(a) for i, a in enumerate(case.inputs)})
                if not isinstance(want, str):
                    np.savez(path.with_suffix(".want.npz"), **{f"out_{i}": plain(a) for i, a in enumerate(want)})
                    want = [NAMES[a.dtype] for a in want]
                path.with_suffix(".asked").write_text(json.dumps(want))


def load(path, types):
    stored = np.load(path)
    arrays = []
    for i, name in enumerate(types):
        array = stored[f"out_{i}"]
        known = np.dtype(op_cases.NUMPY[name])
        arrays.append(array if is_numpys(known) or name in ("s4", "u4", "s2", "u2") else array.view(known))
    return arrays


def magnitude(case):
    """Returns the magnitude of the summed terms. A sum much smaller than its terms may have a large relative error."""
    largest = 1.0
    for array in case.inputs:
        numbers = np.asarray(array)
        if numbers.dtype.kind in "biu" or numbers.size == 0:
            continue
        wide = np.abs(numbers.astype(np.complex128 if numbers.dtype.kind == "c" else np.float64))
        finite = wide[np.isfinite(wide)]
        if finite.size:
            largest *= max(1.0, float(finite.max()))
    return largest


def differs(case, op, name, got, want):
    """Returns None, or a description of differing elements."""
    if got.shape != want.shape:
        return f"shape {got.shape} for {want.shape}"
    if getattr(case, "triangle", None):
        cut = np.tril if case.triangle == "true" else np.triu
        got, want = cut(got), cut(want)
    if name not in RELATIVE and not name.startswith("f"):
        return None if np.array_equal(got, want) else f"{got.ravel()[:4]} for {want.ravel()[:4]}"
    a = got.astype(np.complex128 if name in ("c64", "c128") else np.float64)
    b = want.astype(a.dtype)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if case.exact:
        return None if same.all() else f"{got[~same][:3]} for {want[~same][:3]}"
    with np.errstate(all="ignore"):
        error = np.abs(a - b)
        # f8: one ulp, whose size depends on the number.
        relative = RELATIVE.get(name, 2.0**-(ml_dtypes.finfo(want.dtype).nmant))
        allowed = relative * np.abs(b)
        if case.length > 1:
            allowed = np.maximum(allowed, 4 * EPSILON.get(name, relative) * case.length * max(
                magnitude(case), float(np.max(np.abs(b[np.isfinite(b)]), initial=0))))
        if case.loose:
            allowed = np.maximum(allowed, case.loose * float(np.max(np.abs(b[np.isfinite(b)]), initial=1)))
        # XLA's CPU flushes denormals to zero.
        allowed = np.maximum(allowed, TINY.get(name, 0.0))
        ok = same | ((error <= allowed) & np.isfinite(b))
    if name in ("c64", "c128"):  # any two non-finite complex numbers count as equal
        ok |= ~np.isfinite(a) & ~np.isfinite(b)
    return None if ok.all() else f"{got[~ok][:3]} for {want[~ok][:3]}"


def compare_all(folder):
    for path in sorted(folder.glob("*.asked")):
        op, _, number = path.stem.rpartition("-")
        types = json.loads(path.read_text())
        if isinstance(types, str):
            print(json.dumps({"op": op, "number": int(number), "unasked": types}))
            continue
        case = op_cases.make(op, int(number))
        row = {"op": op, "number": int(number), "types": types}
        base = folder / f"{op}-{number}"
        if not base.with_suffix(".got.npz").exists():
            row["wrong"] = "no result"
        else:
            for name, got, want in zip(types, load(base.with_suffix(".got.npz"), types), load(base.with_suffix(".want.npz"), types)):
                word = differs(case, op, name, got, want)
                if word:
                    row["wrong"] = f"{name}: {word}"
        print(json.dumps(row))


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[2])
    if sys.argv[1] == "make":
        make(target, int(sys.argv[3]), int(sys.argv[4]), sys.argv[5:] or list(op_cases.CASES))
    else:
        compare_all(target)
