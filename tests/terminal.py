"""Runs a command on a pseudo-terminal, for tests of what a user sees there."""

import fcntl
import os
import pty
import struct
import subprocess
import termios


def on_terminal(command, environment, columns=None, **streams):
    """Returns what the command (a list) writes to a terminal, which is its standard output. `columns` sets its width;
    `streams` are further arguments of Popen, in which True means the terminal."""
    master, slave = pty.openpty()
    if columns is not None:
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    others = {name: slave if where is True else where for name, where in streams.items()}
    with subprocess.Popen(command, stdout=slave, env=environment, **others):
        os.close(slave)
        output = b""
        try:
            while piece := os.read(master, 65536):
                output += piece
        except OSError:  # the last process that had the terminal open has ended
            pass
        os.close(master)
    return output
