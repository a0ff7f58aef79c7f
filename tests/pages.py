"""Reads a page of HTML and says what is wrong with it."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import pairwise

_VOID = {"meta", "link", "br", "img", "hr", "input"}
_TOO_MANY_BYTES = 2_000_000


@dataclass
class Page(HTMLParser):
    """A page: its elements with their attributes, its headings, the rows of its table, and its text."""

    html: str
    elements: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    headings: list[tuple[int, str]] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Read it."""
        super().__init__()
        self.feed(self.html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in _VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")
        if re.fullmatch("h[1-6]", tag):
            self.headings.append((int(tag[1]), ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element without content."""
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        """See that elements close in their order."""
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> closes something else")

    def handle_data(self, data: str) -> None:
        """Note text, and where it stands."""
        if "style" in self.open:
            return
        self.texts.append(data)
        if "th" in self.open or "td" in self.open:
            self.rows[-1][-1] += data
        if self.headings and self.open and re.fullmatch("h[1-6]", self.open[-1]):
            level, text = self.headings[-1]
            self.headings[-1] = level, text + data

    @property
    def text(self) -> str:
        """All text, each blank single."""
        return " ".join(" ".join(self.texts).split())

    def of(self, tag: str) -> list[dict[str, str]]:
        """Return the attributes of all elements of a kind."""
        return [attributes for name, attributes in self.elements if name == tag]

    def wrong(self) -> list[str]:
        """Return a line per thing that is wrong with the page, whatever it says."""
        return [
            *self.problems,
            *([f"{self.open} stay open"] if self.open else []),
            *([f"{len(self.html.encode())} bytes"] if len(self.html.encode()) > _TOO_MANY_BYTES else []),
            *self._wrong_links(),
            *self._wrong_headings(),
            *(f"{tag} without a text for it" for tag, one in self.elements if self._mute(tag, one)),
            *(f"the text has {word}" for word in re.findall(r"\b(?:nan|NaN|None|Undefined)\b", self.text)),
            *(f"{tag} is active" for tag, _ in self.elements if tag in ("script", "iframe", "object", "form", "link")),
            *(f"{name} acts" for _, one in self.elements for name in one if name.startswith("on")),
        ]

    def _mute(self, tag: str, attributes: dict[str, str]) -> bool:
        return (tag == "svg" and not attributes.get("aria-label")) or (tag == "img" and not attributes.get("alt"))

    def _wrong_links(self) -> list[str]:
        ids = [one["id"] for _, one in self.elements if "id" in one]
        links = [one[name] for _, one in self.elements for name in ("href", "src", "xlink:href") if name in one]
        links += re.findall(r"url\(([^)]*)\)", self.html)
        outside = [link for link in links if not link.startswith(("#", "data:"))]
        return [
            *(f"{link} leads out" for link in outside),
            *(f"{link} leads nowhere" for link in links if link.startswith("#") and link[1:] not in ids),
            *(f"id {one} is there twice" for one in set(ids) if ids.count(one) > 1),
            *re.findall(r"@import|https?:[^\s\"'<]{0,60}", re.sub(r"xmlns(:\w+)?=\"[^\"]*\"", "", self.html)),
        ]

    def _wrong_headings(self) -> list[str]:
        levels = [level for level, _ in self.headings]
        skipped = [f"h{b} after h{a}" for a, b in pairwise(levels) if b > a + 1]
        return [*([] if levels[:1] == [1] and levels.count(1) == 1 else ["not one h1 at the top"]), *skipped]
