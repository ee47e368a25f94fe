from __future__ import annotations

from pathlib import Path

import pytest

from distributary.core.documents import Document, UnparsedDocument
from distributary.core.errors import InputError
from distributary.core.values import ColumnType
from distributary.files.items import open_items


def test_a_folder_stands_for_its_xml_files_at_all_depths_by_path(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    for name in ("c.xml", "a.xml", "b/z.XML", "b/notes.txt"):
        (tmp_path / name).write_text("<e/>")
    items = list(open_items([str(tmp_path)]))
    assert [item.name for item in items] == [f"{tmp_path}/{name}" for name in ("a.xml", "b/z.XML", "c.xml")]
    assert all(isinstance(item.content, Document | UnparsedDocument) for item in items)


def test_documents_and_records_come_in_the_order_given_and_share_a_schema(tmp_path: Path) -> None:
    (tmp_path / "feed.rss").write_text("<rss/>")
    (tmp_path / "a.csv").write_text("x\n1\n")
    (tmp_path / "b.csv").write_text("x\n2.5\n")
    opened = open_items([str(tmp_path / name) for name in ("a.csv", "feed.rss", "b.csv")])
    assert opened.schema == {"x": ColumnType.DOUBLE}
    assert [(item.name, Path(item.file).name) for item in opened] == [
        (0, "a.csv"),
        (str(tmp_path / "feed.rss"), "feed.rss"),
        (0, "b.csv"),
    ]


def test_an_item_that_cannot_be_read_does_not_stop_the_others(tmp_path: Path) -> None:
    for name, text in (("1.xml", "<e>"), ("2.xml", ""), ("3.xml", "<e/>")):
        (tmp_path / name).write_text(text)
    contents = [item.content for item in open_items([str(tmp_path)])]
    assert [isinstance(content, InputError) for content in contents] == [True, True, False]


@pytest.mark.parametrize("name", ["none.xml", "none.csv"])
def test_a_path_that_is_not_there_is_refused_before_any_item(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="does not exist"):
        open_items([str(tmp_path / name)])


def test_a_file_without_a_record_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("\n")
    with pytest.raises(InputError, match=r"a\.jsonl: is empty: it holds no record"):
        open_items([str(tmp_path / "a.jsonl")])


def test_a_file_whose_records_cannot_be_read_has_no_columns_to_compare_with(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"x": \n')
    opened = open_items([str(tmp_path / "a.jsonl")])
    assert opened.schema is None
    assert [str(item.content).partition("a.jsonl: ")[2][:18] for item in opened] == ["line 1: is not JSO"]


def test_a_folder_without_documents_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no \.xml file"):
        open_items([str(tmp_path)])


def test_standard_input_twice_is_refused() -> None:
    with pytest.raises(InputError, match="standard input: can be read only once"):
        open_items(["-", "-"])
