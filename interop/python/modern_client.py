"""The official Python client, version 2, put through everything an Everything Server offers without a handshake."""

import sys

from modern.connection import connect
from modern.steps import STEPS
from runner import main

if __name__ == "__main__":
    sys.exit(main(__doc__ or "", ["stdio", "http"], connect, STEPS))
