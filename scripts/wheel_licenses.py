#!/usr/bin/env python3
"""Puts the licences of what a wheel brings into it, as NAME.dist-info/licenses/:

    scripts/wheel_licenses.py WHEEL LICENSE [PACKAGE...]

LICENSE is that of Talus. The libraries of the wheel are those that auditwheel names in its bill of materials with their
Debian packages; PACKAGE names further ones, whose code is linked in or comes by headers. The text of each is the file
/usr/share/doc/PACKAGE/copyright of this machine. Fails where a bundled library has none.
"""

import base64
import hashlib
import json
import re
import sys
import zipfile
from pathlib import Path

DOCUMENTS = Path("/usr/share/doc")


def bundled(bill):
    """Returns the Debian packages of a bill of materials (CycloneDX), without those of the wheel itself."""
    purls = [component.get("purl", "") for component in json.loads(bill).get("components", [])]
    packages = {re.match(r"pkg:deb/[^/]+/([^@?]+)", purl) for purl in purls if not purl.startswith("pkg:pypi/talus")}
    if None in packages:
        raise SystemExit("wheel_licenses.py: a bundled library is of no Debian package, and its licence is not known")
    return {match[1].replace("%2B", "+") for match in packages}


def main(wheel, own, *packages):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        contents = {info: archive.read(info) for info in archive.infolist()}
    info = next(name.split("/")[0] for name in names if name.endswith(".dist-info/RECORD"))
    record = f"{info}/RECORD"
    bills = [data for entry, data in contents.items() if re.match(rf"{re.escape(info)}/sboms/.+\.json", entry.filename)]
    libraries = {name for name in names if ".libs/" in name and ".so" in name}
    if libraries and not bills:
        raise SystemExit("wheel_licenses.py: the wheel has libraries and no bill of materials by auditwheel 6.5 or later")
    wanted = sorted(set(packages).union(*(bundled(bill) for bill in bills)))
    texts = {f"{info}/licenses/LICENSE": Path(own).read_bytes()}
    for package in wanted:
        file = DOCUMENTS / package / "copyright"
        if not file.is_file():
            raise SystemExit(f"wheel_licenses.py: {file} is missing")
        texts[f"{info}/licenses/{package}/copyright"] = file.read_bytes()
    lines = next(data for entry, data in contents.items() if entry.filename == record).decode().splitlines()
    lines = [line for line in lines if not line.startswith(f"{info}/licenses/")]
    for name, text in texts.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()
        lines.insert(0, f"{name},sha256={digest},{len(text)}")
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, data in contents.items():
            if entry.filename != record and not entry.filename.startswith(f"{info}/licenses/"):
                archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
        for name, text in texts.items():
            archive.writestr(name, text)
        archive.writestr(record, "\n".join(lines) + "\n")
    print(f"{wheel}: licences of Talus and of {len(wanted)} packages")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
