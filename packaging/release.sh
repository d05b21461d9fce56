#!/usr/bin/env bash
# Makes everything that a release of this platform has, in one folder: packages, checksums, what is in the binary, and a draft of the notes.
#   packaging/release.sh FOLDER [BINARY]     without BINARY one is built
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder="${1:?where does it go?}"
binary="${2:-}"
if [[ -z "${binary}" ]]; then
    cargo build --release --locked --package proofmark
    binary=target/release/proofmark
fi
mkdir -p "${folder}"
packaging/archive.py "${binary}" "${folder}"
packaging/npm.py "${binary}" "${folder}"
packaging/wheel.py "${binary}" "${folder}"
if command -v dpkg-deb > /dev/null; then
    packaging/deb.py "${binary}" "${folder}"
fi
packaging/sbom.py > "${folder}/proofmark.cdx.json"
packaging/notes.py > "${folder}/notes.md"
(
    cd "${folder}"
    rm -f SHA256SUMS
    find . -maxdepth 1 -type f ! -name notes.md ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort | xargs -d '\n' sha256sum > SHA256SUMS
)
echo "${folder}/SHA256SUMS"
