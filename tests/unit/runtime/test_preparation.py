from __future__ import annotations

import threading

import pytest

from distributary.runtime import preparation
from distributary.runtime.preparation import BackgroundPreparation


def test_the_first_who_asks_has_it_loaded_and_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    loading, loaded = threading.Event(), threading.Event()
    told: list[str] = []

    def prepare(tell: object) -> None:
        told.append("begun")
        assert loading.wait(10)
        loaded.set()

    monkeypatch.setattr(preparation, "prepare", prepare)
    monkeypatch.setattr(preparation, "prepared", loaded.is_set)
    ready = BackgroundPreparation(told.append)
    assert [ready(), ready()] == [False, False]
    loading.set()
    assert loaded.wait(10)
    assert ready()
    assert told == ["begun"]
