#!/bin/sh
# The inspector in a real Chromium: interop/browser/run.sh PROOFMARK [FOLDER FOR SCREENSHOTS]
# Installs playwright-core and axe-core from npm, and says what is missing.
set -eu
program=$(realpath "${1:?the first argument is the proofmark program}")
shots=${2:+$(realpath -m "$2")}
cd "$(dirname "$0")"
command -v node >/dev/null || { echo "Node.js is missing: install Debian's packages nodejs and npm" >&2; exit 2; }
[ -d node_modules/playwright-core ] || npm ci --ignore-scripts --no-audit --no-fund
exec node inspector.mjs "$program" ${shots:+"$shots"}
