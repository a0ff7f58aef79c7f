"""The report: one file, complete and sound whatever was played, its numbers those of cells.parquet."""

import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.figure
import pyarrow as pa
import pytest
from comparing import COMPILED
from matplotlib.collections import FillBetweenPolyCollection
from pages import Page

import vecdecay as vd
from vecdecay.errors import InvalidInputError
from vecdecay.numerals import html_table
from vecdecay.quantities import LEADING_METRICS, metric_named
from vecdecay.report.answer import MOST_ROWS, answer_of
from vecdecay.report.exact_curves import exact_of
from vecdecay.report.page import report_of, write_report
from vecdecay.report.study import mean_of, study_of
from vecdecay.report.svg import svg_of

HOSTILE = """<script>alert("x")</script> & 'ünïcødé' ${price} \\frac{1}{2}"""

HEADLINE = {
    "schema": 1,
    "sweep": {"name": "headline", "seeds": 20},
    "workload": {"kind": "published_sessions"},
    "policy": [{"kind": "ebbinghaus"}, {"kind": "recency_window"}],
}
GRID = {
    **HEADLINE,
    "sweep": {"name": "grid", "title": HOSTILE, "note": HOSTILE, "seeds": 30, "detail": "sessions"},
    "workload": {"kind": "recency_biased"},
    "policy": [{"kind": "ebbinghaus"}, {"kind": "recency_window"}, {"kind": "keep_all"}],
    "axis": [
        {"parameter": "ebbinghaus.eviction_threshold", "values": [0.05, 0.2, 0.6]},
        {"parameter": "ebbinghaus.baseline_stability", "values": [4.0, 8.0]},
    ],
}
NOTHING = {**HEADLINE, "policy": [{"kind": "keep_all"}], "workload": {"kind": "never_recalled"}}
ALIKE = {
    **HEADLINE,
    "policy": [
        {"kind": "recency_window", "label": "one", "window_size": 500},
        {"kind": "recency_window", "label": "two", "window_size": 600},
    ],
}
CACHES = {
    **HEADLINE,
    "policy": [{"kind": "lru", "capacity_items": 9}, {"kind": "fsrs6"}],
    "sweep": {"name": "c", "seeds": 5},
}

MANY = {
    **GRID,
    "sweep": {"name": "many", "seeds": 4},
    "axis": [
        {"parameter": "ebbinghaus.eviction_threshold", "linspace": {"from": 0.05, "to": 0.9, "count": 20}},
        {"parameter": "ebbinghaus.baseline_stability", "values": [float(number) for number in range(2, 22)]},
    ],
}
SETTINGS = {
    **HEADLINE,
    "policy": [{"kind": "ebbinghaus"}, {"kind": "recency_window"}, {"kind": "keep_all"}],
    "workload": {"kind": "mixture", "workloads": ["drift"], "shares": [1.0]},
    "axis": [{"parameter": "workload.workloads", "values": [["drift"], ["periodic"], ["recency_biased"]]}],
}
"""Sessions of unequal numbers of items at the points."""


def cut_off_in(figure: Any, bands: bool) -> list[Any]:
    """Return the texts that leave a figure, and the bands that leave their axes."""
    figure.draw_without_rendering()
    found: list[Any] = []
    for ax in figure.axes:
        for text in (*ax.texts, ax.xaxis.label, ax.yaxis.label):
            box = text.get_window_extent()
            if min(box.x0, box.y0) < -2 or box.x1 > figure.bbox.x1 + 2 or box.y1 > figure.bbox.y1 + 2:
                found.append((text.get_text(), box))
        low, high = ax.get_ylim()
        for band in ax.findobj(FillBetweenPolyCollection) if bands else []:
            heights = band.get_paths()[0].vertices[:, 1]
            found += [(low, high)] if heights.min() < low or heights.max() > high else []
    return found


def page_of(sweep: Any, folder: Path) -> tuple[Page, vd.Run]:
    """Run a sweep, and return its report, read."""
    run = vd.sweep(sweep, output=folder, threads=1)
    return Page(report_of(run, "vecdecay report")), run


