"""An MCP client written from the specification alone, right unless told to have one defect."""

import argparse
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from calling import defect, legal, net, pipes, tour  # noqa: E402
from calling.core import Client  # noqa: E402
from calling.defects import DEFECTS  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--revision", default="2025-11-25")
    parser.add_argument("--url")
    parser.add_argument("--defect", choices=sorted(DEFECTS), metavar="NAME")
    parser.add_argument("--legal", choices=sorted(legal.LEGAL), metavar="NAME")
    parser.add_argument("--list", action="store_true", help="print the table of defects")
    parser.add_argument("--stdio", nargs=argparse.REMAINDER, metavar="COMMAND", help="start this server; comes last")
    options = parser.parse_args()
    if options.list:
        for each in DEFECTS.values():
            print(f"{each.group}\t{each.name}\t{each.sentence}\t{each.page}\t{','.join(each.revisions)}"
                  f"\t{','.join(each.transports)}")
        return
    if options.defect:
        defect.ACTIVE = DEFECTS[options.defect]
    if options.legal:
        defect.ACTIVE = legal.LEGAL[options.legal]
    carrier = net.Net(options.url) if options.url else pipes.Pipes(options.stdio)
    tour.run(Client(carrier, options.revision))
    os._exit(0)


if __name__ == "__main__":
    main()
