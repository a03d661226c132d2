"""Everything that the command can do and that has no function here: runs `halo ... --json` and returns its document."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

from haloscope._call import call
from haloscope._library import HaloError, command_path
from haloscope._results import Result


def command(*arguments: Any) -> Result:
    """The document of a command: `hs.command("ls", "dump")`, `hs.command("diff", a, b, "--passes")`. Raises HaloError if there is
    no result; findings (exit code 1) are a result."""
    texts = [os.fspath(each) if isinstance(each, os.PathLike) else str(each) for each in arguments]
    with subprocess.Popen([command_path(), *texts, "--json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        try:
            out, said = call(process.communicate, f"halo {texts[0] if texts else ''}", process.terminate)
        except BaseException:
            process.kill()
            raise
    if not out.strip():
        raise HaloError(said.decode("utf-8", "replace").strip() or f"halo ended with code {process.returncode}")
    result = Result(out.decode())
    if result["schema"] == "halo.error.v1":
        messages = [each["message"] for each in result["diagnostics"]]
        raise HaloError("; ".join(messages) or json.dumps(result.to_dict()))
    return result
