"""Judges generated cases by the jsonschema package: `second_validator.py FILE`, where each line is a schema with its cases."""

import json
import sys

from jsonschema import Draft202012Validator

SAME = {"dependentRequired": "required"}


def main(path: str) -> int:
    checked = wrong = 0
    for line in open(path, encoding="utf-8"):
        entry = json.loads(line)
        validator = Draft202012Validator(entry["schema"])
        for case in entry["cases"]:
            checked += 1
            errors = [(error.validator, "".join(f"/{step}" for step in error.absolute_path)) for error in validator.iter_errors(case["value"])]
            if case["valid"]:
                right = not errors
            else:
                right = bool(errors) and all(SAME.get(keyword, keyword) == case["keyword"] and place == case["place"] for keyword, place in errors)
            if not right:
                wrong += 1
                print(f"schema {entry['seed']}: {json.dumps(case)} has the errors {errors} by {json.dumps(entry['schema'])}")
    print(f"{checked} cases, {wrong} of them wrong")
    return 1 if wrong or not checked else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
