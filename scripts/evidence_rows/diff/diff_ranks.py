"""Dumps of thousands of ranks, a few of which differ in one instruction: groups, time and memory of `halo diff --ranks`.

Each rank's module is a separate file. Some ranks have the bytes of the first, others the same program with other names;
files with equal bytes are links to one, so that the disk holds a few of them while the command opens all. The divergent
ranks have a changed op, other groups of a collective or another configuration. Time is CPU time; it is compared with
`halo info` of every file, measured on 64 ranks and scaled, and once more on 24 ranks of which no two have the same bytes.
The Pax job of the shared profiles must show rank 3's twelve configurations."""
import json
import os
import pathlib
import random
import re
import subprocess
import tempfile
import time

from common import SHARED, enough, need_halo

ORDER = 127
QUICK_SECONDS = 2
WHAT = "`halo diff --ranks`: dumps of 4,096 ranks, 1 to 5 divergent; the Pax job's rank 3"
BAR = ("groups exact in 100 of 100 rounds; 4,096 dumps of 5 MB in at most 1.2 times the time of `halo info`, also if no two "
       "have the same bytes; memory at most 1.2 times that of 64 ranks; 12 tile configurations named")
QUICK_BAR = "groups exact in 6 of 6 rounds of 12 ranks; 12 tile configurations named, if the profile is there"
LEAST = {"rounds": 100, "configurations": 12}
QUICK_LEAST = {"rounds": 6, "configurations": 0}
MODULE = "module_0001.jit_step.gpu_after_optimizations.txt"
PAX = SHARED / "profiles" / "jax_toolbox_pax_fsdp4" / "dump"


def program(blocks, tag="", change=None, at=0):
    """A module of so many blocks; `tag` is in every name, `change` says what differs in block `at`."""
    lines = ["HloModule jit_step, is_scheduled=true", "", "sum {", "  a = f32[] parameter(0)", "  b = f32[] parameter(1)",
             "  ROOT c = f32[] add(a, b)", "}", "", "ENTRY e {", f"  x{tag}0 = f32[8,128]{{1,0}} parameter(0)",
             f"  w{tag} = f32[8,128]{{1,0}} parameter(1)"]
    for i in range(blocks):
        here = change if i == at else None
        op = "subtract" if here == "op" else "add"
        tile = "64" if here == "config" else "32"
        groups = "{{0,1}}" if here == "collective" else "{}"
        meta = f', metadata={{op_name="jit(step)/layer_{i}{tag}/mul" source_file="train{tag}.py" source_line={i}}}'
        lines += [f"  m{tag}{i} = f32[8,128]{{1,0}} multiply(x{tag}{i}, w{tag}){meta}",
                  f"  s{tag}{i} = f32[8,128]{{1,0}} {op}(m{tag}{i}, x{tag}{i}), backend_config={{\"tile\":\"{tile}\"}}{meta}",
                  f"  x{tag}{i + 1} = f32[8,128]{{1,0}} all-reduce(s{tag}{i}), replica_groups={groups}, to_apply=sum{meta}"]
    return "\n".join([*lines, f"  ROOT t{tag} = (f32[8,128]{{1,0}}) tuple(x{tag}{blocks})", "}", ""])


def make_job(folder, ranks, blocks, chance, sources):
    """Writes the dumps; returns the groups that are right, as a set of tuples of names."""
    odd = chance.sample(range(ranks), chance.randint(1, min(5, ranks - 2)))
    groups = {}
    for rank in range(ranks):
        if rank in odd:
            key = (chance.choice(("op", "collective", "config")), chance.randrange(blocks))
            name, text = f"odd_{key[0]}_{key[1]}_{blocks}", lambda key=key: program(blocks, "", *key)
        else:
            variant = chance.choice(("", "", "", "a", "b"))
            key, name, text = None, f"same_{variant}_{blocks}", lambda variant=variant: program(blocks, variant)
        source = sources / f"{name}.txt"
        if not source.exists():
            source.write_text(text(), encoding="utf-8")
        home = folder / f"rank_{rank}"
        home.mkdir(parents=True)
        os.link(source, home / MODULE)
        groups.setdefault(key, []).append(f"rank_{rank}")
    return {tuple(group) for group in groups.values()}


def run(*arguments):
    """Returns (seconds of CPU time, peak bytes, exit code, standard output)."""
    start = time.perf_counter()
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen([str(need_halo()), *map(str, arguments)], stdout=out, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read()
    return used.ru_utime + used.ru_stime, used.ru_maxrss << 10, child.returncode, text, time.perf_counter() - start


def exact(folder, expected):
    _, _, code, text, _ = run("diff", "--ranks", folder, "--json")
    found = {tuple(group["ranks"]) for group in json.loads(text)["groups"]}
    return code == (1 if len(expected) > 1 else 0) and found == expected


def pax_configurations():
    """How many configurations of rank 3 are named with the fields that differ; None without the profile."""
    if not PAX.exists():
        return None
    text = run("diff", "--ranks", PAX)[3].decode()
    return len(re.findall(r"^ +gemm_fusion_\S+: block_m: 128 became 256", text, re.MULTILINE))


def measure(quick):
    rounds, ranks, right = (6, 12, 0) if quick else (100, 24, 0)
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        sources = work / "sources"
        sources.mkdir()
        for number in range(rounds):
            folder = work / f"round_{number}"
            right += exact(folder, make_job(folder, ranks, 20, random.Random(number), sources))
        named = pax_configurations()
        figure = f"groups exact in {right} of {rounds} rounds of {ranks} ranks; "
        figure += "the Pax job is not there" if named is None else f"{named} configurations of the Pax job's rank 3 named"
        held = right == rounds and named in (12, None)
        held = enough(QUICK_LEAST if quick else LEAST, {"rounds": right, "configurations": named or 0}) and held
        if quick:
            return held, figure
        blocks, few, many, other = 11_200, work / "few", work / "many", work / "other"  # about 5 MB
        make_job(few, 64, blocks, random.Random(1), sources)
        expected = make_job(many, 4096, blocks, random.Random(2), sources)
        for rank in range(24):
            home = other / f"rank_{rank}"
            home.mkdir(parents=True)
            (home / MODULE).write_text(program(blocks, f"r{rank}_"), encoding="utf-8")
        held = exact(many, expected) and held
        small, whole, each = (run("diff", "--ranks", folder, "--json") for folder in (few, many, other))
        info, info_other = (run("info", "--json", *sorted(folder.glob("*/*.txt"))) for folder in (few, other))
        size = next(sources.glob(f"same__{blocks}.txt")).stat().st_size
    ratio, growth, ratio_other = whole[0] / (info[0] * 64), whole[1] / small[1], each[0] / info_other[0]
    held = held and info[2] == 0 and max(ratio, growth, ratio_other) <= 1.2 and size >= 5e6 and each[2] == 0
    return held, (f"{figure}; 4,096 dumps of {size / 1e6:.1f} MB: {whole[0]:.1f} s of CPU time, {ratio:.2f} of `halo info`, "
                  f"{ratio_other:.2f} if no two have the same bytes; peak {whole[1] / 1e6:.0f} MB, {growth:.2f} of that of "
                  "64 ranks")
