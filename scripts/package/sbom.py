#!/usr/bin/env python3
"""Writes the bill of materials of a release as CycloneDX 1.6 JSON: scripts/package/sbom.py --out FILE [--check]. Lists what the
wheels and the viewer's page contain, with versions and licences. --check validates it against the format's schema, which
`scripts/venv packaging` installs. The same release gives the same bytes."""

import argparse
import datetime
import json
import pathlib
import re
import subprocess
import sys
import uuid

from bundled import DEBIAN, ROOT, WHEEL, ZIG, debian_version, viewer_packages, zig_version

sys.path.insert(0, str(ROOT / "scripts" / "python"))
from wheel_file import release_date, version  # noqa: E402

PAGE_LICENCES = ROOT / "build" / "release" / "share" / "haloscope" / "viewer-licenses.md"


def component(name, number, licence, purl, packages):
    return {"type": "library", "bom-ref": purl, "name": name, "version": number, "licenses": [{"expression": licence}], "purl": purl,
            "properties": [{"name": "haloscope:contained-in", "value": each} for each in packages]}


def components():
    found = []
    for name, (package, licence, wheels) in DEBIAN.items():
        number = debian_version(package)
        found.append(component(name, number, licence, f"pkg:deb/debian/{package}@{number.replace('+', '%2B').replace(':', '%3A')}", wheels))
    for name, (licence, _) in ZIG.items():
        found.append(component(name, f"zig-{zig_version()}", licence, f"pkg:pypi/ziglang@{zig_version()}#{name.replace('+', '%2B')}",
                               (WHEEL,)))
    for name, number, licence in viewer_packages(PAGE_LICENCES):
        found.append(component(name, number, licence, f"pkg:npm/{name.replace('@', '%40')}@{number}", (WHEEL, "viewer.html")))
    return sorted(found, key=lambda each: each["bom-ref"])


def document():
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
    found = components()
    own = f"pkg:pypi/haloscope@{version()}"
    date = datetime.datetime.fromtimestamp(release_date(), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'haloscope {version()} {commit}')}", "version": 1,
        "metadata": {"timestamp": date, "component": {"type": "application", "bom-ref": own, "name": "haloscope", "version": version(),
                                                      "licenses": [{"license": {"id": "Apache-2.0"}}], "purl": own}},
        "components": found,
        "dependencies": [{"ref": own, "dependsOn": [each["bom-ref"] for each in found]}],
    }


CHECK = """
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
problem = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read())
sys.exit(f"sbom: {problem}" if problem else 0)
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    text = json.dumps(document(), indent=2) + "\n"
    options.out.write_text(text)
    if options.check:
        python = subprocess.run([ROOT / "scripts" / "venv", "packaging"], check=True, capture_output=True, text=True).stdout.strip()
        if subprocess.run([python, "-c", CHECK, options.out], check=False).returncode:
            sys.exit(1)
    print(f"sbom: {options.out}, {len(re.findall('bom-ref', text)) - 1} components{', valid' if options.check else ''}")


if __name__ == "__main__":
    main()
