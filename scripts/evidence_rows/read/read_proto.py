"""Compares every .hlo.pb of corpus/jax with its text twin, and sends every text that jaxlib parses through our proto.

tests/proto/Inputs/proto_vs_jaxlib.py does the comparison and lists what is removed first: attributes without a proto
field, and details that jaxlib's own reader loses."""
import re
import subprocess

from common import ROOT, enough, jax_python, need_halo, need_shared

ORDER = 4
QUICK_SECONDS = 12
WHAT = "every .hlo.pb in corpus/jax, and text to proto to jaxlib for corpus/jax and corpus/xla"
BAR = "each equals its text twin after reading both; jaxlib loads our protos and prints the same text"
QUICK_BAR = "each equals its text twin after reading both; the same through jaxlib for corpus/jax/cpu"
LEAST = {"protos": 200, "texts": 900}
QUICK_LEAST = {"protos": 200, "texts": 70}


def compare(*arguments):
    run = subprocess.run([jax_python(), str(ROOT / "tests/proto/Inputs/proto_vs_jaxlib.py"), f"--halo={need_halo()}",
                          *map(str, arguments)], capture_output=True, text=True, check=False)
    print("\n".join("  " + line for line in run.stdout.splitlines()))
    counts = {m[1]: (int(m[2]), int(m[3])) for m in re.finditer(r"^([a-z ]+): (\d+) of (\d+)$", run.stdout, re.M)}
    return run.returncode == 0, counts


def measure(quick):
    jax = need_shared("corpus/jax")
    xla = need_shared("corpus/xla")
    twins_good, counts = compare("--no-jaxlib", jax)
    texts_good, more = compare("--no-twins", jax / "cpu" if quick else jax, *([] if quick else [xla]))
    counts.update(more)
    same, total = counts.get("protos that print as their twin", (0, 0))
    texts, all_texts = counts.get("texts that jaxlib prints alike from our proto", (0, 0))
    held = (twins_good and texts_good and same == total and texts == all_texts
            and enough(QUICK_LEAST if quick else LEAST, {"protos": total, "texts": all_texts}))
    return held, f"{same} of {total} protos equal their twin; {texts} of {all_texts} texts alike through jaxlib"
