from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from distributary.core.errors import InputError
from distributary.files.prices import read_prices
from distributary.merging.calibration import Measured, costs_of

EXAMPLE = Path(__file__).parents[3] / "examples" / "prices.toml"


def test_example_holds_the_papers_figures() -> None:
    prices, measured = read_prices(str(EXAMPLE))
    assert measured == Measured(1.0, 0.01, 1000.0, 0.1)
    costs = costs_of(prices, measured)
    assert pytest.approx((0.0032505, 0.0000325), rel=1e-3) == (costs.K_M, costs.K_T)
    assert pytest.approx(0.00000463, rel=1e-3) == costs.K_U


def test_json_and_toml_are_read_alike_and_what_was_measured_may_be_left_out(tmp_path: Path) -> None:
    path = tmp_path / "prices.JSON"
    path.write_text("\ufeff" + json.dumps(tomllib.loads(EXAMPLE.read_text())))
    assert read_prices(str(path)) == read_prices(str(EXAMPLE))
    path = tmp_path / "prices.toml"
    path.write_text(EXAMPLE.read_text().partition("\n[measured]")[0])
    assert read_prices(str(path)) == (read_prices(str(EXAMPLE))[0], None)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda made: made.update(printer={}), "Object contains unknown field `printer`"),
        (lambda made: made["server"].update(cost=1), "server: Object contains unknown field `cost`"),
        (lambda made: made["measured"].update(seconds=1), "measured: Object contains unknown field `seconds`"),
        (lambda made: made.pop("client"), "Object missing required field `client`"),
        (lambda made: made["network"].pop("months"), "network: Object missing required field `months`"),
        (lambda made: made["network"].update(months="24"), "network.months: Expected `float`, got `str`"),
        (lambda made: made["network"].update(months=True), "network.months: Expected `float`, got `bool`"),
        (lambda made: made["network"].update(months=-24), "network.months: must not be negative, and is -24"),
        (lambda made: made["network"].update(months=0), "network.months: must be more than zero"),
        (lambda made: made["client"].update(price=float("nan")), "client.price: is not a finite number: nan"),
        (lambda made: made["client"].update(price=float("inf")), "client.price: is not a finite number: inf"),
        (lambda made: made["client"].update(price=10**400), ""),
        (lambda made: made["measured"].update(bytes_per_object=-1), "measured.bytes_per_object: must not be negative"),
        (lambda made: made.update(server=[]), "server: Expected `object`, got `array`"),
    ],
)
def test_mistakes_are_refused_with_file_and_field(tmp_path: Path, change: Callable[[Any], Any], complaint: str) -> None:
    made = tomllib.loads(EXAMPLE.read_text())
    change(made)
    path = tmp_path / "prices.json"
    path.write_text(json.dumps(made))
    with pytest.raises(InputError) as caught:
        read_prices(str(path))
    assert str(caught.value).startswith(f"{path}: {complaint}")


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("prices.toml", "[server\n", "is not TOML: "),
        ("prices.toml", "x = " + "[" * 5000, "is not TOML that can be read: "),
        ("prices.toml", "x = " + "9" * 5000, "is not TOML that can be read: "),
        ("prices.toml", "", "Object missing required field `server`"),
        ("prices.json", "{", "is not JSON: "),
        ("prices.json", "[]", "Expected `object`, got `array`"),
        ("prices.yaml", "", "ends in neither .toml nor .json"),
        ("-", "", "ends in neither .toml nor .json"),
        ("none.toml", None, "does not exist"),
    ],
)
def test_files_that_cannot_be_read_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str | None, complaint: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if text is not None:
        Path(name).write_text(text)
    with pytest.raises(InputError) as caught:
        read_prices(name)
    assert str(caught.value).startswith(f"{name}: {complaint}")


def test_text_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_bytes(b"# \xff")
    with pytest.raises(InputError, match=r"prices\.toml: is not UTF-8"):
        read_prices(str(path))
