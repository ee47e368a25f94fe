"""`plan.json` is the result of `merge` with each subscription's extractor, and nothing else is taken for one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from distributary.core.errors import InputError
from distributary.core.results import Channel, Costs
from distributary.core.subscriptions import FilterText
from distributary.core.values import ColumnType
from distributary.pipeline.extract import answer
from distributary.pipeline.plan_file import ChannelExtractor, RoutePlan, channel_folder, read_plan, write_plan

PLAN = RoutePlan(
    algorithm="pair",
    procedure="rectangle",
    costs=Costs(),
    cost=1.5,
    unmerged_cost=2.5,
    lower_bound=None,
    optimal=False,
    seconds=0.1,
    channels=(Channel("c0", ("s1", "s2"), ({"lat": (0.0, None)},), 7.0, ('["where","lat >= 0",[]]',)),),
    stream="quakes",
    rows=20,
    schema={"lat": ColumnType.DOUBLE, "place": ColumnType.STRING},
    extractors={
        "s1": ChannelExtractor("c0", FilterText("where", "lat >= 0"), None),
        "s2": ChannelExtractor("c0", FilterText("box", '{"lat":[1,2]}'), ("place",)),
    },
)


def test_plan_that_is_written_is_read_back(tmp_path: Path) -> None:
    write_plan(tmp_path, PLAN)
    assert read_plan(str(tmp_path)) == PLAN


def test_plan_has_the_fields_of_merge_and_the_extractors(tmp_path: Path) -> None:
    write_plan(tmp_path, PLAN)
    found = json.loads((tmp_path / "plan.json").read_text())
    assert found["channels"][0]["members"] == ["s1", "s2"]
    assert found["channels"][0]["regions"] == [{"lat": [0.0, None]}]
    assert found["extractors"]["s2"] == {"channel": "c0", "filter": ["box", '{"lat":[1,2]}', []], "fields": ["place"]}
    assert found["lower_bound"] is None


def test_channel_without_items_has_an_empty_answer(tmp_path: Path) -> None:
    write_plan(tmp_path, PLAN)
    assert not channel_folder(tmp_path, "c0").exists()
    assert list(answer(str(tmp_path), "s1")) == []


def test_unknown_subscription_is_refused_by_name_before_anything_is_read(tmp_path: Path) -> None:
    write_plan(tmp_path, PLAN)
    with pytest.raises(InputError, match="nobody"):
        answer(str(tmp_path), "nobody")


@pytest.mark.parametrize("content", ["", "[]", "{", '{"channels": []}', '{"extractors": {}}'])
def test_file_that_is_no_plan_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "plan.json").write_text(content)
    with pytest.raises(InputError, match=r"plan\.json"):
        read_plan(str(tmp_path))


def test_folder_that_is_no_result_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path, tmp_path / "none", tmp_path / "file"):
        with pytest.raises(InputError, match=str(folder)):
            read_plan(str(folder))
