"""The report in a real browser: no error, no overflow on a phone or a desk, and nothing that axe-core objects to."""

from pathlib import Path
from typing import Any

import browser
import pytest
from test_report_page import ALIKE, CACHES, GRID, HEADLINE, NOTHING, SETTINGS

import vecdecay as vd
from vecdecay.report.page import report_of

pytestmark = [
    pytest.mark.skipif(browser.browser() is None, reason="no Chromium is installed, which shows the pages"),
    pytest.mark.skipif(browser.axe() is None, reason="axe-core-python is not installed (extra test)"),
]

FAULTY = """<!DOCTYPE html><html><head><meta http-equiv="Content-Security-Policy" content="default-src 'none';
style-src 'unsafe-inline'"><title>x</title></head><body><h1 style="width:2000px;color:#eee">wide</h1><img src="https://example.org/a.png">
</body></html>"""
"""Too wide, too pale, without a language, with a picture from elsewhere that has no text."""


def report(sweep: Any, folder: Path) -> str:
    """Return the report of a sweep."""
    return report_of(vd.sweep(sweep, output=folder, threads=1), "vecdecay report")


def faults(found: list[dict[str, Any]]) -> list[Any]:
    """Return what is wrong in some frames."""
    return [
        (one["page"], one["asked"], name, one[name])
        for one in found
        for name in ("overflow", "wide", "errors", "violations")
        if one[name]
    ]


def test_the_report_is_sound_in_a_browser(tmp_path: Path) -> None:
    """At 360, 800 and 1400 pixels; a faulty page beside it is found to be so, so that the browser did look."""
    found = browser.opened([report(HEADLINE, tmp_path / "run"), FAULTY], tmp_path)
    assert [(one["page"], one["asked"]) for one in found] == [
        (page, width) for page in (0, 1) for width in browser.WIDTHS
    ]
    assert faults(found[:3]) == []
    for one in found[:3]:
        assert {"color-contrast", "document-title", "html-has-lang", "svg-img-alt", "heading-order"} <= {*one["passes"]}
    for one in found[3:]:
        assert one["overflow"] > 0
        assert one["wide"]
        assert one["errors"]
        ids = {text.partition(":")[0] for text in one["violations"]}
        assert {"color-contrast", "html-has-lang", "image-alt"} <= ids


@pytest.mark.thorough
@pytest.mark.parametrize("scheme", [browser.LIGHT, browser.DARK], ids=["light", "dark"])
def test_every_kind_of_report_is_sound_in_both_schemes(scheme: int, tmp_path: Path) -> None:
    """One without a difference, one where nothing is evicted, one of caches; a log, and a result in memory."""
    pages = [
        report(sweep, tmp_path / str(place))
        for place, sweep in enumerate((HEADLINE, NOTHING, ALIKE, CACHES, GRID, SETTINGS))
    ]
    pages.append(report_of(vd.simulate(vd.Drift(), [vd.Lru(9), vd.KeepAll()], seeds=range(20)), "vecdecay report"))
    assert faults(browser.opened(pages, tmp_path, scheme)) == []
