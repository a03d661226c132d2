"""Compiles and times programs of bench/programs with jaxlib, one request per line: {"kind", "name", "folder", "write", "draw"}.
Each answer is one JSON line. With "write", the module before optimization and its inputs are written too. Results are
always written, since they may differ between vector extensions. usage: serve_jax.py SECONDS (of timing per program)"""
import json
import pathlib
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "programs"))

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import ml_dtypes  # noqa: E402, F401
import numpy as np  # noqa: E402
import wide  # noqa: E402


def stored(array):
    """As numpy can save it: types that numpy lacks become unsigned integers of their width."""
    array = np.asarray(array)
    return array if array.dtype.isbuiltin == 1 else array.view(f"u{array.dtype.itemsize}")


def library_calls(text):
    """What of an optimized module XLA does not generate code for. Its flag for vector extensions does not limit these."""
    counts = {}
    for line in text.splitlines():
        match = re.search(r"__(ynn|xnn|onednn)_fusion", line) or re.search(r'custom_call_target="([\w$]+)"', line)
        name = match[1] if match else None
        if name is None and (match := re.search(r" (convolution|fft)\(", line)):
            name = match[1]
        if name:
            counts[name] = counts.get(name, 0) + 1
    return counts


def answer(request, seconds):
    function, arguments = wide.make(request["kind"], request["name"], request["draw"])
    arrays = jax.tree.map(jnp.asarray, arguments)
    lowered = jax.jit(function, keep_unused=True).lower(*arrays)
    start = time.perf_counter()
    compiled = lowered.compile()
    compiling = time.perf_counter() - start
    start = time.perf_counter()
    out = jax.block_until_ready(compiled(*arrays))
    first = time.perf_counter() - start
    times = []
    begin = time.perf_counter()
    while len(times) < 5 or (len(times) < 100 and time.perf_counter() - begin < seconds):
        start = time.perf_counter()
        jax.block_until_ready(compiled(*arrays))
        times.append(time.perf_counter() - start)
    folder = request["folder"]
    if request["write"]:
        pathlib.Path(folder, "module.txt").write_text(lowered.compiler_ir("hlo").as_hlo_text(), encoding="utf-8")
        np.savez(f"{folder}/in.npz", **{f"in_{i}": stored(each) for i, each in enumerate(jax.tree.leaves(arrays))})
    np.savez(f"{folder}/out.npz", **{f"out_{i}": stored(each) for i, each in enumerate(jax.tree.leaves(out))})
    return {"seconds": min(times), "runs": len(times), "compile": compiling, "first": first,
            "library": library_calls(compiled.as_text())}


def main():
    print(json.dumps(list(wide.load())), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        with jax.enable_x64(wide.needs_x64(request["kind"])):
            print(json.dumps(answer(request, float(sys.argv[1]))), flush=True)


main()
