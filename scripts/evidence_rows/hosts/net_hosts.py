"""Hosts made of network namespaces on this machine: each has its own address, host name, /tmp and /dev/shm, and a link
that can be cut. Programs start on another host through an agent in place of ssh, with an empty environment, as there.
Everything is removed on exit. Needs root; nothing outside the namespaces changes."""
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import uuid

from common import Skipped

NET = "10.77.0"
# Enters a host: its network, its name, its own temporary folders, its own /sys, which lists its network interfaces, an
# identity by which libraries tell machines apart, and names of all hosts.
ENTER = """#!/bin/sh
# enter K COMMAND...: runs the command on host K.
number=$1; shift
exec nsenter --net=/run/netns/{prefix}-$number unshare -u -m sh -c '
  hostname "host$0"
  mount --make-rprivate /
  mount --bind "{folder}/host$0/tmp" /tmp
  mount --bind "{folder}/host$0/shm" /dev/shm
  mount --bind "{folder}/names" /etc/hosts
  mount --bind "{folder}/host$0/boot_id" /proc/sys/kernel/random/boot_id
  mount -t sysfs sysfs "{folder}/host$0/sys"
  mount --rbind /sys/fs/cgroup "{folder}/host$0/sys/fs/cgroup"
  mount --rbind "{folder}/host$0/sys" /sys
  if [ -e "{folder}/host$0/setup" ]; then . "{folder}/host$0/setup"; fi
  exec "$@"' "$number" "$@"
"""
# mpirun calls: agent [options] HOST COMMAND...
AGENT = """#!/bin/sh
# agent hostK COMMAND...: in place of ssh. What it starts is in no process group of this host.
while [ "${{1#-}}" != "$1" ]; do shift; done
number=${{1#host}}; shift
exec setsid -w env -i PATH="$PATH" HOME="$HOME" USER="$USER" "{folder}/enter" "$number" sh -c "$*"
"""


def need_root():
    if os.geteuid() != 0:
        raise Skipped("network namespaces need root")
    for tool in ("ip", "nsenter", "unshare", "setsid", "mount"):
        if shutil.which(tool) is None:
            raise Skipped(f"{tool} is not installed")


def ip(*arguments, check=True):
    return subprocess.run(["ip", *arguments], capture_output=True, text=True, check=check)


def started(pid):
    """When a process started, in ticks since the system did."""
    try:
        return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[19]), pid
    except OSError:
        return 0, pid


class Hosts:
    """`with Hosts(3) as hosts:` makes host1, host2 and host3. `folder` is shared by all, below a folder that every host
    sees at the same path; their /tmp and /dev/shm are separate."""

    def __init__(self, count, shared):
        need_root()
        self.count = count
        self.prefix = f"halo{os.getpid()}"
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hosts-", dir=shared))

    def __enter__(self):
        try:
            self._up()
        except (OSError, subprocess.CalledProcessError) as failed:
            said = getattr(failed, "stderr", "") or str(failed)
            self.__exit__()
            raise Skipped(f"network namespaces cannot be made here: {said.strip()[-200:]}") from failed
        return self

    def _up(self):
        for name, text in (("enter", ENTER), ("agent", AGENT)):
            path = self.folder / name
            path.write_text(text.format(prefix=self.prefix, folder=self.folder))
            path.chmod(0o755)
        lines = ["127.0.0.1 localhost"] + [f"{NET}.{k} host{k}" for k in range(1, self.count + 1)]
        (self.folder / "names").write_text("\n".join(lines) + "\n")
        switch = f"{self.prefix}-0"
        ip("netns", "add", switch)
        ip("-n", switch, "link", "add", "bridge", "type", "bridge")
        ip("-n", switch, "link", "set", "bridge", "up")
        for k in range(1, self.count + 1):
            host = f"{self.prefix}-{k}"
            for part in ("tmp", "shm", "sys"):
                (self.folder / f"host{k}" / part).mkdir(parents=True, mode=0o1777)
            (self.folder / f"host{k}" / "boot_id").write_text(f"{uuid.uuid4()}\n")
            ip("netns", "add", host)
            ip("-n", switch, "link", "add", f"v{k}", "type", "veth", "peer", "name", "e0", "netns", host)
            ip("-n", switch, "link", "set", f"v{k}", "master", "bridge", "up")
            ip("-n", host, "addr", "add", f"{NET}.{k}/24", "dev", "e0")
            ip("-n", host, "link", "set", "e0", "up")
            ip("-n", host, "link", "set", "lo", "up")

    def __exit__(self, *_):
        for k in range(self.count + 1):
            for pid in self.processes(k):
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass
            ip("netns", "del", f"{self.prefix}-{k}", check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def processes(self, k):
        """Process ids on a host."""
        said = ip("netns", "pids", f"{self.prefix}-{k}", check=False).stdout
        return [int(word) for word in said.split()]

    def ranks(self, k):
        """{rank: process id} of the ranks on a host. Of a rank that is supervised by another process, the one that works."""
        return {rank: pids[-1] for rank, pids in self.rank_processes(k).items()}

    def rank_processes(self, k):
        """{rank: process ids} of the ranks on a host, the oldest first."""
        found = {}
        for pid in sorted(self.processes(k), key=started):
            try:
                variables = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
                if pathlib.Path(f"/proc/{pid}/comm").read_text().strip() != "halo":
                    continue
            except OSError:
                continue
            for variable in variables:
                if variable.startswith((b"OMPI_COMM_WORLD_RANK=", b"PMI_RANK=", b"SLURM_PROCID=")):
                    found.setdefault(int(variable.split(b"=")[1]), []).append(pid)
                    break
        return found

    def files(self, k):
        """What is in the temporary folders of a host."""
        folder = self.folder / f"host{k}"
        return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.parent != folder)

    def cut(self, k):
        ip("-n", f"{self.prefix}-0", "link", "set", f"v{k}", "down")

    def mend(self, k):
        ip("-n", f"{self.prefix}-0", "link", "set", f"v{k}", "up")

    def set_up(self, k, text):
        """Shell commands that each program started on a host runs first; empty: none."""
        path = self.folder / f"host{k}" / "setup"
        path.write_text(text)

    @property
    def agent(self):
        return str(self.folder / "agent")

    def on(self, k, *command):
        """The words of a command that runs on a host. MPI uses the hosts' network only."""
        network = [f"OMPI_MCA_{part}_tcp_if_include={NET}.0/24" for part in ("btl", "oob")]
        return ["env", *network, str(self.folder / "enter"), str(k), *map(str, command)]

    def options(self, slots):
        """--hosts and --agent for `halo run`, with so many ranks on each host."""
        listed = [slots] * self.count if isinstance(slots, int) else slots
        return ["--hosts", ",".join(f"host{k}:{n}" for k, n in enumerate(listed, 1)), "--agent", self.agent]

    def wait_for_none(self, seconds):
        """Waits until no process is left on any host. Returns those that are."""
        end = time.monotonic() + seconds
        while True:
            left = {k: self.processes(k) for k in range(1, self.count + 1)}
            left = {k: pids for k, pids in left.items() if pids}
            if not left or time.monotonic() > end:
                return left
            time.sleep(0.1)
