"""Runs a wasm32-wasi program under wasmtime: run_wasm.py PROGRAM [ARGUMENT...].

The program can access its arguments and the three standard streams, but no files or directories.
"""

import sys

import wasmtime


def main():
    config = wasmtime.Config()
    config.cache = True
    engine = wasmtime.Engine(config)
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    store = wasmtime.Store(engine)
    wasi = wasmtime.WasiConfig()
    wasi.argv = sys.argv[1:]
    wasi.inherit_stdin()
    wasi.inherit_stdout()
    wasi.inherit_stderr()
    store.set_wasi(wasi)
    module = wasmtime.Module.from_file(engine, sys.argv[1])
    start = linker.instantiate(store, module).exports(store)["_start"]
    try:
        start(store)
    except wasmtime.ExitTrap as trap:
        return trap.code
    return 0


if __name__ == "__main__":
    sys.exit(main())
