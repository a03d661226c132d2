"""Writes generated programs as XLA dumps them, laid out as corpus/jax: python -m unseen_programs.make FOLDER SEED PLATFORM
SPECIFICATIONS NUMBER... For the CPU, each program's folder also gets io.npz, its inputs and outputs. Prints a JSON line
before and after each program: a crash of XLA leaves the first without the second."""
import json
import os
import pathlib
import sys
import time


def sort_dump(dump, folder, name):
    """Moves one program's files out of the common folder of dumps; keeps what halo reads."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in dump.glob(f"*jit_{name}.*"):
        if path.is_file() and path.name.endswith((".txt", ".hlo.pb")) and "thunk_sequence" not in path.name:
            path.rename(folder / path.name)
        elif path.is_file():
            path.unlink()


def main(folder, seed, platform, specifications, numbers):
    folder = pathlib.Path(folder)
    dump = folder / f"dump-{os.getpid()}"
    dump.mkdir(parents=True)
    from . import compiling
    os.environ["XLA_FLAGS"] = compiling.flags(dump, platform)
    import jax
    import numpy as np
    from . import program
    devices = compiling.devices_of(platform, specifications)
    for number in numbers:
        name = f"u{number}"
        print(json.dumps({"at": number}), flush=True)
        start = time.monotonic()
        row = {"number": number}
        try:
            made, row["what"] = program(seed, number)
            target = folder / name
            compiled = compiling.Compiled(made, name, devices)
            sort_dump(dump, target, name)
            if platform == "cpu":
                outputs = compiled.run(compiled.leaves)
                np.savez(target / "io.npz", **{k: compiling.plain(v) for k, v in {**compiled.inputs, **outputs}.items()})
            row["devices"] = len(compiled.partitions)
            (target / "manifest.json").write_text(json.dumps({"num_devices": row["devices"], "what": row["what"]}))
        except Exception as error:  # XLA's and JAX's error types are many
            row["error"] = f"{type(error).__name__}: {str(error)[:400]}"
            sort_dump(dump, folder / "failed", name)
        jax.clear_caches()
        row["seconds"] = round(time.monotonic() - start, 2)
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4], [int(each) for each in sys.argv[5:]])
