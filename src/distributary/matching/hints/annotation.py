"""What a router tells the next one about a document: the four annotations of paper 002, section 3, in one header.

The two ends of a link agree on a table of numbered filters and data patterns (`table`); a header names its version and
speaks in numbers. It never says what to do: a router without hints, or with hints of a version that it does not know,
finds the same answers.

- Positive subscription (PS): the numbers of the aggregated subscriptions that matched, some with a *binding*: the
  labels on the way to where they were found.
- Negative subscription (NS): those of the numbers below `domain` that did not. Where both are known one set says it
  all, and costs what the rarer of the two costs.
- Negative data (ND): the data patterns that do not occur.
- Positive data (PD): elements that occur, and the byte after which none does.

`decode` is strict: bytes that `encode` did not write are an `InputError`. Not here: what follows from a header
(`start`), and which annotations are worth their bytes (`choice`).
"""

from __future__ import annotations

import msgspec

from distributary.core.errors import InputError

__all__ = ["PATH_MAX", "Binding", "Hints", "LastEnd", "decode", "encode"]

#: Labels of a path: as deep as documents are read by default.
PATH_MAX = 256


class Binding(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """An aggregated subscription that matched, and the label path of an element at which its last step was found."""

    number: int
    #: Places in the table's names, from the root element down.
    path: tuple[int, ...]


class LastEnd(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A data pattern `//name` that occurs, and the byte that follows the last element of that name."""

    pattern: int
    position: int
    #: The label path of the elements that are open there, as places in the table's names.
    path: tuple[int, ...]


class Hints(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The annotations of one document for one link."""

    #: The version of the table that the numbers are from: 64 bits.
    version: int
    #: Whether the subscriptions in `matched` are known to match (PS).
    positive: bool = False
    #: Whether those below `domain` that are not in `matched` are known not to match (NS).
    negative: bool = False
    #: How many of the table's filters are spoken of: the first.
    domain: int = 0
    #: The matching filters of the domain, as `numbers.pack` has them.
    matched: bytes = b""
    #: Of how many of the table's data patterns it is known whether they occur: the first.
    looked_for: int = 0
    #: Those that do not, as `numbers.pack` has them.
    absent: bytes = b""
    bindings: tuple[Binding, ...] = ()
    ends: tuple[LastEnd, ...] = ()


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Hints)


def encode(hints: Hints) -> bytes:
    """Return the header's bytes."""
    return _ENCODER.encode(hints)


def decode(header: bytes) -> Hints:
    """Return what `encode` wrote; `InputError` for anything else. Whether the numbers exist is the table's to say.

    >>> decode(encode(Hints(7, negative=True, domain=3))) == Hints(7, negative=True, domain=3)
    True
    """
    try:
        hints = _DECODER.decode(header)
    except (ValueError, msgspec.DecodeError, RecursionError) as error:
        raise InputError(f"are not hints: {error}", field="hints") from None
    if hints.version < 0 or hints.domain < 0 or hints.looked_for < 0:
        raise InputError("are not hints: a number is negative", field="hints")
    if hints.bindings or hints.ends:
        _check_paths(hints)
    return hints


def _check_paths(hints: Hints) -> None:
    paths = [each.path for each in hints.bindings] + [each.path for each in hints.ends]
    if any(len(path) > PATH_MAX or min(path, default=0) < 0 for path in paths):
        raise InputError("are not hints: a path is too long, or no path", field="hints")
    if any(min(each.pattern, each.position) < 0 for each in hints.ends):
        raise InputError("are not hints: a number is negative", field="hints")
    if any(each.number < 0 or not each.path for each in hints.bindings):
        raise InputError("are not hints: a binding binds nothing", field="hints")
