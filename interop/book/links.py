"""Looks whether all links of a built book lead somewhere: `links.py FOLDER`. Nothing is fetched."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, text: str):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list) -> None:
        for name, value in attributes:
            if name == "id":
                self.ids.add(value)
            elif name in ("href", "src") and value and tag != "base":
                self.links.append(value)


def main(folder: Path) -> int:
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in folder.rglob("*.html")}
    broken = links = 0
    for path, page in sorted(pages.items()):
        # One has all pages in it, with their links as they are; the other is shown for any address.
        if path.name in ("print.html", "404.html", "toc.html"):
            continue
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            links += 1
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            there = target.is_file() and (not parts.fragment or target not in pages or unquote(parts.fragment) in pages[target].ids)
            if not there:
                broken += 1
                print(f"{path.relative_to(folder)}: {link} leads nowhere")
    print(f"{links} links in {len(pages)} pages, {broken} lead nowhere")
    return 1 if broken or not links else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
