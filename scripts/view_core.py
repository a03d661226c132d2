"""Sends requests to the viewer's WebAssembly core under wasmtime, as a page does: view_core.py WASM REQUEST FILE...

Opens the files, pairs them and prints the JSON of the result. If REQUEST is -, each line of standard input is
{"request": ..., "files": [...]} and each line of the output is the result of one request.
"""

import gzip
import json
import pathlib
import struct
import sys

import wasmtime

TYPES = {"u8": "B", "u16": "H", "u32": "I", "i32": "i", "f32": "f", "f64": "d"}


class ViewCore:
    def __init__(self, path):
        config = wasmtime.Config()
        config.cache = True
        engine = wasmtime.Engine(config)
        linker = wasmtime.Linker(engine)
        linker.define_wasi()
        self.store = wasmtime.Store(engine)
        self.store.set_wasi(wasmtime.WasiConfig())
        exports = linker.instantiate(self.store, wasmtime.Module.from_file(engine, str(path))).exports(self.store)
        self.memory = exports["memory"]
        self.calls = {name: exports["halo_" + name] for name in ("alloc", "free", "open", "close", "ask")}
        exports["_initialize"](self.store)

    def call(self, name, *arguments):
        return self.calls[name](self.store, *arguments)

    def put(self, data):
        """Copies the bytes into the module's memory and returns their address."""
        at = self.call("alloc", len(data)) & 0xFFFFFFFF
        if at == 0:
            raise MemoryError("the module has no memory left")
        self.memory.write(self.store, data, at)
        return at

    def open(self, name, data):
        name = name.encode()
        name_at = self.put(name)
        document = self.call("open", name_at, len(name), self.put(data), len(data))
        self.call("free", name_at)
        return document

    def ask_block(self, document, request):
        request = json.dumps(request).encode()
        at = self.put(request)
        answer = self.call("ask", document, at, len(request)) & 0xFFFFFFFF
        self.call("free", at)
        total, = struct.unpack("<I", self.memory.read(self.store, answer, answer + 4))
        block = bytes(self.memory.read(self.store, answer, answer + total))
        self.call("free", answer)
        return block

    def ask(self, document, request):
        """Returns the JSON of the result; arrays stay references."""
        block = self.ask_block(document, request)
        size, = struct.unpack_from("<I", block, 4)
        return json.loads(block[8:8 + size])

    def bytes(self):
        """Returns the size of the module's memory, which never shrinks."""
        return self.memory.data_len(self.store)


def array(block, place):
    """Returns a typed array of a result block as a list."""
    size, = struct.unpack_from("<I", block, 4)
    start = (8 + size + 7) // 8 * 8 + place["at"]
    return list(struct.unpack_from(f"<{place['count']}{TYPES[place['$array']]}", block, start))


def ask_files(core, request, files):
    documents = []
    for path in files:
        data = pathlib.Path(path).read_bytes()
        # A page also decompresses files before it opens them.
        documents.append(core.open(path, gzip.decompress(data) if path.endswith(".gz") else data))
    for other in documents[1:]:
        core.ask(documents[0], {"ask": "pair", "with": other})
    answer = core.ask(documents[0], request)
    for document in documents:
        core.call("close", document)
    return answer


def main():
    core = ViewCore(sys.argv[1])
    if sys.argv[2] != "-":
        print(json.dumps(ask_files(core, json.loads(sys.argv[2]), sys.argv[3:]), indent=2))
        return
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(ask_files(core, asked["request"], asked["files"])), flush=True)


if __name__ == "__main__":
    main()
