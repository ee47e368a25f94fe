"""Draws documents per second over the number of subscriptions, from the results that `bench_xml_matching` has kept.

python -m benchmarks.curve [RESULTS] [PICTURE]
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import msgspec
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from benchmarks.run import ROOT

#: The kinds of results, their labels and marks.
_LINES = (("mixed", "40 % with branches, 35 % with values", "o"), ("linear", "linear paths", "s"))


def kept(folder: Path, kind: str) -> list[dict[str, Any]]:
    """Return the results of a kind, by the number of subscriptions."""
    found = [msgspec.json.decode(path.read_bytes()) for path in folder.glob(f"xml_{kind}_*.json")]
    return sorted(found, key=lambda result: result["configuration"]["subscriptions"])


def draw(folder: Path, picture: Path) -> None:
    """Write the picture; the same results give the same bytes."""
    with mpl.rc_context({"svg.hashsalt": "distributary", "svg.fonttype": "none", "font.size": 9.0}):
        figure = Figure(figsize=(6.0, 4.0), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        for kind, label, mark in _LINES:
            results = kept(folder, kind)
            counts = [result["configuration"]["subscriptions"] for result in results]
            axes.plot(counts, [result["ours_rate"] for result in results], marker=mark, label=label)
            if kind == "mixed":
                parsing = [result["peer_rate"] for result in results]
                axes.plot(counts, parsing, linestyle="--", color="gray", label="pyexpat, parsing only")
        for result in kept(folder, "lxml"):
            count = result["configuration"]["subscriptions"]
            axes.plot([count], [result["peer_rate"]], marker="x", linestyle="", label="lxml, one XPath for each")
        axes.set(xscale="log", yscale="log", xlabel="subscriptions", ylabel="documents per second")
        axes.grid(visible=True, linewidth=0.3)
        axes.legend(fontsize=8)
        figure.savefig(picture, format="svg", metadata={"Date": None, "Creator": None})


if __name__ == "__main__":
    words = [Path(word) for word in sys.argv[1:]]
    draw(*(words + [ROOT / "artifacts" / "benchmarks", ROOT / "docs" / "images" / "xml-matching.svg"][len(words) :]))
