"""Runs seed 002, shrunk and on four meshes, as 64 ranks on 8 hosts, and the same program with fewer meshes on fewer hosts.
Results must be those of one machine, and a rank must not need more memory because there are more of them. Also states
what starting costs, by number of ranks, with a program that does hardly anything; on a machine with fewer cores than ranks,
that includes what waiting ranks spend on looking. Each host is a session: with kernel.sched_autogroup_enabled=1, Linux 6.18 lets
some of them wait for seconds, and a run may end because a host seems to stand still."""
import json
import pathlib
import subprocess
import tempfile
import time

from common import ROOT, Skipped, enough, halo_run, need_halo, need_shared
from devices_cpu_corpus import need_ranks
from hosts_corpus import arrays, why
from more_meshes import more_meshes
from net_hosts import Hosts, need_root
from shrunk import shrink

ORDER = 82
QUICK_SECONDS = 0
WHAT = "seed 002 shrunk, on 1, 2 and 4 meshes of 16 devices, as 16, 32 and 64 ranks on 2, 4 and 8 hosts; starting 8 to 64 ranks"
BAR = "64 ranks give the bits of one machine; the memory of a rank at 64 is at most 1.15 of that at 16"
QUICK_BAR = BAR + " (no quick form)"
LEAST = {"ranks": 64, "hosts": 8, "results": 64}
MESH, ON_HOST = 16, 8
STARTS = (8, 16, 32, 64)
FLAT = 1.15
RUN = ["--random", 1, "--fill-elided", "iota"]
SMALL = """HloModule small, replica_count=%d
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
ENTRY e { x = f32[64] parameter(0)  ROOT r = f32[64] all-reduce(x), replica_groups={}, to_apply=add }
"""


class Rank:
    """The last that was seen of one process."""

    def __init__(self):
        self.peak = self.cpu = self.joined = 0.0

    def look(self, pid):
        try:
            status = pathlib.Path(f"/proc/{pid}/status").read_text()
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            has_joined = self.joined or "libhalo_engine_plugin" in pathlib.Path(f"/proc/{pid}/maps").read_text()
        except OSError:
            return
        for line in status.splitlines():
            if line.startswith("VmHWM:"):
                self.peak = max(self.peak, int(line.split()[1]) / 1024)
        self.cpu = (int(fields[11]) + int(fields[12])) / 100
        if has_joined and not self.joined:
            self.joined = self.cpu


def run_on_hosts(hosts, module, count, *options):
    """Returns the document (or what is wrong) and what was seen of each rank."""
    words = hosts.on(1, need_halo(), "run", module, "--devices", count, *options, "--json", *hosts.options(count // hosts.count))
    seen, pids = {}, {}
    with tempfile.TemporaryFile() as said, open(hosts.folder / "err", "w+", encoding="utf-8") as err:
        run = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=said, stderr=err)
        begin = next_list = time.monotonic()
        while run.poll() is None:
            # Listing the processes of a host reads all of /proc.
            if len(pids) < count and time.monotonic() > next_list:
                for k in range(1, hosts.count + 1):
                    pids.update(hosts.ranks(k))
                next_list = time.monotonic() + 0.5
            for rank, pid in pids.items():
                seen.setdefault(rank, Rank()).look(pid)
            if time.monotonic() - begin > 1200:
                run.kill()
            time.sleep(0.05)
        took = time.monotonic() - begin
        said.seek(0)
        text = said.read().decode(errors="replace")
        if run.returncode != 0:
            run.stdout, run.stderr = text, (hosts.folder / "err").read_text(errors="replace")
            return f"exit {run.returncode}: {why(run)}", seen, took
    return json.loads(text), seen, took


def middle(values):
    values = sorted(values)
    return values[len(values) // 2] if values else 0


def starting(folder):
    """Seconds, by the number of ranks."""
    cost = {}
    for count in STARTS:
        module = folder / f"small{count}.txt"
        module.write_text(SMALL % count)
        with Hosts(count // ON_HOST, folder) as hosts:
            document, seen, took = run_on_hosts(hosts, module, count, "--random", 1)  # it has nothing to compile
        if isinstance(document, str):
            raise RuntimeError(f"{count} ranks: {document}")
        cost[count] = took
        print(f"starting {count:2} ranks on {count // ON_HOST} hosts: {took:5.1f} s, {sum(rank.cpu for rank in seen.values()) / count:.2f} s of CPU time for each, "
              f"{middle([rank.joined for rank in seen.values()]):.2f} s of it until it has joined; {middle([rank.peak for rank in seen.values()]):.0f} MiB",
              flush=True)
    return cost


def measure(quick):
    need_ranks()
    need_root()
    if quick:
        raise Skipped("64 ranks take minutes on two cores")
    seed = next(need_shared("seeds").glob("002_*"))
    memory, results, same = {}, 0, True
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as scratch:
        folder = pathlib.Path(scratch)
        cost = starting(folder)
        small = folder / "seed.txt"
        shrink(seed, small, "--to", "1MB")
        for meshes in (1, 2, 4):
            count = MESH * meshes
            module, one, output = folder / f"seed{count}.txt", folder / "one.npz", folder / "out.npz"
            module.write_text(more_meshes(small.read_text(), MESH, meshes))
            run = halo_run("run", module, "--devices", count, *RUN, "-o", one)
            if run.returncode != 0:
                raise RuntimeError(f"{count} ranks on one machine: {run.stderr.decode(errors='replace')[:400]}")
            with Hosts(count // ON_HOST, folder) as hosts:
                document, seen, took = run_on_hosts(hosts, module, count, *RUN, "-o", output)
            if isinstance(document, str):
                raise RuntimeError(f"{count} ranks on {count // ON_HOST} hosts: {document}")
            expected, found = arrays(one), arrays(output)
            same &= expected == found and document["ranks"] == count and document["engine"] == "compiled"
            results = len(found)
            memory[count] = [rank.peak for rank in seen.values()]
            print(f"{count} ranks on {count // ON_HOST} hosts: {'same' if expected == found else 'OTHER'} bits ({len(found)} results), "
                  f"{took:.0f} s, {middle(memory[count]):.0f} MiB for a rank in the middle, {max(memory[count]):.0f} at most; "
                  f"{middle([rank.cpu for rank in seen.values()]):.1f} s of CPU time, {document['prepare_seconds']:.2f} s for passes and plans at rank 0",
                  flush=True)
    largest = MESH * 4
    grown = middle(memory[largest]) / middle(memory[MESH])
    counts = {"ranks": len(memory[largest]), "hosts": largest // ON_HOST, "results": results}
    held = same and grown <= FLAT and enough(LEAST, counts)
    return held, (f"{'same bits' if same else 'OTHER BITS'} as one machine; {middle(memory[largest]):.0f} MiB for each of {largest} ranks, {grown:.2f} of "
                  f"that with {MESH}; starting " + ", ".join(f"{count} takes {took:.1f} s" for count, took in cost.items()))
