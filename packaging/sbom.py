#!/usr/bin/env python3
"""What the binary is made of, as CycloneDX 1.5: the crates that Cargo.lock pins and the program needs."""

import json
import subprocess
import sys

from common import ROOT, target

command = ["cargo", "metadata", "--format-version=1", "--locked", "--filter-platform", target()]
metadata = json.loads(subprocess.check_output(command, cwd=ROOT))
packages = {it["id"]: it for it in metadata["packages"]}
nodes = {it["id"]: it for it in metadata["resolve"]["nodes"]}
root = next(it["id"] for it in metadata["packages"] if it["name"] == "proofmark")


def needs(node):
    """What a package needs to be built and run, and not only to be tested."""
    for dependency in nodes[node]["deps"]:
        if any(kind["kind"] != "dev" for kind in dependency["dep_kinds"]):
            yield dependency["pkg"]


def component(node, kind="library"):
    package = packages[node]
    purl = f"pkg:cargo/{package['name']}@{package['version']}"
    entry = {"type": kind, "bom-ref": purl, "name": package["name"], "version": package["version"], "purl": purl}
    if package.get("license"):
        entry["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    return entry


seen, left = {root}, [root]
while left:
    for node in needs(left.pop()):
        if node not in seen:
            seen.add(node)
            left.append(node)
others = sorted((component(it) for it in seen - {root}), key=lambda it: it["purl"])
depends = [
    {"ref": component(it)["bom-ref"], "dependsOn": sorted({component(on)["bom-ref"] for on in needs(it)})}
    for it in seen
]
document = {
    "bomFormat": "CycloneDX",
    "specVersion": "1.5",
    "version": 1,
    "metadata": {"component": component(root, "application")},
    "components": others,
    "dependencies": sorted(depends, key=lambda it: it["ref"]),
}
json.dump(document, sys.stdout, indent=2)
print()
