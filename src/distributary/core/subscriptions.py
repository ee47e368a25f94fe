"""What a subscriber writes: one JSON object, checked for shape only. What its filter means is the algebra's."""

from __future__ import annotations

from typing import Any

import msgspec

from distributary.core.errors import InputError
from distributary.core.ids import check_stream

__all__ = ["FilterText", "Quality", "Subscription", "subscription_of"]


class FilterText(msgspec.Struct, frozen=True, array_like=True, order=True):
    """A filter as it travels and is stored: its kind (`all`, `box`, `where`, `xpath`, `blocks`, `any`) and its text.

    Equal texts mean equal filters, so that nodes can count the subscribers of a filter without comparing meanings.
    """

    kind: str
    text: str = ""
    namespaces: tuple[tuple[str, str], ...] = ()


class Quality(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a subscriber tolerates: the greatest fraction dropped and the greatest delay in seconds."""

    drop: float = 0.0
    delay: float | None = None


class Subscription(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One subscription; exactly one of `where`, `xpath` and `box` says what is wanted, none of them: everything."""

    id: str
    client: str | None = None
    stream: str | None = None
    where: str | None = None
    xpath: str | None = None
    box: dict[str, tuple[float, float]] | None = None
    namespaces: dict[str, str] = msgspec.field(default_factory=dict)
    fields: tuple[str, ...] | None = None
    format: str | None = None
    quality: Quality | None = None
    every: float | None = None


def subscription_of(row: Any) -> Subscription:
    """Return the subscription that a decoded JSON object describes.

    Raises `InputError` with the field that is wrong; the filter's text is not parsed here.

    >>> subscription_of({"id": "s1", "box": {"lat": [30, 42]}}).box
    {'lat': (30.0, 42.0)}
    """
    if not isinstance(row, dict):
        raise InputError("is not a JSON object")
    try:
        subscription = msgspec.convert(row, Subscription)
    except msgspec.ValidationError as error:
        reason, _, path = str(error).partition(" - at `$")
        raise InputError(reason, field=path.strip("`.").replace("[...]", "") or None) from None
    if not subscription.id:
        raise InputError("is empty", field="id")
    if sum(part is not None for part in (subscription.where, subscription.xpath, subscription.box)) > 1:
        raise InputError("only one of where, xpath and box may be given", field="where")
    if subscription.stream is not None:
        check_stream(subscription.stream)
    if subscription.every is not None and not 0 < subscription.every < float("inf"):
        raise InputError("must be a positive number of seconds", field="every")
    if subscription.quality is not None and not 0 <= subscription.quality.drop <= 1:
        raise InputError("drop must lie between 0 and 1", field="quality")
    delay = subscription.quality.delay if subscription.quality is not None else None
    if delay is not None and not delay >= 0:
        raise InputError("delay must be a number of seconds, zero or more", field="quality")
    if subscription.fields is not None and not subscription.fields:
        raise InputError("names no field", field="fields")
    return subscription
