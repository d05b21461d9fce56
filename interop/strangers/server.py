"""An MCP server written from the specification alone, right unless told to have one defect."""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from serving import defect, stdio, web  # noqa: E402
from serving.defects import DEFECTS  # noqa: E402
from serving.legal import LEGAL  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--http", action="store_true", help="serve /mcp and /sse instead of standard input and output")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--defect", choices=sorted(DEFECTS), metavar="NAME")
    parser.add_argument("--legal", choices=sorted(LEGAL), metavar="NAME")
    parser.add_argument("--list", action="store_true", help="print the table of defects")
    options = parser.parse_args()
    if options.list:
        for each in DEFECTS.values():
            print(f"{each.group}\t{each.name}\t{each.sentence}\t{each.page}\t{','.join(each.revisions)}"
                  f"\t{','.join(each.transports)}")
        return
    if options.defect:
        defect.ACTIVE = DEFECTS[options.defect]
    if options.legal:
        defect.ACTIVE = LEGAL[options.legal]
    if options.http:
        web.serve(options.port)
    else:
        stdio.serve()


if __name__ == "__main__":
    main()
