"""The input schemas of tools of servers by many authors: `servers.py PROOFMARK FOLDER [--count N]` writes a line of JSON for each.

Each server is installed into FOLDER from npm or PyPI, started, and asked for its tools; nothing is called. What wants a key gets one
that opens nothing. `--count` takes only the first few. A server that cannot be asked is named on standard error.
"""

import argparse
import json
import subprocess
import sys
import venv
from pathlib import Path

NPM = [
    ("@modelcontextprotocol/server-everything", "2026.8.31", []),
    ("@modelcontextprotocol/server-memory", "2026.8.31", []),
    ("@modelcontextprotocol/server-sequential-thinking", "2026.8.31", []),
    ("@modelcontextprotocol/server-filesystem", "2026.8.31", ["."]),
    ("@modelcontextprotocol/server-github", "2025.4.8", []),
    ("@modelcontextprotocol/server-gitlab", "2025.4.25", []),
    ("@modelcontextprotocol/server-slack", "2025.4.25", []),
    ("@modelcontextprotocol/server-google-maps", "0.6.2", []),
    ("@modelcontextprotocol/server-brave-search", "0.6.2", []),
    ("@modelcontextprotocol/server-postgres", "0.6.2", ["postgresql://127.0.0.1:1/none"]),
    ("@modelcontextprotocol/server-everart", "0.6.2", []),
    ("tavily-mcp", "0.2.22", []),
    ("exa-mcp-server", "3.4.1", []),
    ("firecrawl-mcp", "3.26.0", []),
    ("@notionhq/notion-mcp-server", "2.5.2", []),
    ("@upstash/context7-mcp", "4.1.1", []),
    ("figma-developer-mcp", "0.13.2", ["--stdio"]),
    ("@cyanheads/git-mcp-server", "2.15.3", []),
    ("@wonderwhy-er/desktop-commander", "0.2.52", []),
    ("@playwright/mcp", "0.0.83", []),
    ("airtable-mcp-server", "1.14.0", []),
    ("mongodb-mcp-server", "3.0.4", []),
    ("mcp-server-kubernetes", "4.1.7", []),
]
PYPI = [
    ("mcp-server-time", []),
    ("mcp-server-fetch", []),
    ("mcp-server-git", []),
    ("mcp-server-sqlite", ["--db-path", "none.db"]),
    ("mcp-server-calculator", []),
]
KEYS = """AIRTABLE_API_KEY BRAVE_API_KEY EVERART_API_KEY EXA_API_KEY FIGMA_API_KEY FIRECRAWL_API_KEY GITHUB_PERSONAL_ACCESS_TOKEN
    GITLAB_PERSONAL_ACCESS_TOKEN GOOGLE_MAPS_API_KEY NOTION_TOKEN SLACK_BOT_TOKEN SLACK_TEAM_ID TAVILY_API_KEY""".split()


def quietly(command: list, **options) -> bool:
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options).returncode == 0


def npm(folder: Path, name: str, version: str, words: list[str]) -> list[str] | None:
    place = folder / name.replace("/", "+")
    entry = place / "node_modules" / name
    if not entry.exists() and not quietly(["npm", "install", "--prefix", place, "--no-audit", "--no-fund", "--ignore-scripts", f"{name}@{version}"], timeout=300):
        return None
    programs = json.loads((entry / "package.json").read_text())["bin"]
    program = programs if isinstance(programs, str) else next(iter(programs.values()))
    return ["node", str(entry / program), *words]


def pypi(folder: Path, name: str, words: list[str]) -> list[str] | None:
    place = folder / name
    if not (place / "bin" / name).exists():
        venv.create(place, clear=True, with_pip=True)
        if not quietly([place / "bin" / "python", "-m", "pip", "install", "--quiet", name], timeout=300):
            return None
    return [str(place / "bin" / name), *words]


def tools(proofmark: str, folder: Path, command: list[str]) -> list[dict]:
    # Variables that look like credentials are passed on only if they are named.
    keys = [word for key in KEYS for word in ("--env", f"{key}=none")]
    asked = subprocess.run([proofmark, "list", "tools", "--json", "--timeout", "40", *keys, "--", *command], capture_output=True, text=True, timeout=90, cwd=folder)
    return json.loads(asked.stdout)["tools"] if asked.returncode == 0 else []


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("proofmark")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--count", type=int)
    arguments.add_argument("--output", type=argparse.FileType("w"), default=sys.stdout)
    given = arguments.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    wanted = [(npm, entry) for entry in NPM] + [(pypi, entry) for entry in PYPI]
    asked = schemas = 0
    for install, entry in wanted[: given.count]:
        try:
            command = install(given.folder.resolve(), *entry)
            found = tools(given.proofmark, given.folder, command) if command else []
        except (subprocess.TimeoutExpired, OSError, ValueError, KeyError) as why:
            print(f"{entry[0]}: {why}", file=sys.stderr)
            found = []
        if not found:
            print(f"{entry[0]} could not be asked", file=sys.stderr)
            continue
        asked += 1
        for tool in found:
            schemas += 1
            print(json.dumps({"id": f"{entry[0]} {tool['name']}", "schema": tool["inputSchema"]}), file=given.output, flush=True)
    print(f"{asked} servers, {schemas} schemas", file=sys.stderr)
    return 0 if asked >= min(20, given.count or 20) else 1


if __name__ == "__main__":
    sys.exit(main())
