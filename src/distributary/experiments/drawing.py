"""Drawing charts with matplotlib: the same charts give the same bytes, and no window or global state is used."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence

from distributary.experiments.study import Chart

__all__ = ["draw"]

_WIDTH, _HEIGHT = 4.2, 3.4
_COLUMNS_MAX = 3
_MARKERS = "osv^Dx"
#: What would differ between runs: ids drawn at random, and the date.
_METADATA = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}


def draw(title: str, charts: Sequence[Chart], kind: str) -> bytes:
    """Return the charts side by side as a picture of `kind`: svg or png."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = min(len(charts), _COLUMNS_MAX)
    rows = math.ceil(len(charts) / columns)
    with mpl.rc_context({"svg.hashsalt": "distributary", "svg.fonttype": "none", "font.size": 9.0}):
        figure = Figure(figsize=(max(5.5, _WIDTH * columns), 0.4 + _HEIGHT * rows), layout="constrained")
        FigureCanvasAgg(figure)
        figure.suptitle(title)
        for number, chart in enumerate(charts):
            axes = figure.add_subplot(rows, columns, number + 1)
            for line, marker in zip(chart.lines, _MARKERS * 2, strict=False):
                axes.plot(line.xs, line.ys, marker=marker, markersize=3.5, linewidth=1.2, label=line.name)
            axes.set(title=chart.title, xlabel=chart.x, ylabel=chart.y)
            axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
            axes.grid(visible=True, linewidth=0.3)
            if len(chart.lines) > 1:
                axes.legend(fontsize=8)
        picture = io.BytesIO()
        figure.savefig(picture, format=kind, dpi=100, metadata=_METADATA[kind])
    return picture.getvalue()
