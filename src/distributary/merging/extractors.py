"""Extractors and answer headers of paper 000, section 3.1: how each client gets its own answer from a merged one.

Subscriptions only select and project, so that a query's extractor is the query itself with its fields; it is sent all
the same, since a client cannot know into which channel its query went. How headers travel is `core.headers`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from distributary.core.results import MergePlan
from distributary.core.subscriptions import FilterText
from distributary.core.values import Content, Record
from distributary.merging.problem import Member

__all__ = ["AnswerHeader", "Extractor", "answer_headers", "extract", "extractor_of"]


@dataclass(frozen=True, slots=True)
class Extractor:
    """What turns the answer to a merged query into the answer to one query: its own filter, then its own fields."""

    filter: FilterText
    fields: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class AnswerHeader:
    """The header of a channel's answers: its clients, and for each the pairs (extractor, query id)."""

    channel: str
    clients: tuple[tuple[str, tuple[tuple[Extractor, str], ...]], ...]


def extractor_of(member: Member) -> Extractor:
    """Return the extractor of a member's query."""
    return Extractor(member.filter.text(), member.fields)


def extract(member: Member, item: Content) -> Content | None:
    """Return what a member keeps of an item, or `None` when the item is irrelevant to it.

    Fields that a record lacks are left out; items that are no records are kept whole.
    """
    if not member.filter.matches(item):
        return None
    if member.fields is None or not isinstance(item, Mapping):
        return item
    record: Record = {name: item[name] for name in member.fields if name in item}
    return record


def answer_headers(plan: MergePlan, members: Sequence[Member]) -> tuple[AnswerHeader, ...]:
    """Return the header of each channel, clients and queries in the order of `members`.

    A member without a client is a client of its own, named by its id.
    """
    by_id = {member.id: member for member in members}
    headers = []
    for channel in plan.channels:
        clients: dict[str, list[tuple[Extractor, str]]] = {}
        for identity in channel.members:
            member = by_id[identity]
            clients.setdefault(member.client or member.id, []).append((extractor_of(member), member.id))
        listed = tuple((client, tuple(pairs)) for client, pairs in clients.items())
        headers.append(AnswerHeader(channel.id, listed))
    return tuple(headers)
