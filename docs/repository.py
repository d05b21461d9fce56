#!/usr/bin/env python3
"""A preprocessor of mdBook: links out of the book lead to the repository, where they lead anyway."""

import json
import posixpath
import re
import sys


def lead(text: str, page: str, repository: str) -> str:
    def leads(link: re.Match) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), link[2]))
        return f"{link[1]}{repository}/blob/main/{path[3:]}" if path.startswith("../") else link[0]

    # Within brackets, and where a name is given to an address.
    return re.sub(r"(\]\(|^\[[^\]]+\]: )(\.\./[^)\s]*)", leads, text, flags=re.MULTILINE)


def walk(items: list, repository: str) -> None:
    for item in items:
        chapter = item.get("Chapter") if isinstance(item, dict) else None
        if chapter:
            if chapter["path"]:
                chapter["content"] = lead(chapter["content"], chapter["path"], repository)
            walk(chapter["sub_items"], repository)


if __name__ == "__main__":
    if sys.argv[1:2] == ["supports"]:
        sys.exit(0)
    context, book = json.load(sys.stdin)
    walk(book.get("items") or book.get("sections"), context["config"]["output"]["html"]["git-repository-url"])
    json.dump(book, sys.stdout)
