"""Judges generated cases by the jsonschema package: `second_validator.py FILE`, where each line is a schema with its cases.

A case that should fit has to, and one that should not has to fail for its keyword, in its place, and for nothing else.
`--share PERCENT --known FILE` asks besides how many of the schemas of FILE, which says what each has, got both kinds of cases.
"""

import argparse
import json
import sys

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import validator_for

# Faults that the two validators call by different names.
ALSO = {"contains": {"maxContains", "minContains"}, "dependentRequired": {"required"}, "falseSchema": {None, "items", "additionalItems"}, "required": {"dependentRequired"}}


def is_meant(case: dict, error: ValidationError) -> bool:
    """Whether an error is about the keyword and the place of a case."""
    keyword, place = case["keyword"], pointer(error)
    if keyword == "propertyNames":
        return keyword in error.absolute_schema_path and place == case["place"]
    named = error.validator == keyword or error.validator in ALSO.get(keyword, ())
    # A member or item that must not be there is blamed on what it is in.
    around = keyword == "falseSchema" and place == case["place"].rpartition("/")[0]
    return named and (place == case["place"] or around or (keyword == "falseSchema" and error.validator is None))


def is_right(case: dict, errors: list[ValidationError]) -> bool:
    if case["valid"]:
        return not errors
    # What is wrong counts as not evaluated as well, where that is forbidden.
    own = [error for error in errors if error.validator not in ("unevaluatedProperties", "unevaluatedItems")] or errors
    return bool(own) and all(is_meant(case, error) for error in own)


def judged(entry: dict) -> int:
    """How many cases of a schema are wrong."""
    schema = entry["schema"]
    validator = validator_for(schema, default=Draft202012Validator)(schema)
    wrong = 0
    for case in entry["cases"]:
        errors = list(validator.iter_errors(case["value"]))
        if not is_right(case, errors):
            wrong += 1
            found = [(error.validator, pointer(error)) for error in errors]
            print(f"{entry['id']}: {json.dumps(case)[:300]} has the errors {found} by {json.dumps(schema)[:600]}")
    return wrong


def pointer(error: ValidationError) -> str:
    return "".join(f"/{escaped(step)}" for step in error.absolute_path)


def escaped(step: object) -> str:
    return str(step).replace("~", "~0").replace("/", "~1")


def has_share(entries: list[dict], known: str, least: float) -> bool:
    """Whether enough schemas that have a valid and an invalid instance got a case of each kind; the others are named."""
    having = {line["id"]: line["has_valid"] and line["has_invalid"] for line in map(json.loads, open(known, encoding="utf-8"))}
    asked = [entry for entry in entries if having[entry["id"]]]
    without = [entry for entry in asked if {case["valid"] for case in entry["cases"]} != {True, False}]
    for entry in without:
        print(f"not both kinds: {entry['id']}{': ' + entry['unusable'][:120] if entry['unusable'] else ''}")
    share = 100 * (len(asked) - len(without)) / max(1, len(asked))
    print(f"{len(asked) - len(without)} of {len(asked)} schemas have a valid and an invalid case ({share:.1f} %)")
    return share >= least


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("file")
    arguments.add_argument("--known")
    arguments.add_argument("--share", type=float, default=0)
    given = arguments.parse_args()
    entries = [json.loads(line) for line in open(given.file, encoding="utf-8")]
    checked = sum(len(entry["cases"]) for entry in entries)
    wrong = sum(judged(entry) for entry in entries)
    enough = given.known is None or has_share(entries, given.known, given.share)
    print(f"{checked} cases of {len(entries)} schemas, {wrong} of them wrong")
    return 1 if wrong or not checked or not enough else 0


if __name__ == "__main__":
    sys.exit(main())
