"""Every compiler-printed HLO text in corpus/jax must print back unchanged. The files of jax/hand are
handwritten, so their canonical style must equal jaxlib's instead, as jaxlib 0.10.2 prints it."""
import concurrent.futures
import os

from common import as_before_2026, enough, halo, halo_run, hlo_texts, jax_script, json_lines, need_shared

ORDER = 3
QUICK_SECONDS = 7
WHAT = "corpus/jax: every HLO text, CPU, GPU and TPU, before and after optimization, all passes"
BAR = "byte-identical round trip"
QUICK_BAR = BAR
LEAST = {"texts": 450, "handwritten files": 20}

ORACLE = """
import json, pathlib, sys
from jaxlib import _hlo
for path in sys.argv[2:]:
    text = _hlo.hlo_module_from_text(pathlib.Path(path).read_text()).to_string()
    print(json.dumps({'path': path, 'text': text}))
"""


def measure(quick):
    del quick
    root = need_shared("corpus/jax")
    printed = [p for p in hlo_texts(root) if p.relative_to(root).parts[0] != "hand"]
    typed = [p for p in hlo_texts(root) if p.relative_to(root).parts[0] == "hand"]
    same = size = 0

    def is_same(path):
        run = halo_run("fmt", path)
        return run.returncode == 0 and run.stdout == path.read_bytes()

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(is_same, printed))
    for path, equal in zip(printed, results):
        same += equal
        size += path.stat().st_size
        if not equal:
            print(f"  differs: {path}")
    canonical = 0
    for row in json_lines(jax_script(ORACLE, "", *typed)):
        equal = halo("fmt", "--style=canonical", row["path"]) == as_before_2026(row["text"].encode())
        canonical += equal
        if not equal:
            print(f"  canonical style differs: {row['path']}")
    print(f"  {len(printed)} texts, {size / 1e6:.1f} MB; {canonical} of {len(typed)} typed files canonical as jaxlib")
    held = (same == len(printed) and canonical == len(typed)
            and enough(LEAST, {"texts": len(printed), "handwritten files": len(typed)}))
    return held, f"{same} of {len(printed)} byte-identical"
