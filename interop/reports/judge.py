"""Has reports judged by what reads them: `judge.py PROOFMARK FOLDER PYTEST_SDIST NODE_MODULES`.

JUnit is held to the schema of Jenkins' xUnit plugin, which is in the source distribution of pytest, SARIF to a validator with the rules of GitHub's code scanning, JSON to the
schemas that the program prints. A judge that takes a document that is broken on purpose is no judge, so that each has to refuse one.
"""

import json
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import xmlschema
from jsonschema import Draft202012Validator

# Greets on standard output, answers a handshake, and breaks a good deal after it.
SPOILED = r"""import json, sys
print("hello", flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message or "method" not in message:
        continue
    tools = [{"name": "a b", "inputSchema": {"type": "object", "anyOf": [{}]}}]
    results = {"initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}},
               "tools/list": {"tools": tools}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": results.get(message["method"], {"<&\u0001>": "]]>"})}), flush=True)
"""
TESTS = """servers: {own: {command: [%s, everything, --stdio]}}
tests:
  - {name: good, call: test_simple_text}
  - {name: 'bad <&"', call: test_error_handling}
  - {name: left out, skip: not yet, list: tools}
"""


def main(proofmark: str, folder: Path, sdist: str, modules: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    xsd = folder / "junit-10.xsd"
    with tarfile.open(sdist) as archive:
        member = next(it for it in archive.getmembers() if it.name.endswith("/junit-10.xsd"))
        xsd.write_bytes(archive.extractfile(member).read())
    tool = next(it for it in modules.glob("@microsoft/sarif-multitool-*/Sarif.Multitool*") if it.suffix in (".Multitool", ".exe"))
    tool.chmod(0o755)
    (folder / "spoiled.py").write_text(SPOILED)
    (folder / "proofmark.yaml").write_text(TESTS % json.dumps(proofmark))
    spoiled = ["--", sys.executable, str(folder / "spoiled.py")]
    runs = {
        "right": ["check", "server", "--only", "M001,M108"],
        "spoiled": ["check", "server", "--max-time", "60", *spoiled],
        "all": ["check", "server", "--revision", "all", "--only", "M001,M016,M108", "--max-time", "60", *spoiled],
        "client": ["check", "client", "--only", "M001", "--max-time", "60", "--", proofmark, "everything-client", "{url}"],
        "lint": ["lint", *spoiled],
        "test": ["test", "proofmark.yaml"],
    }
    formats = {"lint": ("sarif", "json"), "test": ("junit", "json")}
    complaints, judged = [], 0
    for name, words in runs.items():
        for kind in formats.get(name, ("junit", "sarif", "json")):
            path = folder / f"{name}.{kind}"
            end = words.index("--") if "--" in words else len(words)
            command = [proofmark, *words[:end], "--format", kind, "--output", str(path), *words[end:]]
            done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
            if done.returncode not in (0, 1) or not path.exists():
                complaints.append(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
                continue
            complaints += [f"{path.name}: {it}" for it in wrong(kind, path, name, proofmark, xsd, tool)]
            judged += 1
    for kind, name, change in SPOILING:
        path = folder / f"broken.{kind}"
        text = (folder / f"{name}.{kind}").read_text()
        path.write_text(re.sub(*change, text, count=1))
        if path.read_text() == text or not wrong(kind, path, name, proofmark, xsd, tool):
            complaints.append(f"{path.name}: it was taken although it is broken")
    print("\n".join(complaints))
    print(f"{judged} reports judged by others, {len(complaints)} complaints")
    return 1 if complaints or not judged else 0


# What makes of a report one that has to be refused.
SPOILING = [
    ("junit", "spoiled", (r' skipped="', ' left-out="')),
    ("sarif", "spoiled", (r'"locations"', '"places"')),
    ("json", "spoiled", (r'"verdict"', '"judgement"')),
    ("json", "test", (r'"summary"', '"sums"')),
]


def wrong(kind: str, path: Path, name: str, proofmark: str, xsd: Path, tool: Path) -> list[str]:
    if kind == "junit":
        return [f"{error.reason} at {error.path}" for error in xmlschema.XMLSchema(str(xsd)).iter_errors(str(path))]
    if kind == "sarif":
        said = subprocess.run([tool, "validate", str(path), "--rule-kind", "Sarif;Ghas"], capture_output=True, text=True).stdout
        found = [line for line in said.splitlines() if re.search(r": (error|warning) [A-Z]+\d+:", line)]
        return found if "Analysis completed successfully" in said or found else [said]
    schema = json.loads(subprocess.run([proofmark, "schema", {"lint": "lint", "test": "test"}.get(name, "report")], capture_output=True, check=True).stdout)
    Draft202012Validator.check_schema(schema)
    return [f"{error.message[:200]} at {error.json_path}" for error in Draft202012Validator(schema).iter_errors(json.loads(path.read_text()))]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]).resolve(), sys.argv[3], Path(sys.argv[4])))
