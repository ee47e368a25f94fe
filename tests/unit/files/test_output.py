from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from distributary.core.errors import InputError, NoSpace
from distributary.files.output import check_place, write_whole


def test_write_whole_replaces_the_content_and_leaves_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "plan.json"
    target.write_text("old and longer")
    write_whole(target, b"new")
    assert target.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [target]


def test_write_whole_gives_the_rights_of_a_new_file(tmp_path: Path) -> None:
    write_whole(str(tmp_path / "a"), b"")
    (tmp_path / "b").write_bytes(b"")
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("a", "b")}
    assert len(modes) == 1


def test_write_whole_that_fails_keeps_the_old_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "plan.json"
    target.write_text("old")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(NoSpace, match=r"plan\.json: No space left"):
        write_whole(target, b"new")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_place_where_no_file_can_be_is_refused(tmp_path: Path) -> None:
    check_place(tmp_path / "new.svg")
    with pytest.raises(InputError, match="is a folder"):
        check_place(tmp_path)
    with pytest.raises(InputError, match=r"none/new\.svg: its folder does not exist"):
        check_place(str(tmp_path / "none" / "new.svg"))
