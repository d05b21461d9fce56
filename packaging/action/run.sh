#!/usr/bin/env bash
# Checks a server as the variables say. No variable is ever a part of a command line but as one word of it.
set -euo pipefail

if ! command -v proofmark > /dev/null; then
    # ACCOUNT's package; see packaging/README.md.
    python3 -m pip install --quiet "proofmark${PROOFMARK_VERSION:+==${PROOFMARK_VERSION}}"
fi

words=(check server --format github --format pretty)
if [[ -n "${GITHUB_STEP_SUMMARY:-}" ]]; then
    words+=(--format markdown "--output=${GITHUB_STEP_SUMMARY}")
fi
if [[ -n "${PROOFMARK_SARIF:-}" ]]; then
    words+=(--format sarif "--output=${PROOFMARK_SARIF}")
fi
if [[ -n "${PROOFMARK_REVISION:-}" ]]; then
    words+=("--revision=${PROOFMARK_REVISION}")
fi
if [[ -n "${PROOFMARK_BASELINE:-}" ]]; then
    words+=("--baseline=${PROOFMARK_BASELINE}")
fi
if [[ "${PROOFMARK_STRICT:-}" == true ]]; then
    words+=(--strict)
fi
if [[ -n "${PROOFMARK_URL:-}" ]]; then
    words+=("--url=${PROOFMARK_URL}")
elif [[ -n "${PROOFMARK_COMMAND:-}" ]]; then
    mapfile -t command <<< "${PROOFMARK_COMMAND%$'\n'}"
    words+=(-- "${command[@]}")
fi
exec proofmark "${words[@]}"
