"""Runs the steps of a client one after the other and says what came of them."""

import argparse
import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any
from urllib.parse import urlsplit

import anyio

STEP_SECONDS = 20

# Opens the connection that the steps are about; it has a `revision`, and `tools()` lists what is offered.
Connect = Callable[[argparse.Namespace], AbstractAsyncContextManager[Any]]


def main(description: str, transports: Sequence[str], connect: Connect, steps: Sequence[Any]) -> int:
    options = parse(description, transports)
    # The client logs what the steps provoke; the steps say what matters.
    logging.disable(logging.CRITICAL)
    guard = threading.Timer(options.deadline, give_up, [options.deadline])
    guard.daemon = True
    guard.start()
    tally = {"ok": 0, "not ok": 0, "skip": 0}
    started = time.monotonic()
    revision = anyio.run(run, options, tally, connect, steps)
    seconds = time.monotonic() - started
    skipped = f", {tally['skip']} skipped" if tally["skip"] else ""
    print(
        f"{tally['ok']} passed, {tally['not ok']} failed{skipped}"
        f" ({options.transport}, {revision}, {seconds:.1f} s)",
        flush=True,
    )
    return 1 if tally["not ok"] else 0


def parse(description: str, transports: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--transport", choices=transports, required=True)
    parser.add_argument("--revision", help="propose this revision instead of the newest the client knows")
    parser.add_argument("--only", action="append", default=[], help="run only steps whose name contains this")
    parser.add_argument("--lenient", action="store_true", help="skip steps whose fixture the server does not list")
    parser.add_argument("--deadline", type=float, default=120, help="give up after so many seconds")
    parser.add_argument("target", nargs="+", help="a URL, or a command after --")
    options = parser.parse_args()
    if options.transport != "stdio" and (len(options.target) != 1 or not urlsplit(options.target[0]).port):
        parser.error(f"{options.transport} wants one URL with a port")
    return options


def give_up(seconds: float) -> None:
    """Whatever hangs, the last word is spoken in time."""
    print(f"not ok the whole run: not done after {seconds:g} s", flush=True)
    os._exit(1)


async def run(options: argparse.Namespace, tally: dict[str, int], connect: Connect, steps: Sequence[Any]) -> str:
    """Runs the steps; gives the negotiated revision."""
    revision = "no revision"
    try:
        async with connect(options) as connection:
            revision = connection.revision
            await run_all(connection, options, tally, steps)
    except Exception as error:
        report(tally, "not ok", "connection", error)
    if tally["ok"] + tally["not ok"] == 0:
        report(tally, "not ok", "selection", ValueError("no step was run"))
    return revision


async def run_all(
    connection: Any, options: argparse.Namespace, tally: dict[str, int], steps: Sequence[Any]
) -> None:
    offered = {tool.name for tool in await connection.tools()} if options.lenient else None
    for step in steps:
        if not step.concerns(connection.revision, options.transport, options.only):
            continue
        missing = [tool for tool in step.tools if offered is not None and tool not in offered]
        if missing:
            report(tally, "skip", step.name, LookupError(f"not offered: {', '.join(missing)}"))
            continue
        try:
            with anyio.fail_after(STEP_SECONDS):
                await step.run(connection)
        except TimeoutError:
            report(tally, "not ok", step.name, TimeoutError(f"not done after {STEP_SECONDS} s"))
        except Exception as error:
            report(tally, "not ok", step.name, error)
        else:
            report(tally, "ok", step.name)


def report(tally: dict[str, int], outcome: str, name: str, error: BaseException | None = None) -> None:
    tally[outcome] += 1
    why = f": {one_line(error)}" if error is not None else ""
    print(f"{outcome} {name}{why}", flush=True)


def one_line(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return " ".join(f"{type(error).__name__}: {error}".split())[:600]
