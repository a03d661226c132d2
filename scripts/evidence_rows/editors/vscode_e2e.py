"""Runs the packaged VS Code extension in code-server, a real VS Code, driven by Chromium. Needs code-server
(HALO_CODE_SERVER, or in PATH) and the package (editors/build_vscode); screenshots go to HALO_SHOTS, if set."""
import os
import shutil
import subprocess

from common import HALO, ROOT, Skipped, enough, need, need_halo
from subject import subject
from viewer_common import node, told

ORDER = 241
QUICK_SECONDS = 0
WHAT = "the VS Code extension in code-server: colors, memory map linked with the text both ways, comparison, check, run, language server"
BAR = "every feature works; without the command, the message says what to do and the memory map still works"
QUICK_BAR = "no quick form"
LEAST = {"features": 17}
NEEDED = ("colors", "recognized", "Open Memory Map", "selected in the map", "selected in the text", "saved edit", "Compare With", "Check",
          "Run", "without the command")
OF_THE_SERVER = ("problems appear", "a hover", "Go to Definition", "symbols", "completion")


def measure(quick):
    if quick:
        raise Skipped("starting VS Code takes minutes; run it in full")
    need_halo()
    server = os.environ.get("HALO_CODE_SERVER") or shutil.which("code-server")
    if not server:
        raise Skipped("code-server is missing; npm install code-server, and set HALO_CODE_SERVER")
    package = need(ROOT / "build" / "vscode" / "haloscope.vsix", "the package; run editors/build_vscode")
    need(ROOT / "viewer" / "node_modules" / "playwright-core", "the viewer's packages; run scripts/build_viewer")
    need(os.environ.get("HALO_CHROMIUM", "/usr/bin/chromium"), "Chromium")
    environment = dict(os.environ, HALO_CODE_SERVER=server, HALO_COMMAND=os.environ.get("HALO_COMMAND", str(HALO)), HALO_VSIX=str(package))
    run = subprocess.run([str(subject(node())), "e2e/extension.ts"], cwd=ROOT / "editors" / "vscode", capture_output=True, text=True,
                         timeout=1800, check=False, env=environment)
    passed, failed = told(run.stdout)
    helped = subprocess.run([environment["HALO_COMMAND"], "lsp", "--help"], capture_output=True, text=True, check=False).stdout
    wanted = NEEDED + (OF_THE_SERVER if "Usage: halo lsp" in helped else ())
    missing = [word for word in wanted if not any(line.startswith("ok") and word in line for line in run.stdout.splitlines())]
    for word in missing:
        print(f"  not shown to work: {word}")
    held = run.returncode == 0 and failed == 0 and not missing and enough(LEAST, {"features": passed})
    server_text = "" if OF_THE_SERVER[0] in wanted else "; this build has no language server"
    return held, f"{passed} of {passed + failed} features work{server_text}"
