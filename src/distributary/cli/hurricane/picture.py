"""The demonstration's run as an SVG: the tree with what each link carried, and the costs with and without merging."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

from distributary.cli.hurricane.measures import Link, Stage

__all__ = ["draw_run"]

_WIDTH, _TREE_HEIGHT, _ROW = 960, 330, 26
_STYLE = """
text { font: 13px system-ui, sans-serif; fill: #24313f; }
.title { font-size: 17px; font-weight: 600; } .small { font-size: 11px; fill: #5a6a79; }
.link, .apart { fill: none; stroke-linecap: round; } .link { stroke: #2f7fb5; } .apart { stroke: #d9e3ea; }
.node { fill: #fff; stroke: #1f5f8b; stroke-width: 2; } .merged { fill: #2f7fb5; } .bar { fill: #c9d6df; }
rect.page { fill: #fbfcfd; }
"""


def draw_run(links: Sequence[Link], stages: Sequence[tuple[str, Stage]], caption: str) -> str:
    """Return the picture; `stages` are (stream, stage)."""
    height = _TREE_HEIGHT + 90 + _ROW * len(stages)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img">',
        f"<title>{escape(caption)}</title><style>{_STYLE}</style>",
        f'<rect class="page" width="{_WIDTH}" height="{height}" rx="8"/>',
        f'<text class="title" x="24" y="34">{escape(caption)}</text>',
        '<text class="small" x="24" y="54">Blue: items that each link carried. '
        "Grey: one copy for each subscriber.</text>",
        *_tree(links),
        *_bars(stages, _TREE_HEIGHT + 40),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _tree(links: Sequence[Link]) -> list[str]:
    """Draw the tree from the source at the left, leaves one under the other."""
    children: dict[str, list[str]] = {}
    for link in links:
        children.setdefault(link.parent, []).append(link.node)
    source = next(link.parent for link in links if link.depth == 1)
    places: dict[str, tuple[float, float]] = {}
    leaves = [0]
    count = sum(1 for link in links if link.node not in children)
    deepest = max(link.depth for link in links)

    def place(node: str, depth: int) -> float:
        below = [place(child, depth + 1) for child in children.get(node, [])]
        if not below:
            leaves[0] += 1
            below = [70 + (leaves[0] - 0.5) * (_TREE_HEIGHT - 70) / count]
        places[node] = (90 + depth * (_WIDTH - 290) / deepest, sum(below) / len(below))
        return places[node][1]

    place(source, 0)
    widest = max((link.apart for link in links), default=1) or 1
    # What would have been sent lies under what was, for all links.
    drawn = [_curve("apart", places[link.parent], places[link.node], link.apart / widest) for link in links]
    drawn += [_curve("link", places[link.parent], places[link.node], link.carried / widest) for link in links]
    carried = {link.node: f"  {link.carried:,} of {link.apart:,}" for link in links}
    for node, (x, y) in places.items():
        label = escape(node + carried.get(node, ""))
        drawn.append(f'<circle class="node" cx="{x:.0f}" cy="{y:.0f}" r="7"/>')
        # Beside a leaf there is room; elsewhere only above, over the widest line.
        left, base = (x - 6, y - 20) if node in children else (x + 14, y + 4)
        drawn.append(f'<text class="small" x="{left:.0f}" y="{base:.0f}">{label}</text>')
    return drawn


def _curve(kind: str, start: tuple[float, float], end: tuple[float, float], share: float) -> str:
    (x0, y0), (x1, y1) = start, end
    curve = f"M{x0:.0f} {y0:.0f} C{(x0 + x1) / 2:.0f} {y0:.0f} {(x0 + x1) / 2:.0f} {y1:.0f} {x1:.0f} {y1:.0f}"
    return f'<path class="{kind}" d="{curve}" stroke-width="{max(1.0, 26 * share):.1f}"/>'


def _bars(stages: Sequence[tuple[str, Stage]], top: int) -> list[str]:
    drawn = [f'<text x="24" y="{top}">Cost of each stage in Spark, the first router: merged, and apart</text>']
    longest = max((max(stage.merged, stage.apart) for _, stage in stages), default=1.0) or 1.0
    for row, (stream, stage) in enumerate(stages):
        y = top + 14 + row * _ROW
        drawn.append(f'<text class="small" x="24" y="{y + 14}">{escape(stream)}, {escape(stage.name)}</text>')
        for offset, kind, cost in ((0, "merged", stage.merged), (9, "bar", stage.apart)):
            width = max(1.0, 480 * cost / longest)
            drawn.append(f'<rect class="{kind}" x="290" y="{y + offset}" width="{width:.1f}" height="8"/>')
        drawn.append(f'<text class="small" x="785" y="{y + 14}">{stage.merged:.4g} / {stage.apart:.4g}</text>')
    return drawn
