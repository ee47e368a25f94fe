"""A node's log in one SQLite file: tables, statements and recovery. It has no thread and answers nobody.

The node's identity stands in the same file, so that a log that is lost takes its tree with it: a source without its
log must never number a stream again. Runs of items are summed up as they are written, so that a start reads one row
for 64 KiB and not one for each item.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias, TypeVar

import msgspec

from distributary.core.effects import AppendLog, ReadLog, TrimLog
from distributary.core.errors import InputError, Unavailable
from distributary.core.headers import Header
from distributary.core.ids import NodeId, Sequence, StreamName, TreeId
from distributary.core.inputs import LogRead, RecoveredKey, RecoveredSegment, RecoveredStream
from distributary.core.items import Item
from distributary.files.output import room_at

__all__ = ["FILE_NAME", "LogStore", "SegmentRow"]

FILE_NAME = "log.sqlite"
_APPLICATION = 0x64697374  # "dist", in the file's header
_SCHEMA_VERSION = 1
_SEGMENT_BYTES = 64 << 10
#: A transaction of a trim stays small, so that appends behind it do not wait.
_VACUUM_PAGES = 1024

_SCHEMA = """
CREATE TABLE node (id TEXT NOT NULL);
CREATE TABLE streams (
  number INTEGER PRIMARY KEY, tree TEXT NOT NULL, stream TEXT NOT NULL,
  trimmed INTEGER NOT NULL DEFAULT 0, head INTEGER NOT NULL DEFAULT 0, UNIQUE (tree, stream));
CREATE TABLE items (
  stream INTEGER NOT NULL, seq INTEGER NOT NULL, content_type TEXT NOT NULL, header BLOB, body BLOB NOT NULL,
  PRIMARY KEY (stream, seq));
CREATE TABLE segments (
  stream INTEGER NOT NULL, last INTEGER NOT NULL, bytes INTEGER NOT NULL, at REAL NOT NULL,
  PRIMARY KEY (stream, last)) WITHOUT ROWID;
CREATE TABLE keys (
  stream INTEGER NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
  PRIMARY KEY (stream, key)) WITHOUT ROWID;
