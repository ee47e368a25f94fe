from __future__ import annotations

import io
import math
from datetime import UTC, datetime
from pathlib import Path

import pytest

from distributary.core.errors import InputError
from distributary.core.values import ColumnType
from distributary.files.records import infer_schema, is_record_file, read_records


def written(folder: Path, name: str, content: str | bytes) -> str:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def test_csv_becomes_typed_records_in_the_order_of_the_header(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "a.csv",
        "id,mag,zip,at,felt,Mag\r\n1,2,007,2026-01-31T08:00:00Z,true,\r\n2,2.5,10115,2026-02-01,false,x\r\n",
    )
    file = read_records(path)
    assert list(file.schema.items()) == [
        ("id", ColumnType.INTEGER),
        ("mag", ColumnType.DOUBLE),
        ("zip", ColumnType.STRING),
        ("at", ColumnType.TIMESTAMP),
        ("felt", ColumnType.BOOLEAN),
        ("Mag", ColumnType.STRING),
    ]
    moment = datetime(2026, 1, 31, 8, tzinfo=UTC)
    first = {"id": 1, "mag": 2.0, "zip": "007", "at": moment, "felt": True, "Mag": None}
    assert next(iter(file)) == first
    assert [type(record["mag"]) for record in file] == [float, float]


def test_csv_with_byte_order_mark_and_quoted_line_breaks_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", '\ufeffa,b\n"one\ntwo",1\n\nthree,2\n')
    assert list(read_records(path)) == [{"a": "one\ntwo", "b": 1}, {"a": "three", "b": 2}]


def test_csv_cell_beyond_the_standard_limit_is_read(tmp_path: Path) -> None:
    polygon = "1 2," * 40_000
    path = written(tmp_path, "a.csv", f'a\n"{polygon}"\n')
    assert next(iter(read_records(path))) == {"a": polygon}


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("a.csv", "", "a.csv: is empty"),
        ("a.csv", "a,b,a\n", "a.csv: line 1: a: is the name of two columns"),
        ("a.csv", "a,,b\n", "a.csv: line 1: column 2 has no name"),
        ("a.csv", 'a,b\n"x\ny",2\n3\n', "a.csv: line 4: has 1 cells, but the header has 2"),
        ("a.csv", 'a\nb\n"c"d\n', "a.csv: line 3: is not CSV"),
        ("a.csv", b"a\nb\n\xe9\n", "a.csv: line 3: is not UTF-8 (byte 0xe9)"),
        ("a.jsonl", '{"a": 1}\n\n{"a": \n', "a.jsonl: line 3: is not JSON"),
        ("a.jsonl", '{"a": 1}\n[1]\n', "a.jsonl: line 2: is not a JSON object"),
        ("a.jsonl", '{"a": 1, "a": 2}\n', "a.jsonl: line 1: a: stands twice in one object"),
        ("a.jsonl", b'{"a": 1}\n{"a": "\xff"}\n', "a.jsonl: line 2: is not UTF-8"),
        ("a.jsonl", '{"a": ' + "[" * 100_000, "a.jsonl: line 1: is not JSON"),
        ("a.jsonl", '{"a": ' + "9" * 5_000 + "}", "a.jsonl: line 1: is not JSON"),
        ("a.json", '{"a": 1}', "a.json: is not a JSON array of objects"),
        ("a.json", '[{"a": 1}, 2]', "a.json: object 2: is not a JSON object"),
        ("a.parquet", "PAR1", "a.parquet: is not a Parquet file"),
        ("a.txt", "a", "a.txt: its name must end in one of .json, .jsonl, .csv, .parquet"),
    ],
)
def test_mistakes_are_refused_with_their_place(tmp_path: Path, name: str, content: str | bytes, complaint: str) -> None:
    path = written(tmp_path, name, content)
    with pytest.raises(InputError) as caught:
        read_records(path)
    assert f"{tmp_path}/{complaint}" in str(caught.value)


@pytest.mark.parametrize("name", ["none.csv", "none.jsonl", "none.json", "none.parquet", "none"])
def test_a_file_that_is_not_there_is_refused_by_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=rf"{name}: does not exist"):
        read_records(str(tmp_path / name))


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.json", "a.parquet"])
def test_a_folder_in_a_files_place_is_refused_by_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(InputError, match=rf"{name}: is a folder"):
        read_records(str(tmp_path / name))


def test_json_lines_keep_nulls_nested_values_and_missing_fields(tmp_path: Path) -> None:
    path = written(tmp_path, "a.jsonl", '{"a": null, "b": {"c": [1]}}\n{"d": NaN}\n{"a": 3}\n')
    file = read_records(path)
    assert file.schema == {"a": ColumnType.INTEGER, "b": ColumnType.STRING, "d": ColumnType.DOUBLE}
    first, second, third = file
    assert first == {"a": None, "b": '{"c":[1]}'}
    assert isinstance(second["d"], float)
    assert math.isnan(second["d"])
    assert third == {"a": 3}


def test_a_tolerant_reader_gives_errors_in_the_place_of_bad_rows(tmp_path: Path) -> None:
    path = written(tmp_path, "a.jsonl", '{"a": 1}\nnope\n{"a": 3}\n')
    good, bad, after = read_records(path, strict=False).attempts()
    assert (good, after) == ({"a": 1}, {"a": 3})
    assert isinstance(bad, InputError)
    assert (bad.file, bad.record) == (path, 2)


def test_a_value_that_a_given_schema_cannot_hold_is_refused_with_its_field(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", "a,b\n1,2\nred,3\n")
    file = read_records(path, schema={"a": ColumnType.INTEGER}, strict=False)
    with pytest.raises(InputError) as caught:
        list(file)
    assert str(caught.value) == f"{path}: line 3: a: is not of the column's type, integer: 'red'"


def test_infer_schema_joins_the_columns_of_all_files(tmp_path: Path) -> None:
    first = written(tmp_path, "a.csv", "a,b,c\n1,2,\n")
    second = written(tmp_path, "b.jsonl", '{"b": 2.5, "c": true, "d": "x"}\n')
    assert list(infer_schema([first, second]).items()) == [
        ("a", ColumnType.INTEGER),
        ("b", ColumnType.DOUBLE),
        ("c", ColumnType.BOOLEAN),
        ("d", ColumnType.STRING),
    ]


def test_standard_input_is_json_lines_and_can_be_iterated_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"a": 1}\n{"a": 2.5}\n')))
    file = read_records("-")
    assert file.schema == {"a": ColumnType.DOUBLE}
    assert list(file) == list(file) == [{"a": 1.0}, {"a": 2.5}]


def test_an_error_on_standard_input_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"nope")))
    with pytest.raises(InputError, match="standard input: line 1: is not JSON"):
        read_records("-")


def test_is_record_file_goes_by_the_ending() -> None:
    assert [is_record_file(path) for path in ("-", "a.CSV", "a.b.jsonl", "a.xml", "csv")] == [
        True,
        True,
        True,
        False,
        False,
    ]
