"""From a figure to SVG that stands in a page: no date, no foreign address, colours that follow the page's own."""

import io
import re
from typing import TYPE_CHECKING

from vecdecay.report.style import INK, LINE, MUTED, PALETTE, Caption

if TYPE_CHECKING:
    from markupsafe import Markup
    from matplotlib.figure import Figure

_VARIABLES = {INK: "--ink", MUTED: "--muted", LINE: "--line"}
_VARIABLES |= {shade: f"--c{number}" for number, shade in enumerate(PALETTE)}
_ID = re.compile(r' id="([^"]*)"')
_USED = re.compile(r'(?:xlink:href="#|url\(#)([^")]*)')
_NO_DATE = {"Date": None, "Creator": None, "Format": None, "Type": None}


def svg_of(figure: "Figure", caption: Caption, name: str) -> "Markup":
    """Return a figure as an ``svg`` element whose title and description are the caption.

    Identifiers begin with ``name``, so that several figures can stand in one page. The same figure gives the same text.
    """
    from markupsafe import Markup, escape  # comes with Jinja

    written = io.StringIO()
    figure.savefig(written, format="svg", transparent=True, metadata=_NO_DATE, dpi=100)
    text = written.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = _with_own_ids(text, name)
    for shade, variable in _VARIABLES.items():
        text = text.replace(shade, f"var({variable})")
    text = re.sub(r"font: ([^;\"]*?)'DejaVu Sans'[^;\"]*", r"font: \1var(--figure-font)", text)
    text = re.sub(r"font-family: [^;\"]*", "font-family: var(--figure-font)", text)
    text = re.sub(r"<defs>\s*<style type=\"text/css\">.*?</style>\s*</defs>", "", text, count=1, flags=re.DOTALL)
    size = re.search(r'viewBox="([^"]*)"', text)
    assert size is not None
    described = f"<title>{escape(caption.title)}</title><desc>{escape(caption.message)}</desc>"
    opening = f'<svg viewBox="{size.group(1)}" role="img" aria-label="{escape(f"{caption.title}: {caption.message}")}">'
    body = re.sub(r"\n\s*", "\n", text[text.index(">") + 1 :])
    # Matplotlib escapes the texts of a figure itself.
    return Markup(opening + described + body.strip())


def _with_own_ids(text: str, name: str) -> str:
    """Keep the identifiers that something refers to, each with ``name`` before it, and drop the others."""
    used = set(_USED.findall(text))
    text = _ID.sub(lambda match: f' id="{name}-{match.group(1)}"' if match.group(1) in used else "", text)
    return re.sub(r'(xlink:href="#|url\(#)', rf"\1{name}-", text).replace("xlink:href", "href")
