"""The log's thread: what is answered stands, groups share a commit, a full disk costs what did not fit and no more."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from distributary.core.effects import AppendLog, ReadLog, TrimLog
from distributary.core.inputs import Appended, Input, LogRead
from distributary.core.items import Item
from distributary.runtime.log import DurableLog
from distributary.runtime.log_store import LogStore

ALL = 1 << 40


def append(token: int, seq: int, size: int = 10, *, durable: bool = True, stream: str = "news") -> AppendLog:
    return AppendLog(token, "tree", stream, (Item(stream, seq, "text/plain", b"x" * size),), durable)


class Answers:
    """Collects what the log answers, and lets a test wait for so many."""

    def __init__(self) -> None:
        self.inputs: list[Input] = []
        self.errors: list[BaseException] = []
        self._changed = asyncio.Event()

    def take(self, given: Input) -> None:
        self.inputs.append(given)
        self._changed.set()

    def fail(self, error: BaseException) -> None:
        self.errors.append(error)
        self._changed.set()

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(10):
            while not holds():
                self._changed.clear()
                await self._changed.wait()


def open_log(folder: Path, answers: Answers, pages_max: int | None = None, backlog: int = 64 << 20) -> DurableLog:
    store = LogStore(folder, "me", pages_max)
    return DurableLog(store, asyncio.get_running_loop(), answers.take, answers.fail, backlog)


def test_log_concurrent_appends_share_a_commit(tmp_path: Path) -> None:
    async def main() -> None:
        answers = Answers()
        log = open_log(tmp_path, answers)
        for index in range(200):
            log.submit(append(index, index + 1), 1.0)
        await answers.until(lambda: len(answers.inputs) == 200)
        assert answers.inputs == [Appended(index) for index in range(200)]
        assert log.appends == 200
        assert log.commits <= 10, "at least 20 appends in a commit"
        log.close()

    asyncio.run(main())


def test_log_read_sees_every_append_before_it(tmp_path: Path) -> None:
    async def main() -> None:
        answers = Answers()
        log = open_log(tmp_path, answers)
        log.submit(append(1, 1, durable=False), 1.0)
        log.submit(ReadLog(2, "tree", "news", 0, ALL, ALL), 1.0)
        log.submit(append(3, 2), 1.0)
        log.submit(ReadLog(4, "tree", "news", 0, ALL, ALL), 1.0)
        log.submit(TrimLog("tree", "news", 1), 1.0)
        log.submit(ReadLog(5, "tree", "news", 0, ALL, ALL), 1.0)
        await answers.until(lambda: len(answers.inputs) == 4)
        first, appended, second, third = answers.inputs
        assert isinstance(first, LogRead)
        assert isinstance(second, LogRead)
        assert isinstance(third, LogRead)
        assert appended == Appended(3)
        assert [[item.seq for item in found.items] for found in (first, second, third)] == [[1], [1, 2], [2]]
        log.close()

    asyncio.run(main())


def test_log_full_fails_what_does_not_fit_and_goes_on(tmp_path: Path) -> None:
    async def main() -> None:
        answers = Answers()
        log = open_log(tmp_path, answers, pages_max=100)
        log.submit(append(1, 1, size=100_000), 1.0)
        log.submit(append(2, 2, size=900_000), 1.0)
        log.submit(append(3, 1, size=10, stream="small"), 1.0)
        log.submit(append(4, 2, size=900_000, durable=False, stream="small"), 1.0)
        await answers.until(lambda: len(answers.inputs) == 4)
        failed = "database or disk is full"
        assert answers.inputs == [Appended(1), Appended(2, failed), Appended(3), Appended(4, failed)]
        log.submit(TrimLog("tree", "news", 1), 1.0)
        log.submit(append(5, 3, size=100_000), 1.0)
        log.submit(ReadLog(6, "tree", "news", 0, ALL, ALL), 1.0)
        await answers.until(lambda: len(answers.inputs) == 6)
        assert answers.inputs[4] == Appended(5)
        found = answers.inputs[5]
        assert isinstance(found, LogRead)
        assert [item.seq for item in found.items] == [3]
        assert answers.errors == []
        log.close()

    asyncio.run(main())


def test_log_own_mistake_is_told_and_ends_it(tmp_path: Path) -> None:
    async def main() -> None:
        answers = Answers()
        log = open_log(tmp_path, answers)
        log.submit(append(1, 1), 1.0)
        log.submit(append(2, 1), 1.0)
        await answers.until(lambda: bool(answers.errors))
        assert "UNIQUE" in str(answers.errors[0])
        log.close()

    asyncio.run(main())


def test_log_with_much_queued_has_no_room_until_it_is_written(tmp_path: Path) -> None:
    async def main() -> None:
        answers = Answers()
        log = open_log(tmp_path, answers, backlog=1000)
        for index in range(5):
            log.submit(append(index, index + 1, size=300), 1.0)
        assert not log.room.is_set()
        async with asyncio.timeout(10):
            await log.room.wait()
        log.close()

    asyncio.run(main())


def test_log_closed_has_written_what_was_queued(tmp_path: Path) -> None:
    async def main() -> None:
        log = open_log(tmp_path, Answers())
        for index in range(50):
            log.submit(append(index, index + 1, durable=False), 1.0)
        log.close()

    asyncio.run(main())
    store = LogStore(tmp_path, "me")
    assert store.recover()[0].head == 50
    store.close()


WRITER = """
import asyncio, sys
from pathlib import Path
from distributary.core.effects import AppendLog
from distributary.core.items import Item
from distributary.runtime.log import DurableLog
from distributary.runtime.log_store import LogStore

