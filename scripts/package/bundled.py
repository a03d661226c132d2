"""What packages contain that is not Haloscope's own: the list behind licence texts and the bill of materials. Which files of a
component are taken is decided where a package is built."""

import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
WHEEL, ENGINE = "haloscope", "haloscope-engine"

# Component: (the Debian package with its version and licence text, its SPDX licence, the wheels that contain it).
DEBIAN = {
    "CLI11": ("libcli11-dev", "BSD-3-Clause", (WHEEL, ENGINE)),
    "fmt": ("libfmt-dev", "MIT", (WHEEL, ENGINE)),
    "zlib": ("zlib1g-dev", "Zlib", (WHEEL, ENGINE)),
    "zstd": ("libzstd-dev", "BSD-3-Clause OR GPL-2.0-only", (WHEEL, ENGINE)),
    "libgcc": ("libgcc-12-dev", "GPL-3.0-or-later WITH GCC-exception-3.1", (WHEEL,)),
    "libgomp": ("libgomp1", "GPL-3.0-or-later WITH GCC-exception-3.1", (ENGINE,)),
    "Highway": ("libhwy-dev", "Apache-2.0 OR BSD-3-Clause", (ENGINE,)),
    "LLVM": ("llvm-19-dev", "Apache-2.0 WITH LLVM-exception", (ENGINE,)),
    "ocl-icd": ("ocl-icd-libopencl1", "BSD-2-Clause", (ENGINE,)),
    "oneDNN": ("libdnnl2", "Apache-2.0", (ENGINE,)),
}
# Of zig, which compiles the wheel `haloscope` and the core in the viewer's page: (SPDX licence, texts below zig's lib).
ZIG = {
    "libc++": ("Apache-2.0 WITH LLVM-exception", ("libcxx/LICENSE.TXT",)),
    "wasi-libc": ("Apache-2.0 WITH LLVM-exception AND MIT", ("libc/wasi/LICENSE", "libc/wasi/LICENSE-MIT", "libc/musl/COPYRIGHT")),
}


def debian_packages(wheel):
    return [package for package, _, wheels in DEBIAN.values() if wheel in wheels]


def debian_version(package):
    return subprocess.run(["dpkg-query", "-W", "-f=${Version}", package], check=True, capture_output=True, text=True).stdout


def zig_version():
    return re.search(r"^ziglang==(.+)$", (ROOT / "scripts" / "requirements.txt").read_text(), re.MULTILINE)[1]


def viewer_packages(licences):
    """[(name, version, SPDX licence)] of the packages in the viewer's page, from the list that scripts/build_viewer wrote."""
    found = re.findall(r"^## (\S+) - (\S+) \((.+)\)$", licences.read_text(), re.MULTILINE)
    locked = json.loads((ROOT / "viewer" / "package-lock.json").read_text())["packages"]
    # Some packages contain others, which are listed but not locked.
    unlocked = [name for name, number, _ in found if locked.get(f"node_modules/{name}", {}).get("version", number) != number]
    if not found or unlocked:
        raise ValueError(f"{licences} does not fit viewer/package-lock.json: {unlocked or 'it lists nothing'}")
    return found
