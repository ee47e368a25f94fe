from __future__ import annotations

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

import pytest

from distributary.algebra.box import Box
from distributary.algebra.filter import Filter
from distributary.algebra.predicate_parser import parse_where
from distributary.algebra.statistics import UniformDensity
from distributary.cli.main import main
from distributary.cli.plan_picture import axes_of, check_picture, draw_plan
from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.core.results import Channel, Costs, MergePlan
from distributary.merging import Member, MergeSettings, plan

SVG = "{http://www.w3.org/2000/svg}"


def member(name: str, wanted: Filter) -> Member:
    return Member(name, None, None, wanted)


def boxes(*ranges: tuple[float, float, float, float], columns: tuple[str, str] = ("x", "y")) -> list[Member]:
    first, second = columns
    return [member(f"s{place}", Box.of({first: (a, b), second: (c, d)})) for place, (a, b, c, d) in enumerate(ranges)]


def merged(members: Sequence[Member], costs: Costs, procedure: str = "rectangle") -> MergePlan:
    settings = MergeSettings("pair", procedure, costs)
    return plan(members, UniformDensity(), settings, lambda: 0.0, Generator(0))


def made(*channels: Channel) -> MergePlan:
    return MergePlan("pair", "rectangle", Costs(), 1.5, 2.5, None, False, 0.0, channels)


def rectangles(picture: str, kind: str) -> list[dict[str, str]]:
    found = [each for each in ET.fromstring(picture).iter(f"{SVG}rect") if each.get("class") == kind]
    return [{**each.attrib, "name": each.findtext(f"{SVG}title") or ""} for each in found]


def texts(picture: str) -> list[str]:
    return ["".join(each.itertext()) for each in ET.fromstring(picture).iter(f"{SVG}text")]


def test_regions_are_around_their_members_and_have_their_channels_colour() -> None:
    members = boxes((0, 4, 0, 4), (1, 5, 1, 5), (20, 24, 20, 24))
    picture = draw_plan(merged(members, Costs(10, 1, 0)), members)
    regions = [each for each in rectangles(picture, "merged") if each["name"]]
    drawn = {each["name"]: each for each in rectangles(picture, "member")}
    assert [each["name"] for each in regions] == ["c0", "c1"]
    assert [*drawn] == ["s0", "s1", "s2"]
    assert drawn["s0"]["stroke"] == drawn["s1"]["stroke"] == regions[0]["stroke"] != regions[1]["stroke"]
    for name, region in (("s0", regions[0]), ("s1", regions[0]), ("s2", regions[1])):
        inner, outer = drawn[name], region
        for start, length in (("x", "width"), ("y", "height")):
            assert float(inner[start]) >= float(outer[start])
            ends = [float(each[start]) + float(each[length]) for each in (inner, outer)]
            assert ends[0] <= ends[1] + 0.1
    # Upwards is more.
    assert float(drawn["s2"]["y"]) < float(drawn["s0"]["y"])


def test_caption_axes_and_legend_are_written() -> None:
    members = boxes((0, 100, 0, 0.5), columns=("depth", "mag"))
    found = texts(draw_plan(merged(members, Costs(1, 2, 3)), members))
    assert "cost 101, unmerged 101" in found
    assert {"depth", "mag", "0", "50", "100", "0.2", "c0: s0"} <= {*found}


@pytest.mark.parametrize(
    ("wanted", "axes"),
    [
        (Box.of({"y": (0, 1), "x": (0, 1), "z": (0, 1)}), ("x", "y")),
        (Box.of({"lon": (0, 1), "lat": (0, 1)}), ("lon", "lat")),
        (parse_where("mag > 3 and depth < 5"), ("depth", "mag")),
    ],
)
def test_axes_are_the_first_two_columns_and_latitude_goes_up(wanted: Filter, axes: tuple[str, str]) -> None:
    assert axes_of([member("s", wanted)]) == axes


