"""Starts an endless program, interrupts it, and prints how it ended."""
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
with subprocess.Popen([sys.argv[1], "run", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
    process.stdin.write(ENDLESS)
    process.stdin.close()
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    errors = process.stderr.read().decode()
    print("exit", process.wait(timeout=60))
    print(errors)
