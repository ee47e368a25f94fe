"""What `distributary deliver` makes of problems that are wrong: one line that names the place, and status 2."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from distributary.cli.main import main

PROBLEM: dict[str, Any] = {
    "blocks": 2,
    "nodes": [{"id": "a", "upload": 10}, {"id": "b"}, {"id": "c"}],
    "links": [{"from": "a", "to": "b", "capacity": 9}, {"from": "a", "to": "c", "capacity": 9}],
    "streams": [{"id": "s", "source": "a", "rate": 8}],
    "filters": [{"node": node, "stream": "s", "blocks": [0, 1], "quality": {"drop": 0.1}} for node in "bc"],
}
WANTED: dict[str, Any] = PROBLEM["filters"][0]


def run(folder: Path, algorithm: str, **change: Any) -> int:
    path = folder / "p.json"
    path.write_text(json.dumps(PROBLEM | change))
    with pytest.raises(SystemExit) as left:
        main(("deliver", str(path), "--algorithm", algorithm, "--json"))
    assert isinstance(left.value.code, int)
    return left.value.code


@pytest.mark.parametrize(
    ("change", "algorithm", "complaint"),
    [
        ({"filters": [WANTED | {"node": "z"}]}, "qasdg", "filters[0]: node: there is no node 'z'"),
        ({"filters": [WANTED | {"stream": "z"}]}, "qasdg", "filters[0]: stream: there is no stream 'z'"),
        ({"streams": [{"id": "s", "source": "z", "rate": 8}]}, "unfas", "streams[0]: source: there is no node 'z'"),
        ({"filters": [WANTED | {"node": "a"}]}, "brush", "filters[0]: node: 'a' is the source of 's' itself"),
        ({"filters": [WANTED, WANTED]}, "chain", "filters[1]: is the second filter of 'b' on 's'"),
        ({"nodes": [{"id": "a", "upload": 0}]}, "brush", "nodes[0]: upload: must be a positive number, not 0.0"),
        ({"nodes": [{"id": "a", "download": 0}]}, "brush", "nodes[0]: download: must be a positive number, not 0.0"),
        ({"streams": [{"id": "s", "source": "a", "rate": -5}]}, "brush", "streams[0]: rate: must be a positive"),
        ({"links": [{"from": "a", "to": "b", "capacity": 0}]}, "brush", "links[0]: capacity: must be a positive"),
        ({"filters": [WANTED | {"quality": {"drop": -0.1}}]}, "qasds", "filters[0]: drop: must lie between 0 and 1"),
        ({"filters": [WANTED | {"quality": {"drop": "x"}}]}, "qasds", "filters[0].quality.drop: Expected `float`"),
        ({"filters": [WANTED | {"function": [{"drop": 3}]}]}, "qasds", "filters[0]: function[0]: drop must lie"),
        ({"model": "physical", "links": PROBLEM["links"][:1]}, "brush", "filters[1]: there is no link from 'a', the"),
        ({}, "chain", "filters[1]: there is no link from 'b', the last in the chain of 's', to 'c'"),
        *(
            (
                {"model": "physical", "links": PROBLEM["links"][:1]},
                algorithm,
                "filters[1]: there is no link from a node that receives 's' to 'c'",
            )
            for algorithm in ("unfas", "unfag", "qasds", "qasdg", "triage", "annealing", "optimal")
        ),
    ],
)
def test_one_line_names_the_place(
    change: dict[str, Any], algorithm: str, complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, algorithm, **change) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert f"p.json: {complaint}" in printed.err


@pytest.mark.parametrize("algorithm", ["brush", "unfag", "qasds", "triage", "annealing", "optimal"])
def test_a_drop_limit_of_zero_is_answered(algorithm: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    none = [each | {"quality": {"drop": 0}} for each in PROBLEM["filters"]]
    assert run(tmp_path, algorithm, filters=none, default_delay=0.1, nodes=[{"id": n, "upload": 4} for n in "abc"]) == 0
    made = json.loads(capsys.readouterr().out)
    # Half of 8 bytes/s leaves the source whatever the tree.
    assert made["quality"] == 0.0
    assert all(each["quality"] == 0.0 for each in made["filters"])


def test_an_order_of_joining_that_leads_nowhere_does_not_keep_optimal_from_trees_that_there_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    links = [{"from": "a", "to": "c"}, {"from": "c", "to": "b"}]
    assert run(tmp_path, "qasdg", links=links) == 2
    assert "filters[0]: there is no link" in capsys.readouterr().err
    assert run(tmp_path, "optimal", links=links) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["trees"] == {"s": {"b": "c", "c": "a"}}
    assert made["optimal"]
