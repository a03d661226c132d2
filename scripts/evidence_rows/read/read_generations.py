"""Reads and prints back a file for each generation and for each attribute and opcode removed since 2020."""
import re

from common import ROOT, golden_tests, need, need_halo

ORDER = 5
QUICK_SECONDS = 3
WHAT = "generations G1 to G6, and every attribute and opcode dropped since 2020"
BAR = "at least one file each that reads, keeps and prints back"
QUICK_BAR = BAR
LEAST = {"golden tests": 8}

DROPPED = ("outer_dimension_partitions", "is_cross_program_prefetch", "async_group_id", "async_thread_name",
           "thread_name", "operation_queue_id", "wait_on_operation_queues", "preserve_layout", "original_value",
           "sparsity", "conv_kind")
OPCODES = ("trace", "tuple-select", "all-reduce-scatter")


def measure(quick):
    del quick
    need_halo()
    folder = need(ROOT / "tests/generations", "the golden files of the generations")
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    texts = "\n".join(p.read_text(errors="replace") for p in files)
    missing = [f"attribute {a}" for a in DROPPED if not re.search(rf"[ {{,]{a}=", texts)]
    missing += [f"opcode {o}" for o in OPCODES if not re.search(rf" {o}\(", texts)]
    missing += [f"generation G{n}" for n in range(1, 7) if not any(p.name.startswith(f"g{n}_") for p in files)]
    for what in missing:
        print(f"  no file shows {what}")
    tests = golden_tests("generations")
    print(f"  golden files of the generations: {f'{tests} pass' if tests else 'FAIL'}")
    total = 6 + len(DROPPED) + len(OPCODES)
    return not missing and tests >= LEAST["golden tests"], f"{total - len(missing)} of {total} forms have a file that reads and prints back"
