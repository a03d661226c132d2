"""Repeats the rows about devices with all data exchanged by MPI messages, as between machines, on this machine."""
import json
import os
import pathlib
import tempfile

import devices_collectives
import devices_cpu_corpus
import devices_h100_corpus
import devices_kill
import devices_seed_002
import devices_seed_004
import devices_wrong
from common import Skipped, enough, halo_run
from devices_cpu_corpus import need_ranks

ORDER = 77
WHAT = ("the rows devices-cpu-corpus, -h100-corpus, -seed-002, -seed-004, -kill and -wrong with the ranks exchanging data by "
        "messages only (HALO_DEVICES_TRANSPORT=messages), and every op of devices-collectives")
BAR = "each row's own bar, but for the speeds of devices-collectives; every collective of a run goes by messages"
QUICK_BAR = "every collective of a run goes by messages; groups that do not match are diagnosed"
QUICK_SECONDS = 5
ROWS = (devices_wrong, devices_cpu_corpus, devices_h100_corpus, devices_seed_002, devices_kill, devices_seed_004)
LEAST, QUICK_LEAST = {"rows": 5}, {"collectives": 5}  # the last row needs 16 GiB

PROGRAM = """HloModule some, replica_count=4
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
ENTRY e {
  x = f32[8,3] parameter(0)
  sum = f32[8,3] all-reduce(x), replica_groups={{0,1},{2,3}}, to_apply=add
  all = f32[32,3] all-gather(sum), replica_groups={}, dimensions={0}
  part = f32[8,3] reduce-scatter(all), replica_groups={}, dimensions={0}, to_apply=add
  swapped = f32[8,3] all-to-all(part), replica_groups={}, dimensions={0}
  ROOT moved = f32[8,3] collective-permute(swapped), source_target_pairs={{0,1},{1,2},{2,3},{3,0}}
}
"""
COLLECTIVES = 5


def by_messages(folder):
    """Runs a program with every kind of collective. Returns how many went by messages, or what is wrong."""
    module, inputs, expected = folder / "some.txt", folder / "in.npz", folder / "out.npz"
    module.write_text(PROGRAM)
    one = halo_run("run", module, "--engine", "reference", "--random", 1, "--save-inputs", inputs, "--output", expected)
    many = halo_run("run", module, "--devices", 4, "--inputs", inputs, "--compare", expected, "--json")
    if one.returncode != 0 or many.returncode != 0:
        return (one.stderr + many.stderr).decode(errors="replace")[-500:]
    answer = json.loads(many.stdout)
    if answer["engine"] != "compiled" or answer["ranks"] != 4 or not answer["comparison"]["agrees"]:
        return f"engine {answer['engine']}, {answer['ranks']} ranks"
    return answer["collectives_by_messages"]


def measure_rows():
    held, measured, told = True, 0, []
    for row in ROWS:
        name = row.__name__.replace("_", "-")
        try:
            good, figure = row.measure(False)
        except Skipped as reason:
            print(f"{name}: not measured: {reason}")
            continue
        measured += 1
        held &= good
        told.append(f"{name.removeprefix('devices-')}: {figure if good else 'DOES NOT HOLD: ' + figure}")
        print(told[-1], flush=True)
    worst = 0
    for op in devices_collectives.OPS:
        for row in devices_collectives.run_bench(8, op, (64 << 10, 1 << 20), 0.3):
            bare = min(row["mpi_blocking_ms"], row["mpi_waited_ms"])
            worst = max(worst, row["ours_ms"] / bare)
            print(f"{op} {row['bytes'] >> 10} KB by messages: {row['ours_ms']:.3f} ms, bare MPI {bare:.3f} ms")
    told.append(f"at worst {worst:.1f} times bare MPI's time")
    return held and enough(LEAST, {"rows": measured}), "; ".join(told)


def measure(quick):
    need_ranks()
    before = os.environ.get("HALO_DEVICES_TRANSPORT")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        try:
            os.environ.pop("HALO_DEVICES_TRANSPORT", None)
            shared = by_messages(folder)
            os.environ["HALO_DEVICES_TRANSPORT"] = "messages"
            messages = by_messages(folder)
            print(f"collectives by messages: {messages} of {COLLECTIVES}; without the variable: {shared}")
            held = messages == COLLECTIVES and enough(QUICK_LEAST, {"collectives": messages}) and shared == 0
            if quick:
                program = "mismatched groups"
                (folder / "wrong").mkdir()
                diagnosed = devices_wrong.diagnosed(program, *devices_wrong.PROGRAMS[program], folder / "wrong")
                return held and diagnosed, f"{messages} of {COLLECTIVES} by messages; {program} diagnosed: {diagnosed}"
            good, figure = measure_rows()
        finally:
            os.environ.pop("HALO_DEVICES_TRANSPORT", None)
            if before is not None:
                os.environ["HALO_DEVICES_TRANSPORT"] = before
    return held and good, f"{messages} of {COLLECTIVES} collectives by messages; {figure}"
