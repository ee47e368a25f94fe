"""A merge plan as an SVG: the members' boxes, and around them the regions of the merged queries, coloured by channel.

It draws two numeric columns. A box that leaves one of them open reaches to the picture's edge; queries that are not
made of numeric ranges are not drawn, and the picture says how many they are.
"""

from __future__ import annotations

import colorsys
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias
from xml.sax.saxutils import escape

from distributary.algebra.regions import regions_of
from distributary.core.errors import InputError
from distributary.core.results import Channel, MergePlan
from distributary.merging.problem import Member

__all__ = ["axes_of", "check_picture", "draw_plan"]

#: Ranges by column; `None` is an open end.
Region: TypeAlias = Mapping[str, tuple[float | None, float | None]]

_WIDTH, _HEIGHT = 960, 680
_LEFT, _TOP, _RIGHT, _BOTTOM = 112, 76, 700, 610
_LISTED_MAX = 22
# XML 1.0 cannot hold these, not even escaped.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_STYLE = """
text { font: 13px system-ui, sans-serif; fill: #24313f; }
.title { font-size: 17px; font-weight: 600; } .small { font-size: 11px; fill: #5a6a79; } .axis { font-weight: 600; }
.frame { fill: #fff; stroke: #9fb0bf; } .tick { stroke: #e3eaf0; } .page { fill: #fbfcfd; }
.merged { fill-opacity: 0.16; stroke-width: 2.5; } .member { fill: none; stroke-width: 1; stroke-opacity: 0.85; }
"""


@dataclass(frozen=True, slots=True)
class _Scale:
    """Where the values of a column lie in the picture."""

    low: float
    high: float
    start: float
    stop: float

    def at(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.stop - self.start)

    def span(self, ends: tuple[float | None, float | None]) -> tuple[float, float]:
        """Return the place of a range, ascending, and its length."""
        first, last = (self.at(edge if end is None else end) for end, edge in zip(ends, self.ends(), strict=True))
        return min(first, last), abs(last - first)

    def ends(self) -> tuple[float, float]:
        return self.low, self.high

    def ticks(self) -> Iterator[tuple[float, str]]:
        """Yield four to ten round numbers in the range, as places and as texts."""
        rough = (self.high - self.low) / 5
        unit = 10.0 ** math.floor(math.log10(rough))
        step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
        decimals = max(0, -math.floor(math.log10(step)))
        first = math.ceil(self.low / step)
        for number in range(first, math.floor(self.high / step) + 1):
            value = number * step
            short = decimals <= 6 and abs(value) < 1e13
            yield self.at(value), f"{value:.{decimals}f}" if short else f"{value:.6g}"


def check_picture(path: str, members: Sequence[Member]) -> None:
    """Raise `InputError` unless a plan of these members can be drawn, and written there as an .svg file."""
    place = Path(path)
    if place.suffix.lower() != ".svg":
        raise InputError(f"{path!r} does not end in .svg, and nothing else is drawn", field="--plot")
    if place.is_dir() or not place.absolute().parent.is_dir():
        wrong = "is a folder" if place.is_dir() else "is in a folder that does not exist"
        raise InputError(f"{path!r} {wrong}", field="--plot")
    axes_of(members)


def axes_of(members: Sequence[Member]) -> tuple[str, str]:
    """Return the columns to draw, across and upwards: the first two that the members' boxes have, by name.

    Of latitude and longitude the latitude goes upwards. Raises `InputError` where there are not two.
    """
    columns = sorted({name for member in members for region in _regions(member) for name in region})
    if len(columns) < 2:
        found = f"only {columns[0]!r}" if columns else "none: no subscription is made of numeric ranges"
        raise InputError(
            f"a picture needs two numeric columns in the subscriptions, and there is {found}", field="--plot"
        )
    first, second = columns[:2]
    return (second, first) if first.lower().startswith("lat") else (first, second)


def draw_plan(plan: MergePlan, members: Sequence[Member]) -> str:
    """Return the picture of a plan of these members; `InputError` as `axes_of`."""
    axes = axes_of(members)
    drawn = {member.id: _regions(member) for member in members}
    shown = [region for regions in drawn.values() for region in regions]
    shown += [region for channel in plan.channels for region in channel.regions]
    across = _scale(shown, axes[0], _LEFT, _RIGHT)
    upwards = _scale(shown, axes[1], _BOTTOM, _TOP)
    colours = {channel.id: _colour(number) for number, channel in enumerate(plan.channels)}
    caption = f"cost {plan.cost:.6g}, unmerged {plan.unmerged_cost:.6g}"
    places = f"{len(members)} subscriptions in {len(plan.channels)} channels ({plan.algorithm}, {plan.procedure})"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">',
        f"<title>{_text(f'{places}: {caption}')}</title><style>{_STYLE}</style>",
        f'<rect class="page" width="{_WIDTH}" height="{_HEIGHT}" rx="8"/>',
        f'<text class="title" x="24" y="34">{_text(caption)}</text>',
        f'<text class="small" x="24" y="54">{_text(places + _undrawn(plan, drawn))}</text>',
        *_axes(axes, across, upwards),
        # First all regions, then all members: no member is hidden.
        *(
            _box("merged", region, axes, (across, upwards), colours[channel.id], channel.id)
            for channel in plan.channels
            for region in channel.regions
        ),
        *(
            _box("member", region, axes, (across, upwards), colours[channel.id], name)
            for channel in plan.channels
            for name in channel.members
            for region in drawn[name]
        ),
        *_legend(plan.channels, colours),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _undrawn(plan: MergePlan, drawn: Mapping[str, Sequence[Region]]) -> str:
    counts = (
        (sum(not regions for regions in drawn.values()), "subscriptions"),
        (sum(not channel.regions for channel in plan.channels), "merged queries"),
    )
    return "".join(f"; {count} {what} without ranges" for count, what in counts if count)


def _regions(member: Member) -> list[Region]:
    return [box.region() for box in regions_of(member.filter) or ()]


def _scale(regions: Sequence[Region], column: str, start: float, stop: float) -> _Scale:
    """Return the scale on which all finite ends of a column are, with a margin."""
    ends = [end for region in regions for end in region.get(column, ()) if end is not None] or [0.0]
    low, high = min(ends), max(ends)
    largest = max(abs(low), abs(high))
    if largest > 1e300:
        raise InputError(f"a picture cannot show numbers as large as {largest:g}", field=column)
    # Doubles cannot tell the ticks of a narrower range apart.
    wide = high - low > max(1e-12 * largest, 1e-290)
    margin = 0.04 * (high - low) if wide else max(1.0, 0.04 * largest)
    return _Scale(low - margin, high + margin, start, stop)


def _axes(names: tuple[str, str], across: _Scale, upwards: _Scale) -> Iterator[str]:
    yield (f'<rect class="frame" x="{_LEFT}" y="{_TOP}" width="{_RIGHT - _LEFT}" height="{_BOTTOM - _TOP}"/>')
    for x, text in across.ticks():
        yield f'<line class="tick" x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{_BOTTOM}"/>'
        yield f'<text class="small" x="{x:.1f}" y="{_BOTTOM + 18}" text-anchor="middle">{text}</text>'
    for y, text in upwards.ticks():
        yield f'<line class="tick" x1="{_LEFT}" y1="{y:.1f}" x2="{_RIGHT}" y2="{y:.1f}"/>'
        yield f'<text class="small" x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{text}</text>'
    middle_x, middle_y = (_LEFT + _RIGHT) // 2, (_TOP + _BOTTOM) // 2
    yield f'<text class="axis" x="{middle_x}" y="{_BOTTOM + 44}" text-anchor="middle">{_text(names[0])}</text>'
    turned = f'x="26" y="{middle_y}" text-anchor="middle" transform="rotate(-90 26 {middle_y})"'
    yield f'<text class="axis" {turned}>{_text(names[1])}</text>'


def _box(
    kind: str, region: Region, axes: tuple[str, str], scales: tuple[_Scale, _Scale], colour: str, name: str
) -> str:
    (x, width), (y, height) = (
        scale.span(region.get(axis, (None, None))) for axis, scale in zip(axes, scales, strict=True)
    )
    # A range of one value is a line, and a box of two such a point; both are to be seen.
    size = f'x="{x:.1f}" y="{y:.1f}" width="{max(width, 1):.1f}" height="{max(height, 1):.1f}"'
    fill = f' fill="{colour}"' if kind == "merged" else ""
    return f'<rect class="{kind}" {size}{fill} stroke="{colour}"><title>{_text(name)}</title></rect>'


def _legend(channels: Sequence[Channel], colours: Mapping[str, str]) -> Iterator[str]:
    x, listed = _RIGHT + 24, channels[:_LISTED_MAX]
    for row, channel in enumerate(listed):
        y = _TOP + row * 23
        names = " ".join(channel.members)
        short = names if len(names) <= 28 else f"{names[:27]}…"
        colour = colours[channel.id]
        yield f'<rect class="merged" x="{x}" y="{y}" width="14" height="14" fill="{colour}" stroke="{colour}"/>'
        yield f'<text class="small" x="{x + 22}" y="{y + 11}">{_text(f"{channel.id}: {short}")}</text>'
    if len(channels) > len(listed):
        left = len(channels) - len(listed)
        yield f'<text class="small" x="{x}" y="{_TOP + len(listed) * 23 + 11}">and {left} more channels</text>'


def _colour(number: int) -> str:
    """Return the colour of a channel: hues a golden section apart differ most from those before them."""
    hue = (0.58 + number * 0.618034) % 1.0
    lightness = (0.42, 0.32, 0.52)[number // 8 % 3]
    red, green, blue = colorsys.hls_to_rgb(hue, lightness, 0.7)
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"


def _text(text: str) -> str:
    return escape(_NO_XML.sub("\ufffd", text))
