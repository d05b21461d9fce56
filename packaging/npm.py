#!/usr/bin/env python3
"""An npm package that carries the binary for this platform."""

import json
import os
import sys

from common import DESCRIPTION, LICENSES, ROOT, arguments, machine, tar_gz, version

binary, folder = arguments("an npm package")
name = os.environ.get("PROOFMARK_NPM_NAME", "@account/proofmark")
systems = {"linux": "linux", "darwin": "darwin", "win32": "win32"}
end = ".exe" if sys.platform == "win32" else ""
package = {
    "name": name,
    "version": version(),
    "description": DESCRIPTION,
    "license": "MIT OR Apache-2.0",
    "keywords": ["mcp", "model-context-protocol", "conformance", "testing"],
    "bin": {"proofmark": f"bin/proofmark{end}"},
    "os": [systems[sys.platform]],
    "cpu": [{"x86_64": "x64", "aarch64": "arm64"}[machine()]],
}
files = [
    ("package/package.json", (json.dumps(package, indent=2) + "\n").encode(), 0o644),
    ("package/README.md", (ROOT / "README.md").read_bytes(), 0o644),
    (f"package/bin/proofmark{end}", binary.read_bytes(), 0o755),
]
files += [(f"package/{it}", (ROOT / it).read_bytes(), 0o644) for it in LICENSES]
path = folder / f"{name.removeprefix('@').replace('/', '-')}-{version()}.tgz"
tar_gz(path, files)
print(path)
