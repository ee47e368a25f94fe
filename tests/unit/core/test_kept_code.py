from __future__ import annotations

import os
from pathlib import Path

from distributary.core.kept_code import drop_outdated


def test_kept_code_goes_when_any_source_changes_and_stays_otherwise(tmp_path: Path) -> None:
    sources = [tmp_path / "compiled" / "loops.py", tmp_path / "layout.py"]
    kept = [tmp_path / "compiled" / "__pycache__" / "loops.nbi", tmp_path / "__pycache__" / "plain.nbc"]
    for path in (*sources, *kept, tmp_path / "plain.py"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    drop_outdated(str(tmp_path))
    assert not any(path.exists() for path in kept)  # nobody knows what it was made from
    for changed, outdated in [(None, False), (tmp_path / "plain.py", False), *((source, True) for source in sources)]:
        for path in kept:
            path.write_text("code")
        if changed is not None:
            os.utime(changed, ns=(1, 1))
        drop_outdated(str(tmp_path))
        assert [path.exists() for path in kept] == [not outdated] * 2, changed
    assert all(path.exists() for path in sources)


def test_a_folder_that_cannot_be_written_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "__pycache__").write_text("a file")
    drop_outdated(str(tmp_path))
    assert (tmp_path / "__pycache__").read_text() == "a file"