CREATE INDEX keys_by_last ON keys (stream, last);
"""

_HEADER = msgspec.msgpack.Decoder(Header)
_Row = TypeVar("_Row")
#: `last`, `bytes` and `at` of a run of items.
SegmentRow: TypeAlias = tuple[int, int, float]


class LogStore:
    """The log of one data folder, held by one process; any thread may use it, one at a time.

    Raises `Unavailable` when another process holds the folder, and `InputError` naming the file when it is damaged or
    not ours, or the folder cannot be written. `pages_max` limits the file (4 KiB a page), as a full disk does.
    """

    def __init__(self, folder: Path, new_identity: NodeId, pages_max: int | None = None) -> None:
        self._lock = _taken(folder)
        self._file = folder / FILE_NAME
        try:
            with self._named_errors():
                self._connection = _open(self._file, new_identity)
                if pages_max is not None:
                    self._connection.execute(f"PRAGMA max_page_count = {int(pages_max)}")
                self.node: NodeId = self._connection.execute("SELECT id FROM node").fetchone()[0]
                found = self._connection.execute("SELECT tree, stream, number FROM streams").fetchall()
        except BaseException:
            os.close(self._lock)
            raise
        #: Numbers of the streams that stand in the file; one of a transaction that failed is forgotten.
        self._numbers: dict[tuple[TreeId, StreamName], int] = {(tree, stream): number for tree, stream, number in found}
        self._durable: bool | None = None

    def close(self) -> None:
        """Write everything into the one file and let other processes have the folder."""
        try:
            self._connection.close()
        finally:
            os.close(self._lock)

    @contextmanager
    def transaction(self, durable: bool) -> Iterator[None]:
        """Do all or nothing of what is called inside; with `durable` it is on the disk when this ends."""
        if durable is not self._durable:
            # Without FULL, a commit in WAL mode does not wait for the disk; the next one with it covers both.
            self._connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self._durable = durable
        known = dict(self._numbers)
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            self._numbers = known
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def append(self, effect: AppendLog, at: float) -> None:
        """Append within a transaction; `sqlite3.Error` when there is no room."""
        number = self._number(effect.tree, effect.stream)
        if not effect.items:
            return
        rows = ((number, item.seq, item.content_type, _packed(item.header), item.body) for item in effect.items)
        self._connection.executemany("INSERT INTO items VALUES (?, ?, ?, ?, ?)", rows)
        first, last = effect.items[0].seq, effect.items[-1].seq
        self._connection.execute("UPDATE streams SET head = max(head, ?) WHERE number = ?", (last, number))
        self._add_segments(number, effect.items, at)
        if effect.key is not None:
            row = (number, effect.key.key, effect.key.digest, first, last)
            self._connection.execute("INSERT OR REPLACE INTO keys VALUES (?, ?, ?, ?, ?)", row)

    def read(self, effect: ReadLog) -> LogRead:
        """Return the part of the log that was asked for; the same bytes go out that came in."""
        number = self._numbers.get((effect.tree, effect.stream))
        if number is None:
            return LogRead(effect.token, (), effect.upto)
        items: list[Item] = []
        size = 0
        rows = self._connection.execute(
            "SELECT seq, content_type, header, body FROM items WHERE stream = ? AND seq > ? AND seq <= ? ORDER BY seq",
            (number, effect.after, effect.upto),
        )
        for seq, content_type, header, body in rows:
            size += len(body)
            if items and size > effect.bytes_max:
                rows.close()
                return LogRead(effect.token, tuple(items), items[-1].seq)
            items.append(Item(effect.stream, seq, content_type, body, _unpacked(header)))
        return LogRead(effect.token, tuple(items), effect.upto)

    def trim(self, effect: TrimLog) -> None:
        """Remove items and keys within a transaction; the stream's head stays, so that no number comes twice."""
        number, upto = self._number(effect.tree, effect.stream), effect.upto
        execute = self._connection.execute
        execute("DELETE FROM items WHERE stream = ? AND seq <= ?", (number, upto))
        execute("DELETE FROM keys WHERE stream = ? AND last <= ?", (number, upto))
        execute("DELETE FROM segments WHERE stream = ? AND last <= ?", (number, upto))
        execute(
            "UPDATE streams SET trimmed = max(trimmed, ?), head = max(head, ?) WHERE number = ?", (upto, upto, number)
        )

    def give_back(self) -> None:
        """Return free pages to the file system, some at a time, when they are more than a quarter of the file."""
        free, pages = self._pragma("freelist_count"), self._pragma("page_count")
        if free > _VACUUM_PAGES and free > pages // 4:
            self._connection.execute(f"PRAGMA incremental_vacuum({_VACUUM_PAGES})").fetchall()

    def recover(self) -> tuple[RecoveredStream, ...]:
        """Return what the log remembers, by tree and stream; the open transaction of a crash is not part of it."""
        with self._named_errors():
            segments: dict[int, list[RecoveredSegment]] = {}
            for number, *row in self._connection.execute("SELECT * FROM segments ORDER BY stream, last"):
                segments.setdefault(number, []).append(RecoveredSegment(*row))
            keys: dict[int, list[RecoveredKey]] = {}
            for number, *row in self._connection.execute("SELECT * FROM keys ORDER BY stream, last, key"):
                keys.setdefault(number, []).append(RecoveredKey(*row))
            rows = self._connection.execute(
                "SELECT number, tree, stream, trimmed, head FROM streams ORDER BY tree, stream"
            ).fetchall()
        return tuple(
            RecoveredStream(tree, stream, trimmed, head, tuple(segments.get(number, ())), tuple(keys.get(number, ())))
            for number, tree, stream, trimmed, head in rows
        )

    def _number(self, tree: TreeId, stream: StreamName) -> int:
        found = self._numbers.get((tree, stream))
        if found is None:
            cursor = self._connection.execute("INSERT INTO streams (tree, stream) VALUES (?, ?)", (tree, stream))
            assert cursor.lastrowid is not None
            found = self._numbers[tree, stream] = cursor.lastrowid
        return found

    def _add_segments(self, number: int, items: tuple[Item, ...], at: float) -> None:
        """Sum up the items in runs of at most 64 KiB; the newest run of the stream is added to while it has room."""
        row: SegmentRow | None = self._connection.execute(
            "SELECT last, bytes, at FROM segments WHERE stream = ? ORDER BY last DESC LIMIT 1", (number,)
        ).fetchone()
        runs: list[SegmentRow] = []
        size = 0
        if row is not None and row[1] + len(items[0].body) <= _SEGMENT_BYTES:
            self._connection.execute("DELETE FROM segments WHERE stream = ? AND last = ?", (number, row[0]))
            size = row[1]
        last: Sequence = items[0].seq
        for item in items:
            if size and size + len(item.body) > _SEGMENT_BYTES:
                runs.append((last, size, at))
                size = 0
            size += len(item.body)
            last = item.seq
        runs.append((last, size, at))
        self._connection.executemany(f"INSERT INTO segments VALUES ({number}, ?, ?, ?)", runs)  # noqa: S608

    def _pragma(self, name: str) -> int:
        value = self._connection.execute(f"PRAGMA {name}").fetchone()[0]
        assert isinstance(value, int)
        return value

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise Unavailable(str(self._file), str(error)) from error
        except sqlite3.DatabaseError as error:
            raise InputError(f"is damaged, or no log of a node: {error}", file=str(self._file)) from error


