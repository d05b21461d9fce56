#!/bin/sh
# Installs servers of other authors into a folder (by default target/interop/fleet), and checks them twice as a fleet.
# `PROOFMARK` names the program to check with.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
FLEET_HOME=${FLEET_HOME:-$root/target/interop/fleet}
export FLEET_HOME
proofmark=${PROOFMARK:-$root/target/debug/proofmark}
mkdir -p "$FLEET_HOME"
if [ ! -e "$FLEET_HOME/.installed" ] || ! cat "$here/package.json" "$here/requirements.txt" | cmp -s - "$FLEET_HOME/.installed"; then
    cp "$here/package.json" "$FLEET_HOME/package.json"
    (cd "$FLEET_HOME" && npm install --no-audit --no-fund)
    python3 -m venv "$FLEET_HOME/venv"
    "$FLEET_HOME/venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
    cat "$here/package.json" "$here/requirements.txt" > "$FLEET_HOME/.installed"
fi
database=$FLEET_HOME/fleet.db
# Findings are known; what is new since the time before fails.
for time in first second; do
    "$proofmark" fleet --file "$here/fleet.yaml" --database "$database" run --no-new-findings "$@"
done
"$proofmark" fleet --file "$here/fleet.yaml" --database "$database" diff
