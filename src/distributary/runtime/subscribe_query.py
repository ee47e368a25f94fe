"""The query of a subscribe request: the JSON object or the short forms. What a filter means is the node's to judge."""

from __future__ import annotations

import re

import msgspec
from starlette.datastructures import QueryParams
from starlette.requests import HTTPConnection

from distributary.core.errors import InputError
from distributary.core.ids import Sequence, StreamName
from distributary.core.subscriptions import Subscription, subscription_of

__all__ = ["parse_subscription"]

_ONCE = frozenset({"subscription", "where", "xpath", "format", "after"})
_SHORT = ("where", "xpath", "ns", "format")
_SEQUENCE = re.compile(r"[0-9]{1,19}")
_PREFIX = re.compile(r"[^\s:=/]+")


def parse_subscription(request: HTTPConnection, stream: StreamName) -> tuple[Subscription, Sequence | None]:
    """Return the subscription and after which seq it starts; `InputError` names the parameter that is wrong."""
    query = request.query_params
    for name in query:
        if name not in _ONCE and name != "ns":
            raise InputError("is no parameter of subscribe", field=name[:100])
        if name in _ONCE and len(query.getlist(name)) > 1:
            raise InputError("is given twice", field=name)
    subscription = _long_form(query, stream) if "subscription" in query else _short_form(query)
    after = _sequence(query["after"], "after") if "after" in query else None
    last = request.headers.get("last-event-id")
    # A browser that reconnects repeats its first query; what it has seen since is newer.
    return subscription, _sequence(last, "Last-Event-ID") if last else after


def _long_form(query: QueryParams, stream: StreamName) -> Subscription:
    for name in _SHORT:
        if name in query:
            raise InputError("stands in the subscription when one is given", field=name)
    try:
        row = msgspec.json.decode(query["subscription"])
    except msgspec.DecodeError as error:
        raise InputError(f"is no JSON: {error}", field="subscription") from None
    except RecursionError:
        raise InputError("nests too deep", field="subscription") from None
    subscription = subscription_of(row)
    if subscription.stream not in {None, stream}:
        raise InputError(f"is {subscription.stream!r}, the path says {stream!r}", field="stream")
    return subscription


def _short_form(query: QueryParams) -> Subscription:
    row: dict[str, object] = {"id": "query"}
    for name in ("where", "xpath", "format"):
        if name in query:
            if not query[name].strip():
                raise InputError("is empty", field=name)
            row[name] = query[name]
    namespaces: dict[str, str] = {}
    for text in query.getlist("ns"):
        prefix, equals, uri = text.partition("=")
        if not equals or not uri or not _PREFIX.fullmatch(prefix) or prefix in namespaces:
            raise InputError(f"{text[:100]!r} is not prefix=URI, each prefix once", field="ns")
        namespaces[prefix] = uri
    if namespaces and "xpath" not in query:
        raise InputError("belongs to an xpath", field="ns")
    return subscription_of(row | ({"namespaces": namespaces} if namespaces else {}))


def _sequence(text: str, field: str) -> Sequence:
    if not _SEQUENCE.fullmatch(text) or int(text) >= 1 << 63:
        raise InputError(f"{text[:40]!r} is no sequence number", field=field)
    return int(text)