def _packed(header: Header | None) -> bytes | None:
    return None if header is None else msgspec.msgpack.encode(header)


def _unpacked(header: bytes | None) -> Header | None:
    return None if header is None else _HEADER.decode(header)


def _taken(folder: Path) -> int:
    """Make the folder if need be and hold it; one that cannot be had is an `InputError`, a full disk `NoSpace`."""
    try:
        with room_at(folder):
            folder.mkdir(parents=True, exist_ok=True)
            return _lock(folder)
    except OSError as error:
        raise InputError(f"cannot hold a log: {error.strerror or error}", file=str(folder)) from None


def _lock(folder: Path) -> int:
    """Return the descriptor that holds the folder; the kernel lets go of it when the process ends, however it ends."""
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip()
        os.close(descriptor)
        raise Unavailable(str(folder), f"is in use by another node (process {holder or 'unknown'})") from None
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
    return descriptor


def _open(file: Path, new_identity: NodeId) -> sqlite3.Connection:
    """Open the file and make its tables when it is new; the identity that it then has stays."""
    connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False, timeout=5.0)
    try:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        is_new = not connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        if not is_new and application != _APPLICATION:
            raise InputError("is no log of a node", file=str(file))
        if not is_new and version != _SCHEMA_VERSION:
            raise InputError(f"has schema version {version}, this program reads {_SCHEMA_VERSION}", file=str(file))
        if is_new:
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("PRAGMA journal_mode = WAL")
        # The file of the journal is kept for the next one: a full disk must not keep a trim from making room.
        connection.execute(f"PRAGMA journal_size_limit = {8 << 20}")
        connection.execute(f"PRAGMA cache_size = -{32 << 10}")
        if is_new:
            connection.execute("PRAGMA synchronous = FULL")
            connection.executescript(
                f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA application_id = {_APPLICATION};"
                f"PRAGMA user_version = {_SCHEMA_VERSION};"
            )
            connection.execute("INSERT INTO node VALUES (?)", (new_identity,))
            connection.execute("COMMIT")
            _sync_folder(file.parent)
    except BaseException:
        connection.close()
        raise
    return connection


def _sync_folder(folder: Path) -> None:
    """Make the file's name as durable as its content."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
