"""Checks the first line of `halo memory`: its figures against the details in the JSON, and the change that it names by
making that change and planning again."""
import json
import shlex

from common import enough, halo, halo_run, need_shared

ORDER = 5
QUICK_SECONDS = 3
WHAT = ("the verdict of `halo memory` on the five seeds and 22 programs of the corpus: three backends, five generations of "
        "devices, dumps from 2020 to 2026")
BAR = ("on at least 25 programs the first line is the JSON's verdict and every figure in it equals the details; at least "
       "15 named changes of 4 kinds, made with the option that the verdict gives, save exactly what it says")
QUICK_BAR = ("the same on the seeds and every third program of the corpus")

CORPUS = (
    "cpu/mlp_adam", "cpu/transformer_train_adam", "cpu/resnet_block_train", "cpu/kv_decode", "cpu/moe_topk",
    "cpu/fsdp_tp_mlp_train", "old/cpu_jax0430/module_0001.jit_lstm",
    "gpu/h100_1/transformer_train_bf16", "gpu/h100_1/resnet_block_train", "gpu/h100x4/mlp_fsdp4_train",
    "gpu/h100x4/transformer_fsdp4_adam", "gpu/h100x8/moe_ep_all_to_all", "gpu/a100_cublas/kv_decode",
    "gpu/a100_cublas/transformer_train_bf16", "gpu/b200x4/mlp_fsdp4_train",
    "tpu/v4_2x2x1/mlp_fsdp4_fwd", "tpu/v5e_1/moe_topk", "tpu/v5e_1/transformer_train_bf16", "tpu/v5e_2x2/mlp_fsdp4_train",
    "tpu/v5p_2x2x1/transformer_fsdp4_adam", "tpu/v6e_2x2/transformer_fsdp4_adam", "tpu/tpu7x_2x2x1/transformer_fsdp4_adam")
LEAST = {"programs": 25, "changes": 15, "kinds": 4}
QUICK_LEAST = {"programs": 12, "changes": 5, "kinds": 2}


def programs(quick):
    """Yields (name, file) of each program."""
    seeds = need_shared("seeds")
    for seed in sorted(seeds.glob("*.txt")):
        yield f"seed {seed.name[:3]}", seed
    jax = need_shared("corpus/jax")
    for name in CORPUS[::3] if quick else CORPUS:
        path = jax / name
        found = sorted(path.glob("*after_optimizations.txt") if path.is_dir()
                       else path.parent.glob(path.name + "*after_optimizations.txt"))
        # The largest module of a folder is its program.
        yield name, max(found, key=lambda file: file.stat().st_size)


def human(size):
    """A size as the command prints it; its divisions truncate."""
    if size < 1024:
        return f"{size}B"
    unit = 0
    while size >= 1024 * 1024:
        size //= 1024
        unit += 1
    return f"{size / 1024:.{2 if unit else 1}f}{'KMGT'[unit]}iB"


def problems_of(verdict, details):
    """What the verdict says that the details do not."""
    text, total = verdict["text"], verdict["total_bytes"]
    temporary = details["device_bytes_by_kind"]["temp"]
    advice = details["advice"]
    checks = {
        "total": total == details["device_bytes"] == sum(s["bytes"] for s in details["spaces"] if s["device_memory"])
        and text.startswith(human(total)),
        "temporary": verdict["temporary_bytes"] == temporary
        and verdict["temporary_percent"] == int(100 * temporary / max(total, 1) + 0.5)
        and f"; {verdict['temporary_percent']}% temporary" in text,
        "peak": not details["has_live_ranges"] or (
            verdict["peak"]["position"] == details["peak"]["position"]
            and verdict["peak"]["bytes"] == details["peak"]["bytes"] <= total
            and verdict["peak"]["source"] == details["peak"]["source"]
            and (not verdict["peak"]["source"] or not temporary or verdict["peak"]["source"] in text)),
        "best change": ("best_change" in verdict) == bool(advice) and (not advice or (
            verdict["best_change"]["bytes_saved"] == max(each["bytes_saved"] for each in advice)
            and f"best change saves {human(verdict['best_change']['bytes_saved'])}: " in text
            and verdict["best_change"]["brief"] in text)),
        "devices": all(each["fits"] == (total <= each["capacity"]) for each in verdict["devices"])
        and (details["backend"] == "cpu" or len(verdict["devices"]) >= 5),
    }
    return [name for name, holds in checks.items() if not holds]


def made(path, change):
    """The bytes that a change saves: the plan without it minus the plan with it."""
    before = json.loads(halo("memory", "--json", "--no-advice", "--plan", path))
    after = json.loads(halo("memory", "--json", "--no-advice", *shlex.split(change["option"]), path))
    saved = before["device_bytes"] - after["device_bytes"]
    return saved if saved == after["device_bytes_before"] - after["device_bytes"] else None


def device_problems(path, verdict):
    """Asks for the smallest and the largest device by name: the answer must follow from the capacity."""
    failures = []
    for device in (verdict["devices"][:1] + verdict["devices"][-1:]):
        run = halo_run("memory", "--no-advice", "--device", device["name"].upper(), path)
        first = run.stdout.decode().partition("\n")[0]
        spare = device["capacity"] - verdict["total_bytes"]
        wanted = (f"fits {device['name']} ({human(device['capacity'])}), {human(spare)} to spare" if spare >= 0 else
                  f"DOES NOT FIT {device['name']} ({human(device['capacity'])}), {human(-spare)} too large")
        if wanted not in first or run.returncode != (0 if spare >= 0 else 1):
            failures.append(f"--device {device['name']}: {first}")
    return failures


def measure(quick):
    least = QUICK_LEAST if quick else LEAST
    failures, kinds, count, changes, asked = [], {}, 0, 0, 0
    for name, path in programs(quick):
        count += 1
        details = json.loads(halo("memory", "--json", path))
        verdict = details["verdict"]
        first = halo("memory", path).decode().partition("\n")[0]
        found = [] if first == verdict["text"] else [f"the first line is not the verdict: {first}"]
        found += problems_of(verdict, details)
        if "best_change" in verdict:
            changes += 1
            change = verdict["best_change"]
            kinds[change["kind"]] = kinds.get(change["kind"], 0) + 1
            saved = made(path, change)
            if saved != change["bytes_saved"]:
                found.append(f"{change['option']} saves {saved}, not {change['bytes_saved']}")
        # A plan for another device may differ in its padding, so this is asked where the dump decides.
        if details["backend"] == "gpu" and not details["planned_by_halo"]:
            asked += 1
            found += device_problems(path, verdict)
        failures += [f"{name}: {each}" for each in found]
    for failure in failures:
        print(f"  FAILED: {failure}")
    counts = enough(least, {"programs": count, "changes": changes, "kinds": len(kinds)})
    listed = ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items()))
    return not failures and counts, (f"{count} programs, {changes} changes made ({listed}), {asked} asked for two devices, "
                                     f"{len(failures)} failures")
