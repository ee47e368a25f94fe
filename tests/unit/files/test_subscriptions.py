from __future__ import annotations

import json
from pathlib import Path

import pytest

from distributary.algebra.box import Box
from distributary.core.errors import InputError
from distributary.core.subscriptions import Quality
from distributary.core.values import ColumnType
from distributary.files.subscriptions import read_subscriptions

ROWS = [
    {"id": "a", "client": "c", "stream": "s", "box": {"x": [0, 1.5]}, "fields": ["x"], "quality": {"drop": 0.1}},
    {"id": "b", "where": "x > 3", "every": 60},
    {"id": "c"},
]


def test_json_lines_and_arrays_give_the_same_subscriptions_in_order(tmp_path: Path) -> None:
    lines, array = tmp_path / "s.jsonl", tmp_path / "s.json"
    lines.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    array.write_text(json.dumps(ROWS, indent=2))
    found = read_subscriptions(str(lines))
    assert found == read_subscriptions(str(array))
    assert [subscription.id for subscription, _ in found] == ["a", "b", "c"]
    assert found[0][1] == Box.from_ranges({"x": (0, 1.5)})
    assert found[2][1].matches({"anything": None})


def test_csv_cells_of_nested_fields_hold_json(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text(
        "id,client,where,box,fields,quality,every\n"
        'a,c,,"{""x"": [0, 1.5]}","[""x""]","{""drop"": 0.1, ""delay"": 2}",\n'
        "7,,x > 3,,,,60\n"
    )
    (first, box), (second, _) = read_subscriptions(str(path))
    assert (first.id, first.fields, first.quality) == ("a", ("x",), Quality(0.1, 2.0))
    assert box == Box.from_ranges({"x": (0, 1.5)})
    assert (second.id, second.client, second.where, second.every) == ("7", None, "x > 3", 60.0)


def test_parquet_structs_are_boxes(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    rows = [{"id": "a", "box": {"x": [0.0, 1.0], "y": None}}, {"id": "b", "box": {"x": None, "y": [2.0, 3.0]}}]
    pytest.importorskip("pyarrow.parquet").write_table(pa.Table.from_pylist(rows), tmp_path / "s.parquet")
    found = read_subscriptions(str(tmp_path / "s.parquet"))
    assert [wanted for _, wanted in found] == [Box.from_ranges({"x": (0, 1)}), Box.from_ranges({"y": (2, 3)})]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ('{"id": "a", "box": {"x": [0, 1]}}\n{"id": "b", "box"', "line 2: is not JSON"),
        ('{"id": "a", "box": {"x": [5, 1]}}', "line 1: a: x: is inverted: 5 > 1"),
        ('{"id": "a"}\n\n{"id": "a"}', "line 3: id: 'a' is given twice, first at line 1"),
        ('{"id": "a", "box": {"x": [0, NaN]}}', "line 1: box.x: is not a finite number: nan"),
        ('{"id": "a", "box": {"x": [0, 1e999]}}', "line 1: box.x: is not a finite number: inf"),
        ('{"id": "a", "box": {}}', "line 1: a: box: names no column"),
        ('{"id": "a", "wehre": "x > 1"}', "line 1: Object contains unknown field `wehre`"),
        ('{"id": 7}', "line 1: id: Expected `str`, got `int`"),
        ('{"client": "c"}', "line 1: Object missing required field `id`"),
        ('{"id": "a", "where": "y > 1"}', "line 1: a: where: unknown column 'y'"),
        ('{"id": "a", "box": {"y": [0, 1]}}', "line 1: a: box: unknown column 'y'"),
        ('{"id": "a", "fields": ["x", "y"]}', "line 1: fields: there is no column 'y'; there are x"),
        ('{"id": "a", "where": "x >"}', "line 1: a: where: "),
        ('{"id": "a", "stream": "no spaces"}', "line 1: stream: "),
    ],
)
def test_mistakes_are_refused_with_their_place(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_subscriptions(str(path), {"x": ColumnType.DOUBLE})
    assert str(caught.value).startswith(f"{path}: {complaint}")


def test_csv_cell_that_is_not_json_is_refused_with_its_field(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("id,box\na,{x\n")
    with pytest.raises(InputError, match=r"s\.csv: line 2: box: is not JSON"):
        read_subscriptions(str(tmp_path / "s.csv"))
