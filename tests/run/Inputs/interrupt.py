"""Starts an endless program, interrupts it, and prints how it ended and whether it left its output."""
import glob
import signal
import subprocess
import sys
import time

ENDLESS = b"""HloModule endless
body {
  b = s32[] parameter(0)
  ROOT c = s32[] copy(b)
}
always {
  a = s32[] parameter(0)
  ROOT t = pred[] constant(true)
}
ENTRY e {
  z = s32[] constant(0)
  ROOT w = s32[] while(z), condition=always, body=body
}
"""


def listens(pid):
    """Whether the process catches SIGINT by now."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        caught = next(line for line in status if line.startswith("SigCgt:"))
    return int(caught.split()[1], 16) >> (signal.SIGINT - 1) & 1


with subprocess.Popen([sys.argv[1], "run", "-", "-o", sys.argv[2]], stdin=subprocess.PIPE,
                      stderr=subprocess.PIPE) as process:
    process.stdin.write(ENDLESS)
    process.stdin.close()
    while process.poll() is None and not listens(process.pid):
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    errors = process.stderr.read().decode()
    print("exit", process.wait(timeout=60))
    print(errors)
    print("written" if glob.glob(sys.argv[2] + "*") else "nothing left")
