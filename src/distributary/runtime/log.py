"""The durable log's thread: what is queued while a commit runs goes into the next one, and is answered after it.

It decides nothing about items; the file is `log_store`'s. One thread keeps reads and writes in the order in which the
node asked for them, at the price that a read waits for the commit before it.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections import deque
from collections.abc import Callable
from typing import TypeAlias

from distributary.core.effects import AppendLog, ReadLog, TrimLog
from distributary.core.ids import StreamName, TreeId
from distributary.core.inputs import Appended, Input, LogRead
from distributary.runtime.log_store import LogStore

__all__ = ["DurableLog", "LogEffect"]

LogEffect: TypeAlias = AppendLog | ReadLog | TrimLog
_Job: TypeAlias = tuple[LogEffect, float]

#: How much of what was read may wait for the end of a commit.
_GROUP_READ_BYTES = 16 << 20
_GROUP_JOBS = 4096


class DurableLog:
    """Carries out log effects on a thread of its own and gives the answers to `answer` in the loop's thread.

    A durable append that fails is answered with its error, and so is one that is not durable, which otherwise has no
    answer: the node must not believe that its cache has these items. Any other failure goes to `failed`, once.
    """

    def __init__(
        self,
        store: LogStore,
        loop: asyncio.AbstractEventLoop,
        answer: Callable[[Input], None],
        failed: Callable[[BaseException], None],
        backlog_bytes_max: int = 64 << 20,
    ) -> None:
        self._store = store
        self._loop = loop
        self._answer = answer
        self._failed = failed
        self._backlog_bytes_max = backlog_bytes_max
        #: Set while appends wait in moderate numbers; who brings items in waits for it.
        self.room = asyncio.Event()
        self.room.set()
        self._jobs: deque[_Job] = deque()
        self._wake = threading.Condition()
        self._closing = False
        self._backlog_bytes = 0
        #: The last trim of each stream that a full disk refused; they are tried again before every group.
        self._owed: dict[tuple[TreeId, StreamName], TrimLog] = {}
        #: Groups that were committed and appends in them, for the metrics.
        self.commits = 0
        self.appends = 0
        self._thread = threading.Thread(target=self._run, name="log", daemon=True)
        self._thread.start()

    def submit(self, effect: LogEffect, now: float) -> None:
        """Queue an effect; called in the loop's thread."""
        with self._wake:
            assert not self._closing, f"the log is closed to {effect}"
            self._jobs.append((effect, now))
            self._backlog_bytes += _bytes_of(effect)
            self._wake.notify()
        if self._backlog_bytes > self._backlog_bytes_max:
            self.room.clear()

    def close(self) -> None:
        """Finish what is queued and close the file; blocks, so it is called when the loop has nothing else to do."""
        with self._wake:
            self._closing = True
            self._wake.notify()
        self._thread.join()
        self._store.close()

    def _run(self) -> None:
        while group := self._next_group():
            try:
                answers = self._carry_out(group)
            except BaseException as error:
                # A thread's error would be lost; the node ends by it.
                self._tell(self._failed, error)
                return
            self._tell(self._give, tuple(answers), sum(_bytes_of(effect) for effect, _ in group))

    def _next_group(self) -> list[_Job]:
        """Wait for work and take what is there; the empty group says that the log is closed."""
        with self._wake:
            self._wake.wait_for(lambda: self._jobs or self._closing)
            group: list[_Job] = []
            read_bytes = 0
            while self._jobs and len(group) < _GROUP_JOBS and read_bytes < _GROUP_READ_BYTES:
                group.append(self._jobs.popleft())
                effect = group[-1][0]
                read_bytes += effect.bytes_max if isinstance(effect, ReadLog) else 0
            return group

    def _carry_out(self, group: list[_Job]) -> list[Appended | LogRead]:
        """Do a group as one transaction; when that fails, each effect on its own, so that one's failure is its own."""
        self._trim_owed()
        reads = [effect for effect, _ in group if isinstance(effect, ReadLog)]
        if len(reads) == len(group):
            return [self._store.read(effect) for effect in reads]
        try:
            return self._transact(group)
        except sqlite3.OperationalError:
            return [answer for job in group for answer in self._alone(job)]

    def _transact(self, group: list[_Job]) -> list[Appended | LogRead]:
        answers: list[Appended | LogRead] = []
        durable = any(isinstance(effect, AppendLog) and effect.durable for effect, _ in group)
        with self._store.transaction(durable):
            for effect, now in group:
                match effect:
                    case AppendLog():
                        self._store.append(effect, now)
                        if effect.durable:
                            answers.append(Appended(effect.token))
                    case ReadLog():
                        answers.append(self._store.read(effect))
                    case TrimLog():
                        self._store.trim(effect)
        self.commits += 1
        self.appends += sum(isinstance(effect, AppendLog) for effect, _ in group)
        if any(isinstance(effect, TrimLog) for effect, _ in group):
            self._store.give_back()
        return answers

    def _trim_owed(self) -> None:
        for key, trim in list(self._owed.items()):
            try:
                with self._store.transaction(durable=False):
                    self._store.trim(trim)
            except sqlite3.OperationalError:
                return
            del self._owed[key]

    def _alone(self, job: _Job) -> list[Appended | LogRead]:
        effect, _ = job
        if isinstance(effect, ReadLog):
            return [self._store.read(effect)]
        try:
            return self._transact([job])
        except sqlite3.OperationalError as error:
            if isinstance(effect, AppendLog):
                return [Appended(effect.token, str(error))]
            self._owed[effect.tree, effect.stream] = effect
            return []

    def _give(self, answers: tuple[Appended | LogRead, ...], done_bytes: int) -> None:
        with self._wake:
            self._backlog_bytes -= done_bytes
            if self._backlog_bytes <= self._backlog_bytes_max // 2:
                self.room.set()
        for answer in answers:
            self._answer(answer)

    def _tell(self, callback: Callable[..., None], *arguments: object) -> None:
        try:
            self._loop.call_soon_threadsafe(callback, *arguments)
        except RuntimeError:
            # The loop is closed: nobody waits for answers any more, and the log finishes for the disk's sake.
            assert self._loop.is_closed()


def _bytes_of(effect: LogEffect) -> int:
    return sum(len(item.body) for item in effect.items) if isinstance(effect, AppendLog) else 0
