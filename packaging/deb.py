#!/usr/bin/env python3
"""A Debian package with man pages and completions."""

import gzip
import pathlib
import shutil
import subprocess
import tempfile

from common import DESCRIPTION, LICENSES, ROOT, TIME, arguments, version

binary, folder = arguments("a Debian package")
architecture = subprocess.check_output(["dpkg", "--print-architecture"], text=True).strip()
COMPLETIONS = {
    "bash": "usr/share/bash-completion/completions/proofmark",
    "fish": "usr/share/fish/vendor_completions.d/proofmark.fish",
    "zsh": "usr/share/zsh/vendor-completions/_proofmark",
}
with tempfile.TemporaryDirectory() as stage:
    root = pathlib.Path(stage) / "root"
    for place in ["DEBIAN", "usr/bin", "usr/share/doc/proofmark", "usr/share/man/man1"]:
        (root / place).mkdir(parents=True)
    program = root / "usr/bin/proofmark"
    shutil.copyfile(binary, program)
    program.chmod(0o755)
    pages = pathlib.Path(stage) / "man"
    subprocess.check_call([program, "man-pages", pages])
    for page in sorted(pages.iterdir()):
        packed = root / f"usr/share/man/man1/{page.name}.gz"
        packed.write_bytes(gzip.compress(page.read_bytes(), mtime=TIME))
    for shell, place in COMPLETIONS.items():
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).write_bytes(subprocess.check_output([program, "completions", shell]))
    licences = "\n".join((ROOT / it).read_text() for it in LICENSES)
    (root / "usr/share/doc/proofmark/copyright").write_text(licences)
    size = sum(it.stat().st_size for it in root.rglob("*") if it.is_file()) // 1024
    (root / "DEBIAN/control").write_text(
        f"Package: proofmark\nVersion: {version()}\nArchitecture: {architecture}\n"
        f"Maintainer: ACCOUNT <ACCOUNT@invalid>\nInstalled-Size: {size}\nDepends: libc6\n"
        f"Section: devel\nPriority: optional\nDescription: checks MCP servers and clients\n {DESCRIPTION}\n"
    )
    path = folder / f"proofmark_{version()}_{architecture}.deb"
    command = ["dpkg-deb", "--root-owner-group", "-Zgzip", "--build", root, path]
    subprocess.check_call(command, stdout=subprocess.DEVNULL)
print(path)
