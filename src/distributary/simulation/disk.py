"""A node's log on a simulated disk: what was not synced is gone after a crash, and a full disk refuses appends."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from distributary.core.effects import AppendLog, KeyRecord, ReadLog, TrimLog
from distributary.core.ids import Sequence, StreamName, TreeId
from distributary.core.inputs import LogRead, RecoveredKey, RecoveredSegment, RecoveredStream
from distributary.core.items import Item

__all__ = ["Disk"]


@dataclass(slots=True)
class _Entry:
    item: Item
    at: float
    synced: bool


@dataclass(slots=True)
class _Log:
    trimmed: Sequence = 0
    entries: list[_Entry] = field(default_factory=list)
    keys: dict[str, RecoveredKey] = field(default_factory=dict)

    def position(self, seq: Sequence) -> int:
        """Return how many entries have a seq of at most `seq`."""
        return bisect_right(self.entries, seq, key=lambda entry: entry.item.seq)


@dataclass(slots=True)
class Disk:
    """The logs of one node, by tree and stream."""

    full: bool = False
    _logs: dict[tuple[TreeId, StreamName], _Log] = field(default_factory=dict)

    def append(self, effect: AppendLog, now: float) -> None:
        """Write items; they are synced by `sync`."""
        log = self._logs.setdefault((effect.tree, effect.stream), _Log())
        last = log.entries[-1].item.seq if log.entries else 0
        assert all(item.seq > last for item in effect.items), f"{effect.stream}: appended below {last}"
        log.trimmed = min(log.trimmed, effect.items[0].seq - 1)
        log.entries.extend(_Entry(item, now, synced=False) for item in effect.items)

    def sync(self, effect: AppendLog) -> str | None:
        """Make an append durable, or undo it and say why."""
        log = self._logs[effect.tree, effect.stream]
        first, last = effect.items[0].seq, effect.items[-1].seq
        low, high = log.position(first - 1), log.position(last)
        if self.full:
            del log.entries[low:high]
            return "no space left on device"
        for entry in log.entries[low:high]:
            entry.synced = True
        key: KeyRecord | None = effect.key
        if key is not None:
            log.keys[key.key] = RecoveredKey(key.key, key.digest, first, last)
        return None

    def read(self, effect: ReadLog) -> LogRead:
        """Return one page of a log."""
        log = self._logs.get((effect.tree, effect.stream), _Log())
        items: list[Item] = []
        size = 0
        for entry in log.entries[log.position(effect.after) : log.position(effect.upto)]:
            if items and size + len(entry.item.body) > effect.bytes_max:
                return LogRead(effect.token, tuple(items), items[-1].seq)
            items.append(entry.item)
            size += len(entry.item.body)
        return LogRead(effect.token, tuple(items), effect.upto)

    def trim(self, effect: TrimLog) -> None:
        """Remove what is too old."""
        log = self._logs.get((effect.tree, effect.stream))
        if log is None:
            return
        del log.entries[: log.position(effect.upto)]
        log.trimmed = max(log.trimmed, effect.upto)
        log.keys = {name: key for name, key in log.keys.items() if key.last > effect.upto}

    def crash(self) -> None:
        """Forget what was not synced."""
        for log in self._logs.values():
            log.entries = [entry for entry in log.entries if entry.synced]

    def recover(self) -> tuple[RecoveredStream, ...]:
        """Return what a starting node is told of its logs."""
        return tuple(
            RecoveredStream(
                tree,
                stream,
                log.trimmed,
                log.entries[-1].item.seq if log.entries else log.trimmed,
                tuple(RecoveredSegment(entry.item.seq, len(entry.item.body), entry.at) for entry in log.entries),
                tuple(log.keys.values()),
            )
            for (tree, stream), log in sorted(self._logs.items())
        )
