"""Opens pages in a headless browser, and returns what is wrong with them there: errors, overflow, accessibility.

The browser is whichever Chromium is installed. Each page is shown in frames of several widths, whose scripts are these:
what they find is written into the outer page, which the browser prints (``--dump-dom``). Accessibility is asked of
axe-core, which the package axe-core-python holds.
"""

import html
import importlib.util
import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from effort import PATIENCE

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
WIDTHS = (360, 800, 1400)
LIGHT, DARK = 1, 0
"""Colour schemes, as ``--blink-settings=preferredColorScheme`` numbers them."""

_OUTER = """<!doctype html><html lang="en"><head><title>frames</title></head><body><pre id="found">nothing yet</pre>
<script>
const pages = PAGES, widths = WIDTHS, frames = [], found = [];
window.addEventListener("message", event => {
  const place = frames.findIndex(frame => frame.contentWindow === event.source);
  found.push({page: Math.floor(place / widths.length), asked: widths[place % widths.length], ...event.data});
  if (found.length === frames.length) document.getElementById("found").textContent = JSON.stringify(found);
});
for (const page of pages) for (const width of widths) {
  const frame = document.createElement("iframe");
  frame.width = width; frame.height = 900; frame.title = String(width); frame.srcdoc = page;
  frames.push(document.body.appendChild(frame));
}
</script></body></html>"""

_BEFORE = """<script>
const errors = [];
window.addEventListener("error", event => errors.push(event.message || "a resource did not load"), true);
for (const name of ["error", "warn"]) {
  const usual = console[name]; console[name] = (...words) => { errors.push(words.join(" ")); usual(...words); };
}
</script>"""

_AFTER = """<script>AXE</script><script>
window.addEventListener("load", async () => {
  const root = document.documentElement, width = root.clientWidth, wide = [];
  const scrolls = one => { for (let up = one.parentElement; up; up = up.parentElement)
    if (up !== root && up !== document.body && getComputedStyle(up).overflowX !== "visible") return true;
    return false; };
  for (const one of document.body.querySelectorAll("*"))
    if (one.getBoundingClientRect().right > width + 1 && !one.closest("svg svg, svg *") && !scrolls(one))
      wide.push(one.tagName + " " + (one.className.baseVal ?? one.className) + " " + one.getBoundingClientRect().right);
  const told = [...errors];
  const checked = typeof axe === "undefined" ? {violations: []} : await axe.run(document);
  parent.postMessage({
    width, overflow: root.scrollWidth - width, wide: wide.slice(0, 5), errors: told,
    violations: checked.violations.map(one => one.id + ": " + one.nodes.slice(0, 3).map(
      node => node.html.slice(0, 120) + " " + (node.any[0]?.message ?? "")).join(" | ")),
    passes: (checked.passes ?? []).map(one => one.id),
  }, "*");
});
</script>"""


def browser() -> str | None:
    """Return the program of a browser, None where there is none."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


def axe() -> str | None:
    """Return the source of axe-core, None where its package is not installed."""
    spec = importlib.util.find_spec("axe_core_python")
    if spec is None or not spec.submodule_search_locations:
        return None
    return (Path(next(iter(spec.submodule_search_locations))) / "axe.min.js").read_text("utf-8")


def scripted(page: str) -> str:
    """Return a page with the scripts that look at it, which its policy is made to allow; all else stays forbidden."""
    policy = "content=\"default-src 'none';"
    assert policy in page, "the page has no policy that forbids scripts and resources"
    allowed = page.replace(policy, f"{policy} script-src 'unsafe-inline'; ")
    before, closing, after = allowed.replace("<head>", f"<head>{_BEFORE}", 1).rpartition("</body>")
    return f"{before}{_AFTER.replace('AXE', axe() or '')}{closing}{after}"


def opened(pages: Sequence[str], folder: Path, scheme: int = LIGHT) -> list[dict[str, Any]]:
    """Return what was found in a frame per page and width, in this order: overflow, errors, violations, rules kept."""
    outer = _OUTER.replace("WIDTHS", json.dumps(WIDTHS))
    outer = outer.replace("PAGES", json.dumps([scripted(page) for page in pages]).replace("<", "\\u003c"))
    (folder / "frames.html").write_text(outer, "utf-8")
    program = browser()
    assert program is not None
    done = subprocess.run(
        [
            program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--window-size=1600,1200",
            f"--blink-settings=preferredColorScheme={scheme}", f"--user-data-dir={folder / 'profile'}",
            "--virtual-time-budget=60000", "--dump-dom", (folder / "frames.html").as_uri(),
        ],
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    printed = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.DOTALL)
    assert printed, done.stderr
    assert printed[1] != "nothing yet", f"the pages were not looked at in time: {done.stderr}"
    return sorted(json.loads(html.unescape(printed[1])), key=lambda one: (one["page"], one["asked"]))
