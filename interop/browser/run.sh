#!/bin/sh
# The dashboard and the inspector in a real Chromium: interop/browser/run.sh PROOFMARK [RUN…]
# Runs: modules (the types of the scripts, by tsc), dashboard, inspector, attacks; all of them without a name. SHOTS names a folder for pictures.
# Installs what it needs from npm, and says what is missing.
set -eu
program=$(realpath "${1:?the first argument is the proofmark program}")
shift
[ $# -gt 0 ] || set -- modules dashboard inspector attacks
shots=${SHOTS:+$(realpath -m "$SHOTS")}
cd "$(dirname "$0")"
command -v npm >/dev/null || { echo "Node.js is missing: install Debian's packages nodejs and npm" >&2; exit 2; }
[ -d node_modules/typescript ] || npm ci --ignore-scripts --no-audit --no-fund
for run in "$@"; do
    if [ "$run" = modules ]; then
        node_modules/.bin/tsc -p tsconfig.json
        echo "$run: the types hold"
    else
        node "$run.mjs" "$program" ${shots:+"$shots"}
    fi
done
