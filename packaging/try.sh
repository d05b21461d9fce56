#!/usr/bin/env bash
# Installs every package from its own file into a folder of its own, and checks a server with what was installed. Nothing is fetched.
#   packaging/try.sh BINARY
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
given="$(realpath "${1:?which binary?}")"
work="$(mktemp -d)"
trap 'rm -rf "${work}"' EXIT
cd "${work}"
# Debug information is no part of a package.
strip -o proofmark "${given}" 2> /dev/null || cp "${given}" proofmark
"${here}/release.sh" "${work}/out" "${work}/proofmark" > made.txt
(cd out && sha256sum --check --quiet SHA256SUMS)

seconds() { date +%s.%N; }
try() {
    local name="$1" program="$2" began="$3"
    local took
    took="$(echo "$(seconds) - ${began}" | bc 2> /dev/null || echo "?")"
    "${program}" check server --only M108 > "${name}.txt" || { cat "${name}.txt"; echo "${name}: broken"; exit 1; }
    grep -q '^conformant' "${name}.txt" || { cat "${name}.txt"; exit 1; }
    echo "${name}: installed in ${took} s, and checks a server"
}

began="$(seconds)"
mkdir archive && tar -xzf out/proofmark-*.tar.gz -C archive --strip-components 1
try archive archive/proofmark "${began}"

if command -v npm > /dev/null; then
    began="$(seconds)"
    npm install --silent --offline --no-audit --no-fund --prefix npm ./out/*.tgz
    try npm npm/node_modules/.bin/proofmark "${began}"
else
    echo "npm: not tried, there is no npm"
fi

python3 -m venv venv
began="$(seconds)"
venv/bin/pip install --quiet --no-index --disable-pip-version-check ./out/*.whl
try wheel venv/bin/proofmark "${began}"

if command -v dpkg-deb > /dev/null; then
    began="$(seconds)"
    dpkg-deb --extract out/*.deb debian
    test -s debian/usr/share/man/man1/proofmark-check-server.1.gz
    test -s debian/usr/share/bash-completion/completions/proofmark
    try debian debian/usr/bin/proofmark "${began}"
else
    echo "debian: not tried, there is no dpkg-deb"
fi

# What an input says is a word, and is not run.
PATH="${work}:${PATH}" PROOFMARK_COMMAND=$'sh\n-c\nexit 7\n$(touch injected); touch injected' PROOFMARK_REVISION='all' \
    "${here}/action/run.sh" > action.txt 2>&1 && { echo "action: a server that ends is no success"; exit 1; }
PATH="${work}:${PATH}" PROOFMARK_URL='http://127.0.0.1:1/$(touch injected);touch injected' PROOFMARK_BASELINE='`touch injected`' \
    "${here}/action/run.sh" > action.txt 2>&1 && { echo "action: nothing listens there"; exit 1; }
test ! -e injected
PATH="${work}:${PATH}" PROOFMARK_COMMAND=$'proofmark\neverything\n--stdio' PROOFMARK_SARIF=action.sarif GITHUB_STEP_SUMMARY=summary.md \
    "${here}/action/run.sh" > action.txt 2>&1 || { cat action.txt; exit 1; }
grep -q '"version": "2.1.0"' action.sarif && grep -q '^# MCP conformance' summary.md
echo "action: checks a server, and runs no input"

python3 - out/proofmark.cdx.json <<'PY'
import json, sys
bom = json.load(open(sys.argv[1]))
refs = {it["bom-ref"] for it in bom["components"]} | {bom["metadata"]["component"]["bom-ref"]}
assert len(bom["components"]) > 50, "too few parts"
assert all(set(it["dependsOn"]) <= refs for it in bom["dependencies"]), "a part is not listed"
print(f"sbom: {len(bom['components'])} parts")
PY
grep -q '^# Proofmark ' out/notes.md && echo "notes: $(wc -l < out/notes.md) lines"
