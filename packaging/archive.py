#!/usr/bin/env python3
"""The archive that `cargo binstall` fetches; [package.metadata.binstall] of crates/cli has its name."""

from common import LICENSES, ROOT, arguments, tar_gz, target, version

binary, folder = arguments("an archive")
name = f"proofmark-{target()}-v{version()}"
end = ".exe" if "windows" in target() else ""
files = [(f"{name}/proofmark{end}", binary.read_bytes(), 0o755)]
files += [(f"{name}/{it}", (ROOT / it).read_bytes(), 0o644) for it in [*LICENSES, "README.md"]]
path = folder / f"{name}.tar.gz"
tar_gz(path, files)
print(path)
