"""Tests the assignment checker: it must accept XLA's assignments and find the errors in damaged ones."""
import pathlib
import subprocess
import tempfile

from common import assignment_list, enough, json_lines, program, write_assignment_list

ORDER = 36
QUICK_SECONDS = 2
WHAT = ("every assignment of the corpus, with its module and without; and random damage to correct ones (21 kinds), "
        "classified by a brute-force map of bytes")
BAR = "all of XLA's accepted; of 10,000 damaged ones every harmful one is found and no harmless one flagged"
QUICK_BAR = "all of XLA's accepted; of 2,100 damaged ones every harmful one is found and no harmless one flagged"
LEAST = {"assignments": 161, "with their module": 159, "harmful": 5_000, "harmless": 2_000}
QUICK_LEAST = {"assignments": 161, "with their module": 159, "harmful": 1_000, "harmless": 400}
DAMAGED, QUICK_DAMAGED = 10_500, 2_100


def run(name, *arguments):
    result = subprocess.run([str(program(f"bench/{name}")), *map(str, arguments)], capture_output=True, text=True, check=True)
    lines = result.stdout.splitlines()
    print("\n".join("  " + line for line in lines[:-1]))
    return json_lines(lines[-1])[0]


def measure(quick):
    asked = QUICK_DAMAGED if quick else DAMAGED
    listed = assignment_list()
    there = {"with": sum(module is not None for _, module, _ in listed), "without": len(listed)}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "list"
        write_assignment_list(path)
        real = run("check_assignments", path)
        damaged = run("checker_mutations", path, asked)
    for way in ("with", "without"):
        print(f"  {way} module: {real[way]['accepted']} of {real[way]['checked']} accepted, "
              f"{real[way]['values']} values, {real[way]['unproven']} pairs neither proved nor disproved")
    alone = damaged["alone"]
    print(f"  for comparison, without the module: {alone['harmful'] - alone['missed']} of {alone['harmful']} harmful "
          f"found, {alone['false_alarms']} of {alone['harmless']} harmless flagged")
    held = (real["unread"] == 0 and damaged["missed"] == 0 and damaged["false_alarms"] == 0
            and all(real[way]["accepted"] == real[way]["checked"] == there[way] for way in there)
            and damaged["harmful"] + damaged["harmless"] == asked
            and enough(QUICK_LEAST if quick else LEAST, {
                "assignments": real["without"]["checked"], "with their module": real["with"]["checked"],
                "harmful": damaged["harmful"], "harmless": damaged["harmless"]}))
    return held, (f"{real['without']['accepted']} of {real['without']['checked']} of XLA's accepted; "
                  f"{damaged['harmful'] - damaged['missed']} of {damaged['harmful']} harmful found, "
                  f"{damaged['false_alarms']} of {damaged['harmless']} harmless flagged")
