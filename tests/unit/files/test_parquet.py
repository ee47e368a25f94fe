from __future__ import annotations

import sys
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from distributary.core.errors import InputError, MissingExtra
from distributary.core.values import ColumnType
from distributary.files.records import read_records


@pytest.mark.slow
def test_parquet_columns_have_the_files_own_types(tmp_path: Path) -> None:
    table = pa.table(
        {
            "i": pa.array([1, None], pa.int16()),
            "u": pa.array([2**63, 1], pa.uint64()),
            "f": pa.array([1.5, float("inf")], pa.float32()),
            "d": pa.array([Decimal("1.25"), None], pa.decimal128(5, 2)),
            "b": pa.array([True, False]),
            "t": pa.array([datetime(2026, 1, 31, 8), None], pa.timestamp("us")),
            "day": pa.array([date(2026, 1, 31), None]),
            "s": pa.array(["2026-01-31", "x"]).dictionary_encode(),
            "n": pa.array([None, None], pa.null()),
            "l": pa.array([[1, 2], None]),
            "raw": pa.array([b"\x00\xff", None]),
        }
    )
    pq.write_table(table, tmp_path / "a.parquet")
    file = read_records(str(tmp_path / "a.parquet"))
    assert {name: str(column) for name, column in file.schema.items()} == {
        "i": "integer",
        "u": "double",
        "f": "double",
        "d": "double",
        "b": "boolean",
        "t": "timestamp",
        "day": "timestamp",
        "s": "string",
        "n": "string",
        "l": "string",
        "raw": "string",
    }
    assert next(iter(file)) == {
        "i": 1,
        "u": 2.0**63,
        "f": 1.5,
        "d": 1.25,
        "b": True,
        "t": datetime(2026, 1, 31, 8, tzinfo=UTC),
        "day": datetime(2026, 1, 31, tzinfo=UTC),
        "s": "2026-01-31",
        "n": None,
        "l": "[1,2]",
        "raw": "AP8=",
    }


def test_parquet_with_two_columns_of_one_name_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]), tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"a\.parquet: a: is the name of two columns"):
        read_records(str(tmp_path / "a.parquet"))


def test_parquet_that_is_damaged_inside_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": ["x", "y"]}), tmp_path / "a.parquet")
    content = bytearray((tmp_path / "a.parquet").read_bytes())
    content[4:40] = bytes(36)
    (tmp_path / "a.parquet").write_bytes(content)
    with pytest.raises(InputError, match=r"a\.parquet: is damaged: "):
        list(read_records(str(tmp_path / "a.parquet")))


def test_parquet_column_of_nulls_takes_the_type_of_another_file(tmp_path: Path) -> None:
    from distributary.files.records import infer_schema

    pq.write_table(pa.table({"a": pa.array([None], pa.null())}), tmp_path / "a.parquet")
    (tmp_path / "b.csv").write_text("a\n5\n")
    assert infer_schema([str(tmp_path / "a.parquet"), str(tmp_path / "b.csv")]) == {"a": ColumnType.INTEGER}


def test_parquet_without_pyarrow_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"pyarrow: is not installed; run: pip install 'distributary\[spark\]'"):
        read_records(str(tmp_path / "a.parquet"))
