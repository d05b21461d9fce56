#!/usr/bin/env python3
"""A wheel that carries the binary for this platform."""

import base64
import hashlib
import platform
import sys
import time
import zipfile

from common import DESCRIPTION, LICENSES, ROOT, TIME, arguments, machine, version

binary, folder = arguments("a wheel")


def tag():
    """The oldest system that the binary runs on is the one that it was built on."""
    if sys.platform == "darwin":
        major, minor = platform.mac_ver()[0].split(".")[:2]
        processor = {"aarch64": "arm64"}.get(machine(), machine())
        return f"macosx_{major}_{minor}_{processor}"
    if sys.platform == "win32":
        return {"x86_64": "win_amd64", "aarch64": "win_arm64"}[machine()]
    library, release = platform.libc_ver()
    if library == "glibc":
        return f"manylinux_{release.replace('.', '_')}_{machine()}"
    return f"linux_{machine()}"


name = f"proofmark-{version()}"
info = f"{name}.dist-info"
end = ".exe" if sys.platform == "win32" else ""
metadata = f"""Metadata-Version: 2.1
Name: proofmark
Version: {version()}
Summary: {DESCRIPTION}
License: MIT OR Apache-2.0
Keywords: mcp,model-context-protocol,conformance,testing
Requires-Python: >=3.8
Description-Content-Type: text/markdown

{(ROOT / "README.md").read_text()}"""
wheel = f"Wheel-Version: 1.0\nGenerator: proofmark\nRoot-Is-Purelib: false\nTag: py3-none-{tag()}\n"
files = [
    (f"{name}.data/scripts/proofmark{end}", binary.read_bytes(), 0o755),
    (f"{info}/METADATA", metadata.encode(), 0o644),
    (f"{info}/WHEEL", wheel.encode(), 0o644),
]
files += [(f"{info}/licenses/{it}", (ROOT / it).read_bytes(), 0o644) for it in LICENSES]


def row(file, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{file},sha256={digest},{len(data)}\n"


record = "".join(row(file, data) for file, data, _ in files) + f"{info}/RECORD,,\n"
files.append((f"{info}/RECORD", record.encode(), 0o644))
path = folder / f"{name}-py3-none-{tag()}.whl"
with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
    for file, data, mode in files:
        entry = zipfile.ZipInfo(file, time.gmtime(TIME)[:6])
        entry.external_attr = (0o100000 | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(entry, data)
print(path)
