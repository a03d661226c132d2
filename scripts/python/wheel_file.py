"""What the builders of wheels share: names, stripped binaries, licence texts, and the archive itself, which has the same bytes
whenever it holds the same files. What belongs into a wheel is decided by build_wheel and build_engine_wheel."""

import base64
import csv
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "package"))
from bundled import debian_packages  # noqa: E402

OUT = ROOT / "build" / "wheel"
SYSTEM = pathlib.Path("/usr")


def run(*command, **options):
    subprocess.run([str(part) for part in command], check=True, **options)


def version():
    found = re.search(r"^project\(haloscope VERSION (\d+\.\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)
    return found[1]


def release_date():
    """Seconds since 1970 that everything in a package is dated by: SOURCE_DATE_EPOCH, or the commit's date."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return int(given)
    return int(subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, check=True, capture_output=True, text=True).stdout)


def stripped(path, folder):
    """A copy without symbols that nothing needs."""
    strip = shutil.which("llvm-strip-19") or shutil.which("llvm-strip") or "strip"
    copy = folder / path.name
    shutil.copy(path.resolve(), copy)
    run(strip, "--strip-unneeded", copy)
    return copy


def debian_licences(wheel):
    """The licence texts of the Debian packages in a wheel, as one text."""
    texts = []
    for name in debian_packages(wheel):
        path = SYSTEM / "share" / "doc" / name / "copyright"
        texts.append(f"==== {name}\n\n{path.read_text(errors='replace')}")
    return "\n".join(texts)


def metadata(name, summary, fields, description):
    """The text of METADATA; fields are further lines."""
    lines = ["Metadata-Version: 2.4", f"Name: {name}", f"Version: {version()}", f"Summary: {summary}",
             "License-Expression: Apache-2.0", "License-File: LICENSE", "License-File: BUNDLED", *fields,
             "Description-Content-Type: text/markdown", "", description]
    return "\n".join(lines)


def write_wheel(name, files, tag, out):
    """Writes NAME-VERSION-py3-none-TAG.whl with {path: (bytes, mode)} and returns its path."""
    info = f"{name}-{version()}.dist-info"
    tags = "".join(f"Tag: py3-none-{each}\n" for each in tag.split("."))
    files = dict(files)
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: haloscope\nRoot-Is-Purelib: false\n{tags}".encode(), 0o644)
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    for path, (data, _) in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.writerow([path, f"sha256={digest}", len(data)])
    rows.writerow([f"{info}/RECORD", "", ""])
    files[f"{info}/RECORD"] = (record.getvalue().encode(), 0o644)
    date = time.gmtime(release_date())[:6]
    out.mkdir(parents=True, exist_ok=True)
    wheel = out / f"{name}-{version()}-py3-none-{tag}.whl"
    # RECORD comes last, as the format recommends.
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, (data, mode) in sorted(files.items(), key=lambda item: (item[0].endswith("/RECORD"), item[0])):
            entry = zipfile.ZipInfo(path, date)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return wheel