@pytest.mark.parametrize(
    "sweep",
    [HEADLINE, GRID, NOTHING, ALIKE, CACHES, SETTINGS, MANY],
    ids=["headline", "grid", "none", "alike", "cache", "settings", "many"],
)
def test_a_page_is_sound_and_says_the_numbers_of_the_cells(
    sweep: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing leads out, everything drawn has a text for it and lies inside, and the table shows the cells' means."""
    cut_off = []

    def looked_at(figure: Any, caption: Any, name: str) -> Any:
        cut_off.extend([(caption.title, one) for one in cut_off_in(figure, bands=name.startswith(("curves", "exact")))])
        return svg_of(figure, caption, name)

    monkeypatch.setattr("vecdecay.report.figures.svg_of", looked_at)
    page, run = page_of(sweep, tmp_path / "run")
    assert cut_off == []
    assert page.wrong() == []
    assert len(page.of("svg")) >= 2
    hits, kept = (run.cells[f"{name}_mean"].to_pylist() for name in LEADING_METRICS)
    means = [mean for mean in hits if mean is not None] or kept  # nothing is recalled, say
    table = " ".join(" ".join(row) for row in page.rows)
    for mean in {max(means), min(means), *means[: len(means) <= MOST_ROWS]}:
        assert f"{mean:.3f}" in table, (mean, page.rows)
    if sweep is GRID:
        assert HOSTILE in page.text
        assert "<script" not in page.html


def test_the_answer_names_the_price(tmp_path: Path) -> None:
    """A policy that keeps more is never praised without what it holds."""
    page, _ = page_of(GRID, tmp_path / "run")
    answer = page.text[page.text.index("Answer") :][:600]
    assert "times as much" in answer or "items held" in answer, answer
    alike, _ = page_of(ALIKE, tmp_path / "alike")
    assert "no difference" in alike.text or "makes no difference" in alike.text or "alike" in alike.text


def test_cells_are_compared_on_the_same_sessions_only(tmp_path: Path) -> None:
    """Where the workload is on an axis: each with the best at its own setting, which the answer counts."""
    run = vd.sweep(SETTINGS, output=tmp_path / "run", threads=1)
    study = study_of(run)
    answer = answer_of(study)
    best = {one.row.cell.point: one.row for one in answer.compared if one.why == "best"}
    assert set(best) == {0, 1, 2}
    rate = metric_named("hit_rate")
    assert len(answer.compared) == len(study.cells) == 9
    for one in answer.compared:
        assert one.reference is best[one.row.cell.point]
        if one.row is not one.reference:
            assert one.difference is not None
            assert math.isclose(one.difference.mean, mean_of(one.row, rate) - mean_of(one.reference, rate))
    assert "depends on the workload; of 3 settings" in answer.sentence
    assert run.plot.survival(ax=matplotlib.figure.Figure().add_subplot()).get_ylabel()
    assert "filled: unbeaten at their setting" in run.plot.pareto(
        ax=matplotlib.figure.Figure().add_subplot()
    ).get_title(loc="left")


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    """In another process too: no date, no random number is in it."""
    run = vd.sweep(HEADLINE, output=tmp_path / "run", threads=1)
    size = write_report(run, tmp_path / "one.html", "x")
    assert size == (tmp_path / "one.html").stat().st_size
    code = (
        "import sys, vecdecay as vd; from vecdecay.report.page import write_report; from pathlib import Path;"
        "write_report(vd.open_run(sys.argv[1]), Path(sys.argv[2]), 'x')"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "run"), str(tmp_path / "two.html")], check=True)
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


def test_a_log_and_a_result_in_memory_have_a_page() -> None:
    """Sessions of unequal length, one without a recall."""
    log = pa.table(
        {"session": ["a"] * 5 + ["b"], "turn": [1, 2, 4, 9, 40, 3], "item": ["x", "y", "x", "x", "x", HOSTILE]}
    )
    result = vd.simulate(vd.Trace.read(log), [vd.Ebbinghaus(), vd.RecencyWindow()])
    page = Page(report_of(result, "vecdecay report log.csv"))
    assert page.wrong() == []
    assert "hit rate" in page.text
    assert page.headings[0] == (1, "Table")
    assert Page(report_of(vd.simulate(vd.Drift(), vd.KeepAll(), seeds=range(2)), "x")).headings[0] == (1, "drift")


@pytest.mark.parametrize(
    "draw",
    [
        lambda result, ax: result.plot.pareto(ax=ax),
        lambda result, ax: result.plot.survival(ax=ax),
        lambda result, ax: result.plot.lives(ax=ax),
        lambda result, ax: result.plan.spec.policies[0].policy.plot(ax=ax),
        lambda _, ax: vd.Fsrs6().plot(ax=ax),
        lambda _, ax: vd.KeepAll().plot(ax=ax),
    ],
)
def test_pictures_are_drawn_into_the_axes_given(draw: Callable[[Any, Any], Any]) -> None:
    """Each has labels with units and something drawn."""
    result = vd.simulate(vd.RecencyBiased(), [vd.Ebbinghaus(), vd.RecencyWindow()], seeds=range(20))
    ax = matplotlib.figure.Figure().add_subplot()
    assert draw(result, ax) is ax
    assert ax.get_xlabel()
    among_others = matplotlib.figure.Figure(figsize=(18, 5), layout="constrained").subplots(1, 3)
    draw(result, among_others[0])
    among_others[0].figure.draw_without_rendering()
    assert among_others[0]._left_title.get_window_extent().x1 <= among_others[1].get_window_extent().x0
    assert ax.lines or ax.collections or ax.patches


