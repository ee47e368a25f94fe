"""Files of prices, TOML or JSON, for calibration: what things cost and, where it is known, what queries take.

Every key is needed and none is guessed; what does not fit is refused with file and field. `examples/prices.toml` shows
all of them.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import msgspec

from distributary.core.errors import InputError
from distributary.files.json_text import decode_json
from distributary.files.text import decoded, read_bytes
from distributary.merging.calibration import (
    ClientPrices,
    Measured,
    NetworkPrices,
    Prices,
    ServerPrices,
    check_calibration,
)

__all__ = ["read_prices"]


class _PriceFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file's sections."""

    server: ServerPrices
    network: NetworkPrices
    client: ClientPrices
    #: A file may leave it out: then it is to be measured.
    measured: Measured | None = None


def read_prices(path: str) -> tuple[Prices, Measured | None]:
    """Return what a .toml or .json file gives, checked; `InputError` with the place of the first mistake."""
    ending = Path(path).suffix.lower()
    try:
        if ending not in {".toml", ".json"}:
            raise InputError("ends in neither .toml nor .json")
        text = decoded(read_bytes(path)).removeprefix("\ufeff")
        found = _converted(_toml(text) if ending == ".toml" else decode_json(text))
        prices = Prices(found.server, found.network, found.client)
        check_calibration(prices, found.measured)
    except InputError as error:
        raise error.at(file=path) from None
    return prices, found.measured


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"is not TOML: {error}") from None
    except (RecursionError, ValueError) as error:  # an integer of more digits than Python reads
        raise InputError(f"is not TOML that can be read: {error}") from None


def _converted(value: object) -> _PriceFile:
    try:
        return msgspec.convert(value, _PriceFile)
    except msgspec.ValidationError as error:
        reason, _, place = str(error).partition(" - at `$")
        raise InputError(reason, field=place.strip("`.") or None) from None
    except OverflowError:  # an integer beyond all doubles
        raise InputError("holds a number that is too large") from None
