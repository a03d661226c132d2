"""Runs programs of bench/programs with jaxlib for as long as it is told to, as a peer on a busy machine. The first line of
input is [[kind, name, folder], ...]: each is compiled, and its module and inputs are written to its folder. Every other line
is [number, seconds]: that program runs for so long, and the answer is the mean time of a run and their number."""
import json
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "programs"))

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import wide  # noqa: E402


def prepared(kind, name, folder):
    function, arguments = wide.make(kind, name)
    arrays = jax.tree.map(jnp.asarray, arguments)
    lowered = jax.jit(function, keep_unused=True).lower(*arrays)
    pathlib.Path(folder, "module.txt").write_text(lowered.compiler_ir("hlo").as_hlo_text(), encoding="utf-8")
    leaves = [np.asarray(each) for each in jax.tree.leaves(arrays)]
    np.savez(f"{folder}/in.npz", **{f"in_{i}": each if each.dtype.isbuiltin == 1 else each.view(f"u{each.itemsize}")
                                    for i, each in enumerate(leaves)})
    compiled = lowered.compile()
    out = jax.block_until_ready(compiled(*arrays))
    np.savez(f"{folder}/out.npz", **{f"out_{i}": np.asarray(each) for i, each in enumerate(jax.tree.leaves(out))})
    return lambda: jax.block_until_ready(compiled(*arrays))


def main():
    wide.load()
    programs = [prepared(*each) for each in json.loads(sys.stdin.readline())]
    print("ready", flush=True)
    for line in sys.stdin:
        number, seconds = json.loads(line)
        begin, runs = time.perf_counter(), 0
        while time.perf_counter() - begin < seconds or runs < 3:
            programs[number]()
            runs += 1
        print(json.dumps([(time.perf_counter() - begin) / runs, runs]), flush=True)


main()
