from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from distributary.algebra.treepattern import parse_xpath
from distributary.algebra.xml import parse_xml
from distributary.cli.main import main

DTD = "<!ELEMENT r (a | b)*> <!ELEMENT a (#PCDATA)> <!ATTLIST a n NMTOKEN #IMPLIED> <!ELEMENT b (r?)>"


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("r.dtd").write_text(DTD)


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(words)
    assert isinstance(left.value.code, int)
    return left.value.code


def rows(text: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in text.splitlines()]


def test_documents_are_written_and_told_of(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        run("generate", "documents", "--dtd", "r.dtd", "--count", "3", "--elements", "9", "--out", "d", "--json") == 0
    )
    told = json.loads(capsys.readouterr().out)
    bodies = [Path("d", f"00000{number}.xml").read_bytes() for number in range(3)]
    assert told == {"out": "d", "count": 3, "bytes": sum(map(len, bodies)), "root": "r", "seed": 0}
    assert [len(parse_xml(body)) for body in bodies] == [9, 9, 9]
    assert len(os.listdir("d")) == 3
    assert run("generate", "documents", "--out", "e", "--size", "2000") == 0
    assert capsys.readouterr().out.startswith("1 documents, 2")
    assert parse_xml(Path("e/000000.xml").read_bytes()).names[0] == "bulletin"


def test_folder_that_holds_something_is_not_touched(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("generate", "documents", "--dtd", "r.dtd", "--out", "d", "--size", "300")
    assert run(*words) == 0
    before = Path("d/000000.xml").read_bytes()
    assert run(*words, "--seed", "1") == 2
    assert "--overwrite" in capsys.readouterr().err
    assert Path("d/000000.xml").read_bytes() == before
    assert run(*words, "--seed", "1", "--overwrite") == 0
    assert Path("d/000000.xml").read_bytes() != before


def test_subscriptions_are_json_lines_that_match_can_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("generate", "subscriptions", "--dtd", "r.dtd", "--count", "5", "--stream", "news", "--value", "0.5") == 0
    lines = rows(capsys.readouterr().out)
    assert [line["id"] for line in lines] == ["s0", "s1", "s2", "s3", "s4"]
    assert {line["stream"] for line in lines} == {"news"}
    assert all(parse_xpath(line["xpath"]).nodes for line in lines)
    words = ("--count", "5", "--out", "s.jsonl", "--depth", "3", "--seed", "2")
    assert run("generate", "subscriptions", *words, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    written = rows(Path("s.jsonl").read_text())
    assert told["count"] == len(written) == 5
    assert told["distinct"] == len({line["xpath"] for line in written})
    assert run("generate", "subscriptions", *words) == 0
    assert "5 subscriptions" in capsys.readouterr().out


@pytest.mark.slow
def test_selectivity_is_that_of_the_documents_with_the_same_seed(capsys: pytest.CaptureFixture[str]) -> None:
    same = ("--dtd", "r.dtd", "--size", "600", "--seed", "3")
    shape = ("--count", "20", "--sample", "20", "--value", "0.3", "--out", "s.jsonl")
    assert run("generate", "subscriptions", *same, *shape, "--selectivity", "0.2", "--json") == 0
    share = json.loads(capsys.readouterr().out)["selectivity"]
    assert share == pytest.approx(0.2, abs=0.06)
    assert run("generate", "documents", *same, "--count", "20", "--out", "d") == 0
    documents = [parse_xml(path.read_bytes()) for path in sorted(Path("d").iterdir())]
    patterns = [parse_xpath(line["xpath"]) for line in rows(Path("s.jsonl").read_text())]
    matched = sum(pattern.matches(document) for pattern in patterns for document in documents)
    assert matched / 400 == pytest.approx(share)


def test_grammar_from_standard_input_is_read(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(DTD.encode())))
    assert run("generate", "subscriptions", "--dtd", "-", "--root", "b", "--wildcard", "0", "--descendant", "0") == 0
    assert rows(capsys.readouterr().out)[0]["xpath"].startswith("/b/r")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("documents", "--out", "d", "--dtd", "none.dtd"), "none.dtd: does not exist"),
        (("documents", "--out", "d", "--dtd", "bad.dtd"), "bad.dtd: line 2: the content model '(b' cannot be read"),
        (("documents", "--out", "d", "--dtd", "latin.dtd"), "latin.dtd: is not UTF-8"),
        (("documents", "--out", "d", "--dtd", "r.dtd", "--root", "x"), "r.dtd: the root element 'x' is not declared"),
        (("documents", "--out", "d", "--root", "x"), "--root: is only for a grammar given with --dtd"),
        (("documents", "--out", "d", "--size", "0"), "size: must be from 1 to"),
        (("documents", "--out", "no/where"), "no/where: the folder"),
        (("documents",), "Missing option '--out'"),
        (("subscriptions", "--depth", "x"), "--depth: must be two whole numbers with a comma between, not 'x'"),
        (("subscriptions", "--wildcard", "2"), "Invalid value for '--wildcard'"),
        (("subscriptions", "--stream", "a b"), "stream"),
        (("subscriptions", "--out", "no/where"), "no/where: its folder does not exist"),
        (("subscriptions", "--count", "0"), "Invalid value for '--count'"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(
    words: tuple[str, ...], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("bad.dtd").write_text("<!ELEMENT a EMPTY>\n<!ELEMENT c (b>")
    Path("latin.dtd").write_bytes(b"<!-- \xe9 -->")
    before = sorted(os.listdir())
    assert run("generate", *words) == 2
    captured = capsys.readouterr()
    assert line in captured.err
    assert captured.err.count("\n") == 1
    assert not captured.out
    assert sorted(os.listdir()) == before


@pytest.mark.slow
def test_same_seed_gives_the_same_bytes_under_other_hash_seeds() -> None:
    code = (
        "import contextlib, sys; from distributary.cli.main import main\n"
        "for words in ('documents --size 3000 --out', "
        "'subscriptions --count 20 --value 0.3 --selectivity 0.2 --sample 5 --size 3000 --out'):\n"
        "    with contextlib.suppress(SystemExit):\n"
        "        main(['generate', *words.split(), words[0] + sys.argv[1]])\n"
    )
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", code, seed], env=environment, capture_output=True, check=True)
    assert Path("d1/000000.xml").read_bytes() == Path("d2/000000.xml").read_bytes()
    assert Path("s1").read_bytes() == Path("s2").read_bytes()
