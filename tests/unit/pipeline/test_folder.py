"""A folder is made whole or not at all."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from distributary.core.errors import InputError, NoSpace
from distributary.pipeline.folder import whole_folder


def make(target: Path, *, overwrite: bool = False, text: str = "new") -> None:
    with whole_folder(str(target), overwrite=overwrite, mark="plan.json") as folder:
        assert not (target / "plan.json").exists() or overwrite
        (folder / "plan.json").write_text(text)


def fail(target: Path, *, overwrite: bool) -> None:
    with whole_folder(str(target), overwrite=overwrite, mark="plan.json") as folder:
        (folder / "half").write_text("")
        (folder / "none").read_text()


def test_new_folder_is_there_at_the_end(tmp_path: Path) -> None:
    make(tmp_path / "out")
    assert (tmp_path / "out" / "plan.json").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    assert (tmp_path / "out").stat().st_mode == fresh.stat().st_mode


def test_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    make(tmp_path / "out")
    assert (tmp_path / "out" / "plan.json").exists()


def test_failure_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        fail(tmp_path / "out", overwrite=False)
    assert list(tmp_path.iterdir()) == []


def test_earlier_result_is_replaced_only_when_asked(tmp_path: Path) -> None:
    make(tmp_path / "out", text="old")
    with pytest.raises(InputError, match="--overwrite"):
        make(tmp_path / "out")
    assert (tmp_path / "out" / "plan.json").read_text() == "old"
    make(tmp_path / "out", overwrite=True)
    assert (tmp_path / "out" / "plan.json").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_failure_while_replacing_keeps_the_earlier_result(tmp_path: Path) -> None:
    make(tmp_path / "out", text="old")
    with pytest.raises(FileNotFoundError):
        fail(tmp_path / "out", overwrite=True)
    assert (tmp_path / "out" / "plan.json").read_text() == "old"


@pytest.mark.parametrize("overwrite", [False, True])
def test_foreign_folder_is_never_replaced(tmp_path: Path, overwrite: bool) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_text("")
    with pytest.raises(InputError):
        make(tmp_path / "photos", overwrite=overwrite)
    assert (tmp_path / "photos" / "cat.jpg").exists()


def test_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for target in (tmp_path / "file", tmp_path / "none" / "out", Path("/proc/out")):
        with pytest.raises(InputError, match=str(target)):
            make(target)


def test_full_disk_is_told_with_the_folder(tmp_path: Path) -> None:
    with (
        pytest.raises(NoSpace, match="out: No space left"),
        whole_folder(str(tmp_path / "out"), overwrite=False, mark="plan.json"),
    ):
        raise OSError(errno.ENOSPC, "whatever a library says")
    assert list(tmp_path.iterdir()) == []
