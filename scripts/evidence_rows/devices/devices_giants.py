"""Shrinks the largest training steps of XLA's own benchmarks to at most 16 devices and 2 GB, verifies and runs them."""
import pathlib
import tempfile

from common import enough, halo_run, need_shared
from shrunk import same_structure, shrink, told, verifies

ORDER = 75
QUICK_SECONDS = 1
WHAT = "Llama 3.1 405B on 512 GPUs (bf16, fp8) and Mixtral 8x7B on 8 and 16, shrunk to at most 16 devices and 2 GB"
BAR = "each verifies, has the large one's instructions, and runs on every device"
LEAST = {"programs": 4}
QUICK_LEAST = {"programs": 1}
QUICK_BAR = "Llama 405B verifies and has the large one's instructions"
FOLDER = "corpus/xla/xla/tools/benchmarks/hlo"
MODELS = (("hlo_llama31_405b_bf16_64x8", 16), ("hlo_llama31_405b_fp8_64x8", 16), ("hlo_mixtral_8x7b_bf16_1x8", 8),
          ("hlo_mixtral_8x7b_bf16_2x8", 16))
LIMIT = 2 << 30


def measure(quick):
    folder, held, done = need_shared(FOLDER), True, []
    for name, devices in MODELS[:1] if quick else MODELS:
        source = folder / f"{name}.hlo"
        with tempfile.TemporaryDirectory() as scratch:
            small = pathlib.Path(scratch) / f"{name}.txt"
            report = shrink(source, small, "--to", "16MB", "--devices", str(devices))
            structure, right = same_structure(source, small), verifies(small)
            fits = report["bytes_per_device"]["after"] * report["devices"]["after"] <= LIMIT
            print(f"{name}: {told(report)}; same instructions: {structure}; verifies: {right}")
            good = structure and right and fits and report["devices"]["after"] <= 16
            if good and not quick:
                run = halo_run("run", small, "--engine", "reference", "--random", "1", "--max-memory", "2GiB")
                print(f"  {(run.stdout + run.stderr).decode().strip()[-200:]}")
                good = run.returncode == 0
            held &= good
            done.append(f"{name.removeprefix('hlo_')} {'ok' if good else 'not'}")
    return held and enough(QUICK_LEAST if quick else LEAST, {"programs": len(done)}), ", ".join(done)
