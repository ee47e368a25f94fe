"""Token files: what a line means, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from distributary.core.errors import InputError
from distributary.runtime.tokens import Scope, Tokens, read_tokens, readable_by_others


def tokens(folder: Path, text: str) -> Tokens:
    file = folder / "tokens"
    file.write_text(text)
    return read_tokens(file)


def test_token_alone_is_for_everything(tmp_path: Path) -> None:
    found = tokens(tmp_path, "# ours\n\nsecret\n").find("secret")
    assert found is not None
    assert found.scopes == frozenset(Scope)


def test_token_with_spaces_is_one_token(tmp_path: Path) -> None:
    given = tokens(tmp_path, "correct horse battery staple\n")
    assert given.find("correct horse battery staple") is not None
    assert given.find("correct horse battery") is None
    assert given.find("") is None


def test_token_with_scopes_allows_only_them(tmp_path: Path) -> None:
    given = tokens(tmp_path, "two words publish,route\nreader subscribe\nlinks join\n")
    found = given.find("two words")
    assert found is not None
    assert found.scopes == {Scope.PUBLISH, Scope.ROUTE}
    assert "two words" not in repr(found)
    assert given.for_links() == "links"
    assert given.first() == "two words"
    assert tokens(tmp_path, "reader subscribe\n").for_links() is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "tokens: holds no token"),
        ("\n# nothing\n", "tokens: holds no token"),
        ("good\nother publish,subscrbe\n", "tokens: line 2: scopes: 'subscrbe' is none of publish, subscribe"),
        ("gr\u00fcn\n", "tokens: line 1: token: has other than printable ASCII characters"),
    ],
)
def test_token_file_that_is_wrong_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        tokens(tmp_path, text)
    assert message in str(caught.value)


def test_token_file_of_bytes_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tokens").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is no UTF-8 text"):
        read_tokens(tmp_path / "tokens")


def test_token_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="missing: does not exist"):
        read_tokens(tmp_path / "missing")
    with pytest.raises(InputError, match="is a folder, not a file"):
        read_tokens(tmp_path)


def test_token_file_readable_by_others_is_told(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text("x\n")
    file.chmod(0o644)
    assert readable_by_others(file)
    file.chmod(0o600)
    assert not readable_by_others(file)
