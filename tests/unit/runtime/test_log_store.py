"""The log's file: what comes back after a close, a crash and damage."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

import pytest

from distributary.core.effects import AppendLog, KeyRecord, ReadLog, TrimLog
from distributary.core.errors import InputError, NoSpace, Unavailable
from distributary.core.headers import Header
from distributary.core.inputs import LogRead, RecoveredKey, RecoveredStream
from distributary.core.items import Item
from distributary.runtime.log_store import FILE_NAME, LogStore

ALL = 1 << 40


def append(first: int, last: int, size: int = 3, stream: str = "news", key: str | None = None) -> AppendLog:
    items = tuple(Item(stream, seq, "text/plain", b"x" * size) for seq in range(first, last + 1))
    return AppendLog(first, "tree", stream, items, durable=True, key=None if key is None else KeyRecord(key, "digest"))


def write(store: LogStore, *effects: AppendLog | TrimLog, at: float = 5.0) -> None:
    with store.transaction(durable=True):
        for effect in effects:
            if isinstance(effect, AppendLog):
                store.append(effect, at)
            else:
                store.trim(effect)


def read(store: LogStore, after: int = 0, upto: int = ALL, bytes_max: int = ALL, stream: str = "news") -> LogRead:
    return store.read(ReadLog(1, "tree", stream, after, upto, bytes_max))


def test_store_reopened_has_everything(tmp_path: Path) -> None:
    store = LogStore(tmp_path, "me")
    header = Header("v1", (1, 2))
    write(store, append(1, 2, key="k"))
    write(store, AppendLog(3, "tree", "news", (Item("news", 7, "a/b", b"\0\xff", header),), durable=True))
    write(store, append(1, 1, stream="other"), at=9.0)
    store.close()
    again = LogStore(tmp_path, "somebody else")
    assert again.node == "me"
    first, second = again.recover()
    assert (first.stream, first.trimmed, first.head) == ("news", 0, 7)
    assert first.keys == (RecoveredKey("k", "digest", 1, 2),)
    assert [(segment.last, segment.bytes, segment.at) for segment in first.segments] == [(7, 8, 5.0)]
    assert (second.stream, second.segments[0].at) == ("other", 9.0)
    assert read(again, after=2).items == (Item("news", 7, "a/b", b"\0\xff", header),)
    again.close()


def test_segments_are_runs_of_at_most_64_kib(tmp_path: Path) -> None:
    store = LogStore(tmp_path, "me")
    for first in range(1, 101, 10):
        write(store, append(first, first + 9, size=10_000), at=float(first))
    write(store, append(101, 101, size=200_000), append(102, 102, size=1))
    segments = store.recover()[0].segments
    assert sum(segment.bytes for segment in segments) == 100 * 10_000 + 200_000 + 1
    assert all(segment.bytes <= 64 << 10 for segment in segments if segment.last != 101)
    assert [segment.last for segment in segments] == [*range(6, 97, 6), 100, 101, 102]
    assert [segment.at for segment in segments[:3]] == [1.0, 11.0, 11.0]
    store.close()


def test_read_stops_at_its_bytes_but_gives_one_item(tmp_path: Path) -> None:
    store = LogStore(tmp_path, "me")
    write(store, append(1, 10, size=100))
    assert [item.seq for item in read(store, after=2, upto=9, bytes_max=250).items] == [3, 4]
    assert read(store, after=2, upto=9, bytes_max=250).upto == 4
    assert [item.seq for item in read(store, bytes_max=1).items] == [1]
    assert read(store, after=2, upto=9).upto == 9
    assert len(read(store, after=2, upto=9).items) == 7
    assert read(store, after=10) == LogRead(1, (), ALL)
    assert read(store, stream="unknown") == LogRead(1, (), ALL)
    store.close()


def test_trim_removes_items_and_keys_and_keeps_the_head(tmp_path: Path) -> None:
    store = LogStore(tmp_path, "me")
    write(store, append(1, 4, key="old"), append(5, 6, key="new"))
    write(store, TrimLog("tree", "news", 5))
    assert store.recover() == (
        RecoveredStream("tree", "news", 5, 6, store.recover()[0].segments, (RecoveredKey("new", "digest", 5, 6),)),
    )
    assert [item.seq for item in read(store).items] == [6]
    write(store, TrimLog("tree", "news", 6))
    store.close()
    again = LogStore(tmp_path, "me")
    assert (again.recover()[0].trimmed, again.recover()[0].head, again.recover()[0].segments) == (6, 6, ())
    again.close()


def test_trimmed_space_is_used_again(tmp_path: Path) -> None:
    store = LogStore(tmp_path, "me")
    sizes = []
    for turn in range(8):
        write(store, append(turn * 100 + 1, turn * 100 + 100, size=20_000))
        write(store, TrimLog("tree", "news", turn * 100 + 100))
        for _ in range(3):
            store.give_back()
        sizes.append(os.path.getsize(tmp_path / FILE_NAME))
    assert max(sizes) < 2 * 100 * 20_000 * 1.2
    store.close()


def test_failed_transaction_leaves_nothing(tmp_path: Path) -> None:
    store = LogStore(tmp_path, "me")
    with pytest.raises(sqlite3.IntegrityError):
        write(store, append(1, 3), append(3, 3))
    assert store.recover() == ()
    assert read(store).items == ()
    write(store, append(1, 3))
    assert len(read(store).items) == 3
    store.close()


def test_full_file_refuses_and_takes_again_after_trim(tmp_path: Path) -> None:
    store = LogStore(tmp_path, "me", pages_max=100)
    write(store, append(1, 5, size=50_000))
    with pytest.raises(sqlite3.OperationalError, match="full"):
        write(store, append(6, 10, size=50_000))
    assert len(read(store).items) == 5
    write(store, TrimLog("tree", "news", 5))
    write(store, append(6, 10, size=50_000))
    assert len(read(store).items) == 5
    store.close()


def test_second_process_on_the_folder_is_refused(tmp_path: Path) -> None:
    store = LogStore(tmp_path, "me")
    with pytest.raises(Unavailable, match=f"is in use by another node \\(process {os.getpid()}\\)"):
        LogStore(tmp_path, "other")
    store.close()
    LogStore(tmp_path, "other").close()


@pytest.mark.parametrize("content", [b"this is no database at all, but it is long enough to be read as one" * 100])
def test_damaged_file_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    with pytest.raises(InputError, match=r"log\.sqlite: is damaged, or no log of a node"):
        LogStore(tmp_path, "me")
    assert (tmp_path / FILE_NAME).read_bytes() == content


def test_foreign_database_is_refused_and_not_changed(tmp_path: Path) -> None:
    foreign = sqlite3.connect(tmp_path / FILE_NAME)
    foreign.execute("CREATE TABLE theirs (x)")
    foreign.close()
    before = (tmp_path / FILE_NAME).read_bytes()
    with pytest.raises(InputError, match=r"log\.sqlite: is no log of a node"):
        LogStore(tmp_path, "me")
    assert (tmp_path / FILE_NAME).read_bytes() == before


def test_other_schema_version_is_refused(tmp_path: Path) -> None:
    LogStore(tmp_path, "me").close()
    connection = sqlite3.connect(tmp_path / FILE_NAME)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(InputError, match="has schema version 99"):
        LogStore(tmp_path, "me")


def test_folder_that_cannot_be_had_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in ("file", "file/below"):
        with pytest.raises(InputError, match=f"{place}: cannot hold a log"):
            LogStore(tmp_path / place, "me")


def test_folder_on_a_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(NoSpace, match=f"{tmp_path}: No space left"):
        LogStore(tmp_path, "me")