@pytest.mark.parametrize(
    ("wanted", "complaint"),
    [
        (parse_where("s = 'a'"), "--plot: .* there is none: no subscription is made of numeric ranges"),
        (Box.of({"x": (0, 1)}), "--plot: a picture needs two numeric columns in the subscriptions, and .* only 'x'"),
        (Box.of({"x": (0, 1e301), "y": (0, 1)}), r"x: a picture cannot show numbers as large as 1e\+301"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_the_reason(wanted: Filter, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        draw_plan(made(Channel("c0", ("s",), (), 1.0)), [member("s", wanted)])


def test_open_ends_reach_to_the_frame_and_undrawn_queries_are_counted() -> None:
    members = [member("low", parse_where("x < 3 and y > 1")), member("text", parse_where("s = 'a'"))]
    members.append(member("all", Box.of({"x": (0, 9)})))
    channel = Channel("c0", ("low", "text", "all"), (), 1.0)
    picture = draw_plan(made(channel), members)
    (frame,) = rectangles(picture, "frame")
    low, full = rectangles(picture, "member")
    assert (low["x"], low["y"]) == (f"{float(frame['x']):.1f}", f"{float(frame['y']):.1f}")
    assert full["height"] == f"{float(frame['height']):.1f}"
    assert any(
        text.endswith("; 1 subscriptions without ranges; 1 merged queries without ranges") for text in texts(picture)
    )


@pytest.mark.parametrize(
    "ends", [(1, 1, 2, 2), (0, 0, 0, 0), (-1e300, 1e300, 0, 5e-324), (1517966773840, 1517966773841, 1e16, 1e16 + 2)]
)
def test_points_and_ranges_of_any_size_are_seen(ends: tuple[float, float, float, float]) -> None:
    members = boxes(ends)
    (drawn,) = rectangles(draw_plan(made(Channel("c0", ("s0",), (), 1.0)), members), "member")
    assert float(drawn["width"]) >= 1
    assert float(drawn["height"]) >= 1
    assert not re.search("nan|inf", " ".join(drawn.values()))


def test_names_that_xml_cannot_hold_are_replaced() -> None:
    members = [member("<\x00&\ud800>", Box.of({"x": (0, 1), "<y>": (0, 1)}))]
    picture = draw_plan(made(Channel("c0", ("<\x00&\ud800>",), (), 1.0)), members)
    assert rectangles(picture, "member")[0]["name"] == "<\ufffd&\ufffd>"
    assert "<y>" in texts(picture)


def test_many_channels_have_colours_of_their_own_and_a_legend_that_ends() -> None:
    members = boxes(*((place, place + 0.5, 0, 1) for place in range(60)))
    picture = draw_plan(merged(members, Costs(0, 1, 1)), members)
    assert len({each["stroke"] for each in rectangles(picture, "member")}) == 60
    assert "and 38 more channels" in texts(picture)


def test_paths_that_are_no_svg_files_are_refused(tmp_path: Path) -> None:
    members = boxes((0, 1, 0, 1))
    check_picture(str(tmp_path / "a.SVG"), members)
    (tmp_path / "b.svg").mkdir()
    for name, complaint in (("a.png", "does not end in .svg"), ("b.svg", "is a folder"), ("n/a.svg", "does not exist")):
        with pytest.raises(InputError, match=f"--plot: '.*{name}' .*{complaint}"):
            check_picture(str(tmp_path / name), members)


BOXES = '{"id": "q1", "box": {"x": [0, 2], "y": [0, 1]}}\n{"id": "q2", "box": {"x": [0, 1], "y": [0, 2]}}\n'
PROFILE = {
    "rows": 400,
    "seed": 0,
    "mean_row_bytes": 9.0,
    "columns": [
        {"name": name, "type": "double", "nulls": 0, "not_a_number": 0, "minimum": 0, "maximum": 3, "histogram": []}
        for name in "xy"
    ],
    "sample": {"x": [0.5, 0.5, 1.5, 3], "y": [0.5, 1.5, 0.5, 3]},
    "leaves": {
        "columns": ["x", "y"],
        "rows": [390, 10],
        "minimum": [[0.5, 3], [0.5, 3]],
        "maximum": [[1.5, 3], [1.5, 3]],
        "nulls": [[0, 0], [0, 0]],
        "not_a_number": [[0, 0], [0, 0]],
        "sample": [0, 0, 0, 1],
    },
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.jsonl").write_text(BOXES)
    Path("p.json").write_text(json.dumps(PROFILE))
    Path("line.jsonl").write_text('{"id": "q", "box": {"x": [0, 2]}}\n')
    Path("other.jsonl").write_text('{"id": "q", "box": {"z": [0, 2]}}\n')
    Path("streams.jsonl").write_text('{"id": "q", "stream": "a"}\n{"id": "r", "stream": "b"}\n')
    return tmp_path


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(words)
    assert isinstance(left.value.code, int)
    return left.value.code


def test_merge_with_a_profile_and_a_plot_writes_both(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["merge", "a.jsonl", "--profile", "p.json", "--plot", "a.svg", "--costs", "100,0,0", "--json"]
    assert run(*words) == 0
    printed = capsys.readouterr()
    (channel,) = json.loads(printed.out)["channels"]
    assert channel["size"] == 390.0
    assert printed.err == ""
    assert {each["name"] for each in rectangles(Path("a.svg").read_text(), "member")} == {"q1", "q2"}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["a.jsonl", "--profile", "p.json", "--density", "2"], "--profile: only one of --density and --profile"),
        (["a.jsonl", "--profile", "a.jsonl"], "a.jsonl: is not JSON"),
        (["a.jsonl", "--profile", "none"], "none: does not exist"),
        (["other.jsonl", "--profile", "p.json"], "other.jsonl: line 1: q: box: unknown column 'z'"),
        (["streams.jsonl", "--profile", "p.json"], "--profile: a profile is of one stream"),
        (["a.jsonl", "--plot", "a.png"], "--plot: 'a.png' does not end in .svg"),
        (["line.jsonl", "--plot", "a.svg"], "--plot: a picture needs two numeric columns"),
    ],
)
def test_bad_profiles_and_plots_are_one_line_and_leave_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], complaint: str
) -> None:
    before = sorted(folder.iterdir())
    assert run("merge", *words) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"distributary: {complaint}")
    assert printed.err.count("\n") == 1
    assert sorted(folder.iterdir()) == before


@pytest.mark.slow
def test_merge_with_a_profile_needs_no_spark(folder: Path) -> None:
    code = (
        "import sys; from distributary.cli.main import main\n"
        "try: main(['merge', 'a.jsonl', '--profile', 'p.json', '--json'])\n"
        "except SystemExit as left: assert left.code == 0\n"
        "sys.exit(1 if {'pyspark', 'pyarrow', 'pandas'} & set(sys.modules) else 0)"
    )
    subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
