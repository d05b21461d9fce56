"""Stands before a command, passes on all that is said to it and by it, and keeps both.

    python ledger.py FILE COMMAND...

What the command was told goes to FILE.sent, what it said to FILE.heard.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from threading import Thread
from typing import BinaryIO

AT_ONCE = 65536


def carry(source: int, target: int, kept: BinaryIO, at_end: Callable[[], None]) -> None:
    while piece := os.read(source, AT_ONCE):
        # Kept first: what the other side saw is always there.
        kept.write(piece)
        while piece:
            piece = piece[os.write(target, piece) :]
    at_end()


def main(name: str, *command: str) -> int:
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin and process.stdout
    with open(f"{name}.sent", "wb", 0) as sent, open(f"{name}.heard", "wb", 0) as heard:
        told = (0, process.stdin.fileno(), sent, process.stdin.close)
        Thread(target=carry, args=told, daemon=True).start()
        carry(process.stdout.fileno(), 1, heard, lambda: None)
    return process.wait()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
