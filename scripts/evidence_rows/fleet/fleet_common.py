"""Helpers of the rows about scans: programs made from the corpus, datasets read by DuckDB, and the environment with DuckDB,
Spark and Ray."""
import json
import os
import re
import subprocess
import time

from common import HALO, VENV, Skipped, hlo_texts, need_shared
from python_common import VENVS

ENTRY = re.compile(r"^ENTRY [^\n]*\{\n", re.MULTILINE)
PER_FOLDER = 100
PACKAGES = "duckdb==2.0.0 pyarrow==26.0.1 pandas==3.1.1 pyspark==4.3.0 'ray[data]==2.60.0'"


def fleet_python(*modules):
    """An interpreter that has the modules: a venv `fleets` below HALO_VENVS, or that of the build."""
    for folder in (VENVS / "fleets", VENV):
        python = folder / "bin" / "python"
        if python.exists() and subprocess.run([str(python), "-c", f"import {', '.join(modules)}"], capture_output=True,
                                              check=False).returncode == 0:
            return python
    raise Skipped(f"no environment has {', '.join(modules)}: python -m venv {VENVS / 'fleets'}, and there pip install {PACKAGES}")


def small_modules(most_bytes=9000):
    """Texts of small modules of the corpus that are read without errors."""
    texts = []
    for path in hlo_texts(need_shared("corpus") / "jax"):
        if path.stat().st_size <= most_bytes:
            text = path.read_text(encoding="utf-8", errors="replace")
            if ENTRY.search(text):
                texts.append(text)
    if len(texts) < 10:
        raise Skipped("the corpus has too few small modules")
    return texts


def varied(text, number):
    """Another program: an array that nothing reads is made first, of a size that no other variant has."""
    at = ENTRY.search(text).end()
    return f"{text[:at]}  fleet_array.{number} = f32[{number + 1}]{{0}} iota(), iota_dimension=0\n{text[at:]}"


def make_dumps(folder, count, texts, broken=0, copies=10):
    """Writes `count` files as dumps with 100 modules each. Every `copies`-th is a copy of an earlier program, as other ranks
    would have dumped it; the last `broken` files end in the middle of a line. Returns the number of different programs."""
    programs = 0
    for i in range(count):
        dump = folder / f"job_{i // PER_FOLDER:05d}"
        if i % PER_FOLDER == 0:
            dump.mkdir(parents=True)
        is_copy = i % copies == copies - 1
        number = i - 1 if is_copy else i
        text = varied(texts[number % len(texts)], number)
        is_broken = i >= count - broken
        if is_broken:
            text = text[:len(text) * 2 // 3].rsplit("(", 1)[0]
        programs += not is_copy and not is_broken
        (dump / f"module_{i % PER_FOLDER:04d}.jit_step_{number % len(texts)}.cpu_after_optimizations.txt").write_text(
            text, encoding="utf-8")
    return programs


def scan(to, *arguments, threads=2, text_input=None):
    """(document of `halo scan --json`, elapsed seconds, seconds of CPU time, peak memory in bytes)."""
    begin = time.monotonic()
    with subprocess.Popen([str(HALO), "scan", *map(str, arguments), "--to", str(to), "--json", "--threads", str(threads)],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdin.write((text_input or "").encode())
        process.stdin.close()
        out = process.stdout.read()
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - begin
    try:
        return json.loads(out), seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
    except ValueError:
        raise RuntimeError(f"halo scan: exit {process.returncode}: {said.decode(errors='replace')[-500:]}") from None


def count_from_environment(default):
    return int(os.environ.get("HALO_EVIDENCE_COUNT", default))
