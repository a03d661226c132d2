"""Shrinks every program of corpus/jax/cpu, before and after optimization. Shrunk to its own size, a program must be
unchanged. Shrunk to a quarter of its bytes, it must verify, have the same instructions and run."""
import pathlib
import tempfile

from common import enough, halo_run, hlo_texts, need_shared
from shrunk import same_structure, shrink, verifies

ORDER = 76
QUICK_SECONDS = 2
WHAT = "programs of corpus/jax/cpu, before and after optimization, shrunk"
BAR = "to the same size: the same text; asked for a quarter of the bytes: all verify with the same instructions and run"
LEAST = {"modules": 76, "smaller": 46, "a quarter": 24}  # the others are all scalars and sizes that ops fix
QUICK_LEAST = {"modules": 9, "smaller": 7, "a quarter": 4}
QUICK_BAR = "the same for every eighth module"


def measure(quick):
    texts = [path for path in hlo_texts(need_shared("corpus") / "jax" / "cpu") if "optimizations" in path.name]
    wrong, smaller, reached = [], 0, 0
    texts = texts[:: 8 if quick else 1]
    for path in texts:
        with tempfile.TemporaryDirectory() as folder:
            small = pathlib.Path(folder) / "small.txt"
            report = shrink(path, small, "--to", "1TB")
            if small.read_bytes() != path.read_bytes():
                wrong.append(f"{path.name}: not itself")
            needed = report["bytes_per_device"]["before"]
            report = shrink(path, small, "--to", str(max(needed // 4, 1)))
            smaller += report["bytes_per_device"]["after"] < needed
            reached += report["bytes_per_device"]["after"] <= needed / 4
            if not verifies(small) or not same_structure(path, small):
                wrong.append(f"{path.name}: does not verify")
                continue
            run = halo_run("run", small, "--engine", "reference", "--random", "1")
            if run.returncode != 0:
                wrong.append(f"{path.parent.name}/{path.name}: {run.stderr.decode().strip()[:200]}")
    for each in wrong:
        print(each)
    print(f"{len(texts)} modules, {smaller} got smaller, {reached} to a quarter")
    counts = {"modules": len(texts), "smaller": smaller, "a quarter": reached}
    held = not wrong and enough(QUICK_LEAST if quick else LEAST, counts)
    return held, f"{len(texts) - len(wrong)} of {len(texts)}, {smaller} smaller, {reached} of them to a quarter"
