"""JSON Schema's own test suite as schemas: `suite.py SDIST` prints a line of JSON for each schema of draft 2020-12.

The suite is in the source distribution of the jsonschema package. Each line says whether the suite knows a valid and an invalid
instance of the schema, so that a schema that has none of a kind is not asked for one.
"""

import json
import sys
import tarfile

DRAFT = "/json/tests/draft2020-12/"


def main(path: str) -> int:
    found = 0
    with tarfile.open(path) as archive:
        for member in sorted(archive.getmembers(), key=lambda member: member.name):
            inside = member.name.partition(DRAFT)[2]
            # `optional/` is about formats and what a validator may leave out.
            if not inside.endswith(".json") or "/" in inside:
                continue
            for number, group in enumerate(json.load(archive.extractfile(member))):
                kinds = {test["valid"] for test in group["tests"]}
                line = {"id": f"{inside[:-5]} {number}: {group['description']}", "schema": group["schema"], "has_valid": True in kinds, "has_invalid": False in kinds}
                print(json.dumps(line))
                found += 1
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
