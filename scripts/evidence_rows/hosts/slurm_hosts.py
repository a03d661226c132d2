"""A Slurm cluster on hosts made of network namespaces (net_hosts.py): the last host has slurmctld and runs srun, each other
one has a slurmd. Nothing outside their shared folder is written, and all of it ends with the hosts."""
import os
import pathlib
import shutil
import signal
import subprocess
import time

from common import Skipped
from net_hosts import Hosts

PROGRAMS = ("slurmctld", "slurmd", "srun", "sinfo", "squeue", "munged")
INSTALL = "apt-get install slurm-wlm munge"
CORES = 4
READY_SECONDS = 40

CONFIGURATION = """ClusterName=halo
SlurmctldHost={controller}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
MpiDefault=pmix
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
ReturnToService=2
SlurmdParameters=config_overrides
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
StateSaveLocation={folder}/state
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmdLogFile={folder}/slurmd.%n.log
SlurmdSpoolDir={folder}/spool.%n
TmpFS={folder}/temporary.%n
SlurmdTimeout=20
KillWait=2
NodeName={nodes} CPUs={cores} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def find(program):
    return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def need_slurm():
    missing = [program for program in PROGRAMS if find(program) is None]
    if missing:
        raise Skipped(f"{', '.join(missing)} not installed: {INSTALL}")


class SlurmHosts(Hosts):
    """`with SlurmHosts(2, folder) as cluster:` makes nodes host1 and host2, and host3 for the controller."""

    def __init__(self, nodes, shared):
        need_slurm()
        super().__init__(nodes + 1, shared)
        self.nodes = nodes
        self.daemons = []

    def __enter__(self):
        super().__enter__()
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start(self):
        folder = self.folder
        names = [f"host{k}" for k in range(1, self.nodes + 1)]
        for name in ("state", *(f"{kind}.{node}" for kind in ("spool", "temporary") for node in names)):
            (folder / name).mkdir()
        (folder / "slurm.conf").write_text(CONFIGURATION.format(controller=f"host{self.count}", folder=folder,
                                                                nodes=",".join(names), cores=CORES))
        key = folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        self._daemon(self.count, "munged", "--foreground", "--force", "--num-threads=2", f"--key-file={key}",
                     f"--socket={folder}/munge.socket", f"--pid-file={folder}/munge.pid", f"--log-file={folder}/munge.log",
                     f"--seed-file={folder}/munge.seed")
        self._until("munged", (folder / "munge.socket").exists)
        self._daemon(self.count, "slurmctld", "-D")
        for k in range(1, self.nodes + 1):
            self._daemon(k, "slurmd", "-D", "-N", f"host{k}")
        self._until("slurmctld", self._all_idle)

    def _daemon(self, k, program, *arguments):
        with open(self.folder / f"{program}.{k}.output", "wb") as output:
            self.daemons.append(subprocess.Popen(self.on(k, find(program), *arguments), stdin=subprocess.DEVNULL,
                                                 stdout=output, stderr=subprocess.STDOUT, start_new_session=True))

    def _until(self, what, is_ready):
        end = time.monotonic() + READY_SECONDS
        while not is_ready():
            if time.monotonic() > end:
                raise RuntimeError(f"{what} is not ready after {READY_SECONDS} s: {self.log()[-1500:]}")
            time.sleep(0.1)

    def _all_idle(self):
        said = subprocess.run(self.on(self.count, find("sinfo"), "-h", "-N", "-o", "%T"), capture_output=True, text=True, check=False)
        return said.stdout.split() == ["idle"] * self.nodes

    def log(self):
        return "\n".join(f"{path.name}: {path.read_text(errors='replace')[-600:]}"
                         for path in sorted(self.folder.iterdir()) if path.suffix in (".log", ".output"))

    def on(self, k, *command):
        return ["env", f"SLURM_CONF={self.folder}/slurm.conf", *super().on(k, *command)]

    def srun(self, *arguments):
        """The words of an srun on the controller's host."""
        return self.on(self.count, find("srun"), *arguments)

    def __exit__(self, *_):
        for daemon in self.daemons:
            if daemon.poll() is None:
                os.killpg(daemon.pid, signal.SIGKILL)
            daemon.wait()
        self.daemons = []
        super().__exit__()
