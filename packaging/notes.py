#!/usr/bin/env python3
"""Notes of a release: what CHANGELOG.md says about a version, or about what is not released yet."""

import re
import sys

from common import ROOT, version

wanted = sys.argv[1] if len(sys.argv) > 1 else version()
sections = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)[1:]
for name in [wanted, "Unreleased"]:
    for section in sections:
        title, _, text = section.partition("\n")
        if title.startswith(f"[{name}]"):
            print(f"# Proofmark {wanted}\n\n{text.strip()}")
            sys.exit()
sys.exit(f"CHANGELOG.md has nothing about {wanted}")
