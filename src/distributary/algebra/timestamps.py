"""ISO timestamps as text and as microseconds since 1970: one reading for predicates, records and files.

Strict on purpose: a date, or a date and a time with an optional zone. Spark reads more (`2018`, `2018-2-1`, `now`),
Python's own reader takes other shapes again and differs between versions; what both read alike is what is taken here.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

__all__ = ["instant_of", "instant_text", "microseconds_of", "timestamp_of"]

_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)"
    r"(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?\s?(?:(Z)|([+-])(\d\d):?(\d\d))?)?",
    re.ASCII,
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def timestamp_of(text: str) -> datetime | None:
    """Return the time that an ISO timestamp names, in UTC where it names no zone, or `None` when it is none.

    Digits beyond the microsecond are dropped, as Spark drops them.

    >>> timestamp_of("2018-02-01 10:30:00.5+01:00").isoformat()
    '2018-02-01T09:30:00.500000+00:00'
    """
    if not 10 <= len(text) <= 40:
        return None
    found = _ISO.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    fraction, _, sign, zone_hours, zone_minutes = found.groups()[6:]
    away = timedelta(hours=int(zone_hours or 0), minutes=int(zone_minutes or 0))
    if away > timedelta(hours=18) or int(zone_minutes or 0) > 59:
        return None
    try:
        moment = datetime(year, month, day, hour, minute, second, int((fraction or "0")[:6].ljust(6, "0")), UTC)
        return moment + away if sign == "-" else moment - away
    except (ValueError, OverflowError):
        return None


def instant_of(text: str) -> int | None:
    """Return an ISO timestamp in microseconds since 1970, or `None` when the text is none."""
    moment = timestamp_of(text)
    return None if moment is None else microseconds_of(moment)


def microseconds_of(moment: datetime) -> int:
    """Return a time in microseconds since 1970; one without a zone is taken as UTC."""
    return ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _EPOCH) // _MICROSECOND


def instant_text(instant: int) -> str:
    """Return the ISO timestamp of an instant, with its zone; `instant_of` reads it back.

    >>> instant_text(0), instant_text(1_500_000)
    ('1970-01-01T00:00:00Z', '1970-01-01T00:00:01.500000Z')
    """
    return (_EPOCH + instant * _MICROSECOND).isoformat().replace("+00:00", "Z")
