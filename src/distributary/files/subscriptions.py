"""Files of subscriptions, each with its filter; every mistake is refused with file, line and field.

JSON lines are the usual form; `.json` holds an array of the same objects. In `.csv` and `.parquet` the columns are the
fields' names, an empty cell or null leaves a field out, and the cells of `box`, `fields`, `quality` and `namespaces`
hold JSON (in Parquet they may be nested values as well).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from distributary.algebra.filter import Filter
from distributary.algebra.parse import filter_of_subscription
from distributary.core.errors import InputError
from distributary.core.subscriptions import Subscription, subscription_of
from distributary.core.values import Schema
from distributary.files.json_text import decode_json, refuse_infinite
from distributary.files.records import ending_of, raw_rows
from distributary.files.text import name_of

__all__ = ["read_subscriptions"]

_NESTED = ("box", "fields", "quality", "namespaces")


def read_subscriptions(path: str, schema: Schema | None = None) -> list[tuple[Subscription, Filter]]:
    """Return the subscriptions of a file, in its order, each with its filter.

    Args:
        path: A file's name, or `-` for standard input (JSON lines).
        schema: The columns of the records that they are meant for; a column that it lacks is refused.

    Raises `InputError` with the place of the first mistake; a file without subscriptions is one, and so are two
    subscriptions of one id.
    """
    found: list[tuple[Subscription, Filter]] = []
    seen: dict[str, int | str] = {}
    for place, row in _rows(path):
        try:
            subscription = _subscription(row)
            if subscription.id in seen:
                first = seen[subscription.id]
                place_before = f"line {first}" if isinstance(first, int) else first
                raise InputError(f"{subscription.id!r} is given twice, first at {place_before}", field="id")
            found.append((subscription, _filter(subscription, schema)))
        except InputError as error:
            raise _placed(error, path, place) from None
        seen[subscription.id] = place
    if not found:
        raise InputError("is empty: it holds no subscription", file=name_of(path))
    return found


def _placed(error: InputError, path: str, place: int | str) -> InputError:
    """Return the error with its line, before the id of the subscription where that is known."""
    line = f"line {place}" if isinstance(place, int) else place
    record = line if error.record is None else f"{line}: {error.record}"
    return InputError(error.reason, file=name_of(path), record=record, field=error.field)


def _rows(path: str) -> Iterable[tuple[int | str, dict[str, Any] | InputError]]:
    rows = raw_rows(path)()
    return _unfolded(rows) if ending_of(path) in {".csv", ".parquet"} else rows


def _unfolded(
    rows: Iterable[tuple[int | str, dict[str, Any] | InputError]],
) -> Iterator[tuple[int | str, dict[str, Any] | InputError]]:
    """Yield rows of a table as the objects that they stand for."""
    for place, row in rows:
        try:
            yield place, row if isinstance(row, InputError) else _object_of(row)
        except InputError as error:
            yield place, error


def _object_of(row: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, cell in row.items():
        if cell is None:
            continue
        if (name in _NESTED or name == "every") and isinstance(cell, str):
            try:
                made[name] = decode_json(cell)
            except InputError as error:
                raise error.at(field=name) from None
        elif isinstance(cell, dict):
            # A Parquet struct has every key in every row.
            made[name] = {key: part for key, part in cell.items() if part is not None}
        else:
            made[name] = cell
    return made


def _subscription(row: dict[str, Any] | InputError) -> Subscription:
    if isinstance(row, InputError):
        raise row
    refuse_infinite(row)
    return subscription_of(row)


def _filter(subscription: Subscription, schema: Schema | None) -> Filter:
    filter_ = filter_of_subscription(subscription, schema)
    for name in subscription.fields or ():
        if schema is not None and name not in schema:
            raise InputError(f"there is no column {name!r}; there are {', '.join(schema)}", field="fields")
    return filter_
