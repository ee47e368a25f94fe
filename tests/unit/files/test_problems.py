from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from distributary.core.errors import InputError
from distributary.files.problems import read_adaptation_problem, read_delivery_problem

DELIVERY: dict[str, Any] = {
    "model": "logical",
    "blocks": 2,
    "nodes": [{"id": "p1"}, {"id": "p2"}],
    "links": [{"from": "p1", "to": "p2", "delay": 0.1}],
    "streams": [{"id": "s1", "source": "p1", "rate": 5}],
    "filters": [{"node": "p2", "stream": "s1", "blocks": [0, 1], "quality": {"drop": 0.1, "delay": 2}}],
}
ADAPTATION: dict[str, Any] = {
    "source": "F0",
    "formats": [{"id": "F0", "cost": 3}, {"id": "F1", "cost": 1}],
    "operators": [{"from": "F0", "to": "F1", "cost": 2}],
    "root": "N0",
    "links": [{"from": "N0", "to": "N1"}],
    "requests": {"N1": ["F1"]},
}


def test_problems_are_read(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text(json.dumps(DELIVERY))
    assert read_delivery_problem(str(path)).filters[0].blocks == {0, 1}
    path.write_text("\ufeff" + json.dumps(ADAPTATION))
    assert read_adaptation_problem(str(path)).link_factor == {("N0", "N1"): 1.0}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is not JSON"),
        ("[]", "is not a JSON object"),
        (json.dumps(DELIVERY | {"nodes": [{"id": 5}]}), "nodes[0].id: Expected `str`, got `int`"),
        (json.dumps(DELIVERY | {"spare": 1}), "Object contains unknown field `spare`"),
        (json.dumps(DELIVERY | {"model": "other"}), "model: Invalid enum value 'other'"),
        (json.dumps(DELIVERY | {"processing_delay": float("nan")}), "processing_delay: is not a finite number"),
        (json.dumps({k: v for k, v in DELIVERY.items() if k != "blocks"}), "Object missing required field `blocks`"),
    ],
)
def test_what_is_no_problem_is_refused_with_file_and_field(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "p.json"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_delivery_problem(str(path))
    assert str(caught.value).startswith(f"{path}: {complaint}")
