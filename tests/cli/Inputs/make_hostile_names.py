"""Writes a dump, and an archive of it, whose names and contents hold control sequences: make_hostile_names.py FOLDER."""
import io
import os
import pathlib
import sys
import tarfile

HOSTILE = "\x1b[31mRED\x1b]0;title\x07\n\u202e\x9b"
NAMES = {f"module_0001.jit_f{HOSTILE}.cpu_after_optimizations.txt": b"\xff not a module\n",
         f"module_0002.jit_g{HOSTILE}.cpu_after_optimizations.txt": (
             b"HloModule jit_g, is_scheduled=true\nENTRY e {\n  a = f32[4]{0} parameter(0), metadata={op_name=\"x/\x9b31mRED\x9d0;t\x9c/y\"}\n"
             b"  ROOT c = f32[4]{0} custom-call(a), custom_call_target=\"t\x9b31m\"\n}\n")}

folder = pathlib.Path(sys.argv[1])
(folder / "names").mkdir(parents=True)
for name, data in NAMES.items():
    (folder / "names" / name).write_bytes(data)
with tarfile.open(folder / "names.tar", "w", format=tarfile.PAX_FORMAT) as tar:
    for name, data in NAMES.items():
        member = tarfile.TarInfo(name)
        member.size = len(data)
        tar.addfile(member, io.BytesIO(data))
os.symlink(f"names/{list(NAMES)[1]}", folder / "valid.txt")
