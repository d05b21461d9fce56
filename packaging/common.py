"""What all packages have in common."""

import pathlib
import platform
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DESCRIPTION = "MCP in Rust: serve it, speak it, and check that others do it right."
LICENSES = ["LICENSE-APACHE", "LICENSE-MIT"]
# Files have no time of their own, so that the same binary makes the same package.
TIME = 315532800


def version():
    text = (ROOT / "Cargo.toml").read_text()
    return re.search(r'^version = "([^"]+)"', text, re.MULTILINE).group(1)


def arguments(what):
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} BINARY FOLDER\nWrites {what} into FOLDER, and prints its path.")
    binary, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    if not binary.is_file():
        sys.exit(f"{binary} is no file")
    folder.mkdir(parents=True, exist_ok=True)
    return binary, folder


def machine():
    """The processor, as most of the world calls it: x86_64 or aarch64."""
    name = platform.machine().lower()
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(name, name)


def target():
    """The platform, as Rust calls it."""
    for line in subprocess.check_output(["rustc", "-vV"], text=True).splitlines():
        if line.startswith("host: "):
            return line.removeprefix("host: ")
    sys.exit("rustc does not say which platform this is")


def add_file(archive, name, data, mode):
    """A file of a tar archive, owned by root."""
    import io
    import tarfile

    entry = tarfile.TarInfo(name)
    entry.size, entry.mode, entry.mtime = len(data), mode, TIME
    archive.addfile(entry, io.BytesIO(data))


def tar_gz(path, files):
    """Writes an archive of (name, bytes, mode), the same each time."""
    import gzip
    import tarfile

    with open(path, "wb") as out:
        with gzip.GzipFile("", "wb", 6, out, TIME) as packed:
            with tarfile.open(mode="w", fileobj=packed, format=tarfile.USTAR_FORMAT) as archive:
                for name, data, mode in files:
                    add_file(archive, name, data, mode)
