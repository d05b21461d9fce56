"""The official Python client, version 1, put through everything an Everything Server offers."""

import sys

from connection import connect
from runner import main
from steps import STEPS

if __name__ == "__main__":
    sys.exit(main(__doc__ or "", ["stdio", "http", "sse"], connect, STEPS))
