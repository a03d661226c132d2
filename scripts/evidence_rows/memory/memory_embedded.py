"""Assignments inside .hlo.pb files. Each file is analyzed alone, in a folder without the texts of its dump, and must give
what the texts give. The two programs of 2024 have no texts: XLA's total is the one inside the file, and --plan must make
it again."""
import json
import pathlib
import shutil
import tempfile

from common import enough, halo, halo_run, need_shared

ORDER = 18
WHAT = "every .hlo.pb of corpus/jax with an assignment, alone, beside the texts of its dump; MaxText and Pax of 2024"
BAR = ("at least 150 files: used instead of a plan, every allocation, offset and size as in the texts, equal totals, "
       "kinds of memory and peak, `halo check` accepts them; both programs of 2024 planned with XLA's total")
QUICK_BAR = "the same with every 20th file, and MaxText alone"
QUICK_SECONDS = 3
LEAST, QUICK_LEAST = {"files": 150}, {"files": 7}
# With the totals of the assignments that XLA wrote into them.
PROFILES = {"jax_toolbox_maxtext_fsdp4_h100": 5_879_338_654, "jax_toolbox_pax_fsdp4": 16_761_245_927}
SAME = ("total_bytes", "device_bytes", "device_bytes_by_kind", "parameters", "donated", "donated_bytes", "spaces",
        "temp_bytes", "last_position")


def figures(*arguments):
    return json.loads(halo("memory", "--json", "--no-advice", *arguments))


def placements(*arguments):
    """Returns the lines of allocations and their values, without the output's shape, which a proto may lack."""
    lines = []
    for line in halo("memory", "--print", "--style", "2026-06", *arguments).decode().splitlines():
        if line.startswith("Total bytes used"):
            break
        begin = line.find(", output shape is |")
        if begin >= 0:
            line = line[:begin] + line[line.index("|", begin + len(", output shape is |")) + 1:]
        lines.append(line)
    return lines


def differs(proto, place):
    """Returns what differs between a file alone and the texts beside it."""
    alone = pathlib.Path(place) / proto.name
    shutil.copy(proto, alone)
    text = proto.with_name(proto.name.removesuffix(".gz").removesuffix(".hlo.pb") + ".txt")
    ours, theirs = figures(alone), figures(text)
    wrong = [key for key in SAME if ours[key] != theirs[key]]
    if ours["planned_by_halo"] or theirs["planned_by_halo"]:
        wrong.append("planned")
    if ours["peak"]["bytes"] != theirs["peak"]["bytes"]:
        wrong.append("peak")
    if placements(alone) != placements(text):
        wrong.append("placements")
    if halo_run("check", alone).returncode != 0:
        wrong.append("check")
    alone.unlink()
    return wrong


def measure(quick):
    corpus = need_shared("corpus/jax")
    protos = [path for path in sorted(corpus.rglob("*after_optimizations.hlo.pb*"))
              if "samples" not in path.parts and list(path.parent.glob("*-buffer-assignment.txt"))]
    same = 0
    chosen = protos[::20] if quick else protos
    with tempfile.TemporaryDirectory() as place:
        for proto in chosen:
            wrong = differs(proto, place)
            same += not wrong
            if wrong:
                print(f"  differs: {proto.relative_to(corpus)}: {', '.join(wrong)}")
    totals = []
    for profile, total in list(PROFILES.items())[:1 if quick else None]:
        file = sorted((need_shared("profiles") / profile / "dump").glob("*after_optimizations.hlo.pb"))[0]
        given, planned = figures(file), figures("--plan", file)
        totals.append(not given["planned_by_halo"] and planned["planned_by_halo"]
                      and given["total_bytes"] == planned["total_bytes"] == total)
        print(f"  {profile}: XLA's {given['total_bytes']}, planned {planned['total_bytes']}")
    held = enough(QUICK_LEAST if quick else LEAST, {"files": len(chosen)}) and same == len(chosen) and all(totals)
    return held, f"{same} of {len(chosen)} files as their texts; {sum(totals)} of {len(totals)} programs of 2024 with XLA's total"
