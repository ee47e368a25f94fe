from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from distributary import adaptation, delivery, merging
from distributary.cli import merging as cli_merging
from distributary.cli import planning
from distributary.cli.main import main

BOXES = '{"id": "q1", "box": {"x": [0, 2], "y": [0, 1]}}\n{"id": "q2", "box": {"x": [0, 1], "y": [0, 2]}}\n'
DELIVERY = {
    "blocks": 2,
    "default_delay": 0.1,
    "nodes": [{"id": "p1"}, {"id": "[p2]"}],
    "streams": [{"id": "s1", "source": "p1", "rate": 5}],
    "filters": [{"node": "[p2]", "stream": "s1", "blocks": [0], "quality": {"drop": 0.1, "delay": 2}}],
}
ADAPTATION = {
    "source": "F0",
    "formats": [{"id": "F0", "cost": 3}, {"id": "F1", "cost": 1}],
    "operators": [{"from": "F0", "to": "F1", "cost": 2}],
    "root": "N0",
    "links": [{"from": "N0", "to": "N1"}],
    "requests": {"N1": ["F1"]},
}


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(words)
    assert isinstance(left.value.code, int)
    return left.value.code


def test_merge_prints_one_document_with_the_interfaces_fields(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.jsonl").write_text(BOXES)
    assert run("merge", "a.jsonl", "--costs", "10,9,4", "--json", "--density", "2", "--algorithm", "none") == 0
    made = json.loads(capsys.readouterr().out)
    assert set(made) >= {
        "algorithm",
        "procedure",
        "costs",
        "cost",
        "unmerged_cost",
        "lower_bound",
        "optimal",
        "seconds",
    }
    assert made["costs"] == {"K_M": 10.0, "K_T": 9.0, "K_U": 4.0}
    assert made["unmerged_cost"] == 2 * 10 + 9 * 2 * 4
    assert [channel["members"] for channel in made["channels"]] == [["q1"], ["q2"]]
    assert made["channels"][0]["regions"] == [{"x": [0.0, 2.0], "y": [0.0, 1.0]}]


@pytest.mark.parametrize(
    ("command", "content", "shown"),
    [
        ("merge", BOXES, "x 0..2, y 0..2"),
        ("deliver", json.dumps(DELIVERY), "[p2]"),
        ("adapt", json.dumps(ADAPTATION), "F0 to F1"),
    ],
)
def test_people_get_a_table(command: str, content: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.json" if command != "merge" else "a.jsonl").write_text(content)
    assert run(command, "a.jsonl" if command == "merge" else "a.json") == 0
    printed = capsys.readouterr()
    assert shown in printed.out
    assert printed.err == ""


def test_deliver_and_adapt_print_the_interfaces_fields(capsys: pytest.CaptureFixture[str]) -> None:
    Path("d.json").write_text(json.dumps(DELIVERY))
    Path("a.json").write_text(json.dumps(ADAPTATION))
    assert run("deliver", "d.json", "--json", "--seed", "3") == 0
    made = json.loads(capsys.readouterr().out)
    assert made["trees"] == {"s1": {"[p2]": "p1"}}
    assert made["filters"] == [{"node": "[p2]", "stream": "s1", "drop": 0.0, "delay": 0.1, "quality": 1.0}]
    assert run("adapt", "a.json", "--json", "--alpha", "2", "--seed", "3") == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["cost"], made["transmission"], made["conversion"]) == (4.0, 1.0, 2.0)
    assert made["links"] == [{"from": "N0", "to": "N1", "formats": ["F1"]}]
    assert made["nodes"] == [{"id": "N0", "operators": [["F0", "F1"]]}]


def test_match_prints_a_line_for_each_item_and_tells_rows_of_files_apart(capsys: pytest.CaptureFixture[str]) -> None:
    Path("s.jsonl").write_text('{"id": "a", "where": "x > 1"}\n{"id": "b", "xpath": "//e"}\n{"id": "c"}\n')
    Path("r.csv").write_text("x\n1\n2\n")
    Path("e.xml").write_text("<d><e/></d>")
    assert run("match", "s.jsonl", "r.csv", "--json") == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines == [{"item": 0, "matches": ["c"]}, {"item": 1, "matches": ["a", "c"]}]
    assert run("match", "s.jsonl", "e.xml", "r.csv", "--json") == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == {"item": "e.xml", "matches": ["b", "c"]}
    assert lines[1] == {"item": 0, "file": "r.csv", "matches": ["c"]}


@pytest.mark.parametrize("form", ["--json", ""])
def test_match_goes_on_after_an_item_that_cannot_be_read_and_leaves_with_1(
    form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("s.jsonl").write_text('{"id": "[/a]", "where": "x > 1"}\n')
    Path("r.jsonl").write_text('{"x": 1}\nnope\n{"x": 3}\n')
    assert run("match", "s.jsonl", "r.jsonl", *[form][: len(form)]) == 1
    printed = capsys.readouterr()
    assert "r.jsonl: line 2: is not JSON" in printed.out
    assert "[/a]" in printed.out
    assert "Traceback" not in printed.err


def test_no_command_at_all_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 0
    assert "Commands:" in capsys.readouterr().out.splitlines()


def test_match_reads_records_from_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("s.jsonl").write_text('{"id": "a", "where": "x > 1"}\n')
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"x": 5}\n')))
    assert run("match", "s.jsonl", "-", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"item": 0, "matches": ["a"]}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["merge", "none.jsonl"], "none.jsonl: does not exist"),
        (["merge", "."], ".: is a folder, not a file"),
        (["merge", "a.jsonl", "--costs", "1,2"], "--costs: '1,2' is not three numbers KM,KT,KU"),
        (["merge", "a.jsonl", "--costs", "1,2,x"], "--costs: '1,2,x' is not three numbers"),
        (["merge", "a.jsonl", "--costs", "1,-2,3"], "--costs: K_T must be a number, zero or more, not -2.0"),
        (["merge", "a.jsonl", "--costs", "1,2,inf"], "--costs: K_U must be a number"),
        (["merge", "a.jsonl", "--density", "0"], "--density: must be a positive number, not 0.0"),
        (["merge", "open.jsonl"], "open.jsonl: s: its size is not finite"),
        (["merge", "path.jsonl"], "path.jsonl: s: xpath: '//e' is not made of numeric ranges"),
        (["match", "open.jsonl", "none.xml"], "none.xml: does not exist"),
        (["match", "open.jsonl", "other.csv"], "open.jsonl: line 1: s: where: unknown column 'x'"),
        (["match", "-", "-"], "standard input: can be read only once"),
        (["deliver", "a.jsonl"], "a.jsonl: is not JSON: Extra data at line 2, column 1"),
        (["deliver", "bare.json"], "bare.json: filters[0]: there is no link from 'p1'"),
        (["adapt", "open.jsonl"], "open.jsonl: Object contains unknown field `id`"),
        (["adapt", "adapt.json", "--alpha", "-1"], "alpha: must be a number, zero or more"),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("a.jsonl").write_text(BOXES)
    Path("open.jsonl").write_text('{"id": "s", "where": "x > 1"}')
    Path("path.jsonl").write_text('{"id": "s", "xpath": "//e"}')
    Path("other.csv").write_text("y\n1\n")
    Path("bare.json").write_text(json.dumps({k: v for k, v in DELIVERY.items() if k != "default_delay"}))
    Path("adapt.json").write_text(json.dumps(ADAPTATION))
    assert run(*words) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"distributary: {complaint}")
    assert printed.err.count("\n") == 1


@pytest.mark.parametrize(
    ("command", "option", "choices"),
    [
        (cli_merging.merge, "algorithm", set(merging.ALGORITHMS)),
        (cli_merging.merge, "procedure", set(merging.PROCEDURES)),
        (planning.deliver, "algorithm", set(delivery.ALGORITHMS)),
        (planning.adapt, "algorithm", {"auto", *adaptation.ALGORITHMS}),
    ],
)
def test_every_algorithm_in_a_table_can_be_chosen(command: Any, option: str, choices: set[str]) -> None:
    # The choices stand in the command's signature, since the tables are too heavy to import for --help.
    assert set(get_args(get_type_hints(command)[option])) == choices


@pytest.mark.slow
def test_help_imports_neither_parsers_nor_numbers() -> None:
    code = (
        "import sys; from distributary.cli.main import app; "
        "print(sorted({'sqlglot', 'elementpath', 'numpy', 'pyarrow', 'scipy', 'pyspark'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
