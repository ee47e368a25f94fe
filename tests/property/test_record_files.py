"""Every format gives back the records that were written to it."""

from __future__ import annotations

import csv
import json
import math
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from distributary.files.records import read_records

pytestmark = pytest.mark.slow

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\r"), min_size=1, max_size=6).map(
    lambda text: f"t{text}"
)
COLUMNS = {
    "integer": st.integers(-(2**63), 2**63 - 1),
    "double": st.floats(allow_nan=False),
    "boolean": st.booleans(),
    "timestamp": st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)),
    "string": TEXTS,
}


@st.composite
def tables(draw: st.DrawFn) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """Columns by name with their types, and one to five records; each column has a value that is not null."""
    kinds = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=4))
    names = [f"c{number}" for number in range(len(kinds))]
    count = draw(st.integers(1, 5))
    columns = []
    for kind in kinds:
        values = draw(st.lists(st.none() | COLUMNS[kind], min_size=count - 1, max_size=count - 1))
        columns.append([draw(COLUMNS[kind]), *values])
    return dict(zip(names, kinds, strict=True)), [
        dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)
    ]


def plain(value: Any) -> Any:
    """The value as Spark, too, writes it."""
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value.isoformat() if isinstance(value, datetime) else value


@given(tables())
def test_csv_gives_back_what_was_written(table: tuple[dict[str, str], list[dict[str, Any]]]) -> None:
    schema, rows = table
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        with path.open("w", newline="", encoding="utf-8") as out:
            writer = csv.DictWriter(out, list(schema))
            writer.writeheader()
            writer.writerows({name: plain(value) for name, value in row.items()} for row in rows)
        file = read_records(str(path))
        assert {name: str(kind) for name, kind in file.schema.items()} == schema
        assert list(file) == rows


@given(tables())
def test_json_lines_and_arrays_give_back_what_was_written(table: tuple[dict[str, str], list[dict[str, Any]]]) -> None:
    schema, rows = table
    texts = [json.dumps(row, default=plain) for row in rows]
    with tempfile.TemporaryDirectory() as folder:
        lines, array = Path(folder) / "a.jsonl", Path(folder) / "a.json"
        lines.write_text("\n".join(texts))
        array.write_text(f"[{','.join(texts)}]")
        for path in (lines, array):
            file = read_records(str(path))
            assert {name: str(kind) for name, kind in file.schema.items()} == schema
            assert list(file) == rows