async def main():
    log = DurableLog(LogStore(Path(sys.argv[1]), "me"), asyncio.get_running_loop(), answer, print)
    sent = 0
    while True:
        for _ in range(7):
            sent += 1
            log.submit(AppendLog(sent, "t", "s", (Item("s", sent, "a/b", b"x" * 500),), True), 1.0)
        await asyncio.sleep(0)

def answer(given):
    sys.stdout.write(f"{given.token}\\n")
    sys.stdout.flush()

asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.parametrize("answered", [3, 40, 300])
def test_log_killed_in_the_middle_loses_nothing_answered(tmp_path: Path, answered: int) -> None:
    with subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        for _ in range(answered):
            assert writer.stdout.readline()
        writer.send_signal(signal.SIGKILL)
        told = [answered, *(int(line) for line in writer.stdout if line.endswith("\n"))]
    store = LogStore(tmp_path, "me")
    head = store.recover()[0].head
    found = store.read(ReadLog(1, "t", "s", 0, ALL, ALL))
    store.close()
    assert head >= max(told)
    assert [item.seq for item in found.items] == list(range(1, head + 1))


LIMITED = """
import asyncio, resource, signal, sys
from pathlib import Path
from distributary.core.effects import AppendLog
from distributary.core.items import Item
from distributary.runtime.log import DurableLog
from distributary.runtime.log_store import LogStore

async def main():
    loop = asyncio.get_running_loop()
    waiting = {}
    store = LogStore(Path(sys.argv[1]), "me")
    log = DurableLog(store, loop, lambda given: waiting.pop(given.token).set_result(given.error), sys.exit)
    async def append(seq, size):
        waiting[seq] = loop.create_future()
        log.submit(AppendLog(seq, "t", "s", (Item("s", seq, "a/b", b"x" * size),), True), 1.0)
        return await waiting[seq]
    print(await append(1, 100_000))
    # From here on the system refuses to write files beyond a megabyte, as a full disk would.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, hard))
    print(await append(2, 3_000_000))
    print(await append(3, 1000))
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    print(await append(4, 3_000_000))
    log.close()

asyncio.run(main())
"""


@pytest.mark.slow
def test_log_goes_on_after_the_system_refused_to_write(tmp_path: Path) -> None:
    words = [sys.executable, "-c", LIMITED, str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    first, second, third, fourth = done.stdout.splitlines()
    assert first == third == fourth == "None"
    assert second in {"disk I/O error", "database or disk is full"}
    store = LogStore(tmp_path, "me")
    found = store.read(ReadLog(1, "t", "s", 0, ALL, ALL))
    assert [item.seq for item in found.items] == [1, 3, 4]
    store.close()
