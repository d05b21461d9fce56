"""Runs the checker on peers that it has never met: the right ones, and each with one defect.

A defect is caught if the checker blames or warns of something that it does not say of the right peer in the same
place, a revision on a transport. Exits 1 if a defect passes that is not in known_misses.tsv, or if the right peer
is blamed.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from calling.defects import DEFECTS as CLIENT  # noqa: E402
from calling.legal import LEGAL as CLIENT_LEGAL  # noqa: E402
from serving.defects import DEFECTS as SERVER  # noqa: E402
from serving.legal import LEGAL as SERVER_LEGAL  # noqa: E402

SIDES = {"server": (SERVER, SERVER_LEGAL), "client": (CLIENT, CLIENT_LEGAL)}
LIMIT = 240
Run = collections.namedtuple("Run", "side name legal revision transport")


def places(side, defect):
    """Where a defect shows: revisions on the transports that they have."""
    found = []
    for revision in defect.revisions:
        for transport in defect.transports:
            if transport == "sse" and (revision != "2024-11-05" or side == "client"):
                continue
            if transport == "http" and revision == "2024-11-05":
                continue
            found.append((revision, transport))
    return found


def chosen(side, defect, options):
    """All places, one in each era, or one."""
    found = [place for place in places(side, defect)
             if options.revision in (None, place[0]) and options.transport in (None, place[1])]
    if options.spread == "all":
        return found
    turn = zlib.crc32(defect.name.encode()) + options.turn
    modern = [place for place in found if place[0] == "2026-07-28"]
    legacy = [place for place in found if place[0] != "2026-07-28"]
    if options.spread == "one":
        modern, legacy = found, []
    return [group[turn % len(group)] for group in (modern, legacy) if group]


def check(run, options, scratch):
    """What the checker says: the exit code, what it blames, what it warns of, the time, and its complaints."""
    report = scratch / "-".join((run.side, run.name or "right", run.revision, run.transport, str(time.monotonic_ns())))
    command = [options.checker, "check", run.side, "--revision", run.revision, "--transport", run.transport,
               "--start-timeout", str(options.start_timeout), "--format", "json", "--output", str(report)]
    switch = [] if run.name is None else ["--legal" if run.legal else "--defect", run.name]
    script = [sys.executable, str(HERE / f"{run.side}.py")] + switch
    served = None
    if run.side == "client":
        target = ["--stdio", "{command}"] if run.transport == "stdio" else ["--url", "{url}"]
        command += ["--", *script, "--revision", run.revision, *target]
    elif run.transport == "stdio":
        command += ["--call-all", "--", *script]
    else:
        served = subprocess.Popen(script + ["--http"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        port = served.stdout.readline().split()[-1]
        path = "sse" if run.transport == "sse" else "mcp"
        command += ["--call-all", "--url", f"http://127.0.0.1:{port}/{path}"]
    started = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, errors="replace")
        code, said = done.returncode, done.stderr
    except subprocess.TimeoutExpired:
        code, said = -1, f"the checker did not end within {LIMIT} s"
    finally:
        if served:
            served.kill()
            served.wait()
    verdicts = {}
    if report.exists():
        for each in json.loads(report.read_text())["requirements"]:
            verdicts[each["id"]] = each["status"]
        report.unlink()
    return {"exit": code, "said": said.strip()[-600:], "seconds": round(time.monotonic() - started, 1),
            "fail": sorted(key for key, status in verdicts.items() if status == "fail"),
            "warn": sorted(key for key, status in verdicts.items() if status == "warn"), "report": bool(verdicts)}


def judge(run, got, right):
    """Adds what is new against the right peer."""
    fails = [key for key in got["fail"] if key not in right["fail"]]
    warns = [key for key in got["warn"] if key not in right["warn"] and key not in right["fail"]]
    verdict = "caught" if fails else "warned" if warns else "missed" if got["report"] else "no report"
    return dict(run._asdict(), verdict=verdict, exit=got["exit"], seconds=got["seconds"], fail=fails, warn=warns,
                said=got["said"] if verdict in ("missed", "no report") else "")


def known_misses():
    """side, name, place or *, reason: one line each."""
    found = {}
    file = HERE / "known_misses.tsv"
    for line in file.read_text().splitlines() if file.exists() else []:
        if line and not line.startswith("#"):
            side, name, place, reason = line.split("\t")
            found[side, name, place] = reason
    return found


def excused(row, known):
    place = f"{row['revision']}/{row['transport']}"
    return (row["side"], row["name"], place) in known or (row["side"], row["name"], "*") in known


def plan(options):
    runs = []
    for side in [options.side] if options.side else SIDES:
        for legal, table in enumerate(SIDES[side]):
            for name, defect in table.items():
                if options.only and name not in options.only:
                    continue
                if options.legal is not None and bool(legal) != options.legal:
                    continue
                runs += [Run(side, name, bool(legal), *place) for place in chosen(side, defect, options)]
    if options.sample:
        runs = random.Random(options.seed).sample(runs, min(options.sample, len(runs)))
    return runs


def show(rows, known):
    groups = collections.defaultdict(collections.Counter)
    for row in rows:
        group = SIDES[row["side"]][row["legal"]][row["name"]].group
        for key in {(row["side"], group), (row["side"], row["transport"]), (row["side"], row["revision"]),
                    (row["side"], "legal" if row["legal"] else "all defects")}:
            if not row["legal"] or key[1] == "legal":
                groups[key][row["verdict"]] += 1
    print(f"{'side':8}{'class':22}{'caught':>8}{'warned':>8}{'missed':>8}{'no report':>11}{'rate':>7}")
    for (side, group), counts in sorted(groups.items()):
        total = sum(counts.values())
        seen = counts["caught"] + counts["warned"]
        print(f"{side:8}{group:22}{counts['caught']:8}{counts['warned']:8}{counts['missed']:8}"
              f"{counts['no report']:11}{100 * seen // total:6}%")
    bad = [row for row in rows if not row["legal"] and row["verdict"] in ("missed", "no report")
           and not excused(row, known)]
    blamed = [row for row in rows if row["legal"] and row["verdict"] != "missed" and not excused(row, known)]
    for row in bad:
        print(f"missed: {row['side']} {row['name']} {row['revision']}/{row['transport']} exit {row['exit']}")
    for row in blamed:
        print(f"blamed: {row['side']} {row['name']} {row['revision']}/{row['transport']} {row['fail']} {row['warn']}")
    return bad + blamed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checker", default="proofmark", help="the checker's command")
    parser.add_argument("--side", choices=sorted(SIDES))
    parser.add_argument("--only", action="append", metavar="NAME")
    parser.add_argument("--revision")
    parser.add_argument("--transport", choices=("stdio", "http", "sse"))
    parser.add_argument("--spread", choices=("one", "eras", "all"), default="eras",
                        help="run a defect in one place, in one of each era, or in all")
    parser.add_argument("--turn", type=int, default=0, help="another number chooses other places")
    parser.add_argument("--legal", action=argparse.BooleanOptionalAction, help="only legal variations, or none")
    parser.add_argument("--sample", type=int, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--start-timeout", type=int, default=10, help="seconds that a peer may take to begin")
    parser.add_argument("--json", metavar="FILE", help="write every row there")
    parser.add_argument("--follow", action="store_true", help="print each row when it is known")
    options = parser.parse_args()
    runs = plan(options)
    known = known_misses()
    rows, problems = [], []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        scratch = pathlib.Path(folder)
        spots = sorted({(run.side, run.revision, run.transport) for run in runs})
        rights = {}
        for spot, got in zip(spots, pool.map(
                lambda spot: check(Run(spot[0], None, False, *spot[1:]), options, scratch), spots)):
            rights[spot] = got
            if got["exit"] != 0:
                problems.append(spot)
                print(f"blamed: the right {' '.join(spot)} exit {got['exit']} {got['fail']} {got['said']}", flush=True)
            elif got["warn"]:
                print(f"warned: the right {' '.join(spot)} {got['warn']}", flush=True)

        def measure(run):
            row = judge(run, check(run, options, scratch), rights[run.side, run.revision, run.transport])
            if options.follow:
                print(json.dumps(row), flush=True)
            return row

        rows = list(pool.map(measure, runs))
    problems += show(rows, known)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
