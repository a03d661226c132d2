"""Tests the assignment checker: it must accept XLA's assignments and find the errors in damaged ones."""
import pathlib
import subprocess
import tempfile

from common import BUILD, json_lines, need, write_assignment_list

ORDER = 36
WHAT = ("every assignment of the corpus, with its module and without; and random damage to correct ones (21 kinds), "
        "classified by a brute-force map of bytes")
BAR = "all of XLA's accepted; of 10,000 damaged ones every harmful one is found and no harmless one flagged"


def run(name, *arguments):
    tool = need(BUILD / "bench" / name, f"the release build's {name}")
    result = subprocess.run([str(tool), *map(str, arguments)], capture_output=True, text=True, check=True)
    lines = result.stdout.splitlines()
    print("\n".join("  " + line for line in lines[:-1]))
    return json_lines(lines[-1])[0]


def measure(quick):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "list"
        write_assignment_list(path)
        real = run("check_assignments", path)
        damaged = run("checker_mutations", path, 2_100 if quick else 10_500)
    for way in ("with", "without"):
        print(f"  {way} module: {real[way]['accepted']} of {real[way]['checked']} accepted, "
              f"{real[way]['values']} values, {real[way]['unproven']} pairs neither proved nor disproved")
    alone = damaged["alone"]
    print(f"  for comparison, without the module: {alone['harmful'] - alone['missed']} of {alone['harmful']} harmful "
          f"found, {alone['false_alarms']} of {alone['harmless']} harmless flagged")
    held = (real["unread"] == 0 and damaged["missed"] == 0 and damaged["false_alarms"] == 0
            and all(real[way]["accepted"] == real[way]["checked"] > 0 for way in ("with", "without"))
            and damaged["harmful"] > 0 and damaged["harmless"] > 0)
    return held, (f"{real['without']['accepted']} of {real['without']['checked']} of XLA's accepted; "
                  f"{damaged['harmful'] - damaged['missed']} of {damaged['harmful']} harmful found, "
                  f"{damaged['false_alarms']} of {damaged['harmless']} harmless flagged")
