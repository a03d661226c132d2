"""Checks that docs/examples/mixtral-memory.md matches the command's current output and that its numbers add up."""
import json
import re

from common import ROOT, enough, halo, halo_run, need_shared

ORDER = 30
QUICK_SECONDS = 1
WHAT = "seed 002, a training step of Mixtral 8x22B on 16 GPUs, explained by `halo memory`"
BAR = "docs/examples/mixtral-memory.md is the command's output; its figures add up"
QUICK_BAR = BAR
LEAST = {"commands": 4, "checks": 9}
DOCUMENT = ROOT / "docs" / "examples" / "mixtral-memory.md"


def blocks(text):
    """Yields (command, output) of each fenced block that begins with a command."""
    for block in re.findall(r"^```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        first, _, rest = block.partition("\n")
        if first.startswith("$ halo "):
            yield first[len("$ halo "):], rest


def measure(_quick):
    seed = next(need_shared("seeds").glob("002_*"))
    failures = []
    shown = list(blocks(DOCUMENT.read_text()))
    for command, wanted in shown:
        arguments = [str(seed) if word == "mixtral.txt" else word for word in command.split()]
        printed = halo_run(*arguments, width=100).stdout.decode().replace(str(seed), "mixtral.txt")
        if printed != wanted:
            failures.append(f"halo {command} prints something else now")
    answer = json.loads(halo("memory", "--json", "--advice", "--top", "100000", seed))
    live = sum(item["bytes"] for item in answer["largest"])
    groups = sum(group["bytes"] for group in answer["groups"])
    checks = {
        "the spaces add up to the total": sum(s["bytes"] for s in answer["spaces"]) == answer["total_bytes"],
        "what is live adds up to the peak": live == answer["peak"]["bytes"],
        "so do the groups": groups == answer["peak"]["bytes"],
        "and the roles": sum(k["bytes"] for k in answer["roles"]) == answer["peak"]["bytes"],
        "the profile's top is the peak": max(answer["profile"]["temp_bytes"]) == answer["temp_live_at_peak"],
        "the peak is not above the total": answer["peak"]["bytes"] <= answer["device_bytes"],
        "all that is live is live then": all(
            item["kind"] != "temp" or item["from"] <= answer["peak"]["position"] <= item["to"]
            for item in answer["largest"]),
        "something would help": any(each["bytes_saved"] > 0 for each in answer["advice"]),
        "advice is sorted": [a["bytes_saved"] for a in answer["advice"]]
        == sorted((a["bytes_saved"] for a in answer["advice"]), reverse=True),
    }
    failures += [name for name, holds in checks.items() if not holds]
    for failure in failures:
        print(f"  FAILED: {failure}")
    enough_shown = enough(LEAST, {"commands": len(shown), "checks": len(checks)})
    return not failures and enough_shown, f"{len(shown)} commands as documented, {len(checks)} checks, {len(failures)} failures"