def test_pictures_along_axes(tmp_path: Path) -> None:
    """A curve and a heat map of a run, and one line for an axis that is not there."""
    run = vd.sweep(GRID, output=tmp_path / "run", threads=1)
    ax = matplotlib.figure.Figure().add_subplot()
    assert run.plot.curve("ebbinghaus.eviction_threshold", ax=ax) is ax
    ax = matplotlib.figure.Figure().add_subplot()
    run.plot.heatmap("ebbinghaus.eviction_threshold", "ebbinghaus.baseline_stability", ax=ax)
    assert ax.collections or ax.images
    with pytest.raises(InvalidInputError, match="threshold"):
        run.plot.curve("ebbinghaus.threshold")


def test_every_value_of_a_parameter_is_drawn_with_its_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    """At each step rate and interval are those of playing a value of the step; between them the band is as wide."""
    seeds = range(40 if COMPILED else 3)
    result = vd.simulate(vd.PublishedSessions(), [vd.ActR(), vd.RecencyWindow(window_size=7)], seeds=seeds)
    study = study_of(result)
    exact = exact_of(study, study.rows[1])
    assert len(exact.places) == len(exact.rate) > 6
    policies = [vd.RecencyWindow(window_size=value) for value in exact.value.tolist()]
    cells = vd.simulate(vd.PublishedSessions(), policies, seeds=seeds, detail="cells").cells
    for name, drawn in (("mean", exact.rate), ("low", exact.low), ("high", exact.high)):  # as many recalls in each
        assert cells[f"hit_rate_{name}"].to_numpy() == pytest.approx(drawn, abs=1e-12)
    assert all(exact.edges[:-1] <= exact.value)
    assert all(exact.value < exact.edges[1:])
    monkeypatch.setattr("vecdecay.report.exact_curves._MOST_INTERVALS", 5)
    few = exact_of(study, study.rows[1])
    assert few.low[few.places].tolist() == exact.low[few.places].tolist()
    assert len(few.places) == 5
    assert all(few.low <= few.rate)
    assert all(few.rate <= few.high)
    ax = matplotlib.figure.Figure().add_subplot()
    assert result.plot.curve(ax=ax) is ax
    assert "at 5 of" in " ".join(ax.get_title(loc="left").split())
    assert ax.get_xlabel() == "window size (turns)"
    assert ax.findobj(FillBetweenPolyCollection)
    assert result.plot.curve("recency_window.window_size", "hit_rate").get_title(loc="left")
    for wrong, line in (
        (("window_size", "misses"), "an exact curve shows: hit_rate"),
        (("window",), "no axis of these cells"),
        (("act_r.retrieval_threshold",), "the state of an item decides"),
    ):
        with pytest.raises(InvalidInputError, match=line):
            result.plot.curve(*wrong)
    with pytest.raises(InvalidInputError, match="no parameter that one pass answers"):
        vd.simulate(vd.NeverRecalled(), vd.RecencyWindow(), seeds=range(3)).plot.curve()


def test_frames_hold_policy_and_parameters() -> None:
    """A joined table has the rows of the detail, with what each cell was."""
    result = vd.simulate(vd.PublishedSessions(), [vd.Ebbinghaus(), vd.RecencyWindow(window_size=9)], seeds=range(4))
    frame = result.to_pandas()
    assert frame["policy"].tolist() == ["ebbinghaus"] * 4 + ["recency_window"] * 4
    assert frame["window_size"].tolist()[4:] == [9.0] * 4
    assert result.to_polars()["misses"].to_list() == result.sessions["misses"].to_pylist()
    assert not hasattr(result, "items")
    with pytest.raises(InvalidInputError, match="items were not kept"):
        result.items  # noqa: B018


def test_many_policies_print_shortly() -> None:
    """Twenty lines and how many more there are, on paper and in a notebook."""
    windows = [vd.RecencyWindow(window_size=size) for size in range(1, 60)]
    result = vd.simulate(vd.PublishedSessions(), windows, seeds=range(3), detail="cells")
    assert len(repr(result).splitlines()) == 22
    assert "39 more" in repr(result)
    assert result._repr_html_().count("<tr>") == 21
    assert html_table(["a"], [["&"]], "b").endswith("<td>&amp;</td></tr></table>")


@pytest.mark.parametrize("missing", [("matplotlib",), ("jinja2", "markupsafe"), ("matplotlib", "jinja2", "markupsafe")])
def test_without_the_extra_it_is_one_line(missing: tuple[str, ...], tmp_path: Path) -> None:
    """The light install has neither; the command says what to install."""
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({missing!r})); from vecdecay.cli import main;"
        "sys.argv = ['vecdecay', 'report', 'sample', '-o', 'page.html']; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert f"package {missing[0]}" in line
    assert "pip install 'vecdecay[report]'" in line
    assert list(tmp_path.iterdir()) == []
