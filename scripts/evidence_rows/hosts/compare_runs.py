"""One run of ranks, however it is started, against the results of the same ranks on one machine."""
import json
import pathlib
import subprocess

from common import halo_run
from eval_devices import device_count, recorded_programs
from hosts_corpus import arrays


def smallest_first():
    """Name, module, archive of inputs and number of devices of the recorded programs."""
    programs = sorted(recorded_programs(), key=lambda each: pathlib.Path(each[1]).stat().st_size)
    return [(*each, device_count(each[2])) for each in programs]


def on_one_machine(module, archive, devices, output):
    """The arrays of the results. Raises RuntimeError if there are none."""
    run = halo_run("run", module, "--devices", devices, "--inputs", archive, "-o", output)
    if run.returncode != 0:
        raise RuntimeError(f"one machine: {run.stderr.decode(errors='replace').strip()[-300:]}")
    return arrays(output)


def compare_run(words, output, devices, expected):
    """Runs it. Returns what is wrong, or None, and the number of collectives that went by messages."""
    run = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300, stdin=subprocess.DEVNULL)
    if run.returncode != 0:
        return f"exit {run.returncode}: {(run.stderr + run.stdout).strip()[-300:]}", 0
    answer = json.loads(run.stdout)
    if answer["engine"] != "compiled" or answer["ranks"] != devices:
        return f"engine {answer['engine']}, {answer['ranks']} ranks", 0
    found = arrays(output)
    output.unlink()
    differing = sorted(name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name))
    if differing:
        return f"{len(differing)} of {len(expected)} results differ: {', '.join(differing[:4])}", 0
    return None, answer["collectives_by_messages"]
