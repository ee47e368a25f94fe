"""`DataSummary`, the statistics of a stream of XML documents: label paths with counts and values, and a sample.

Sizes are numbers of documents. While the sample holds every document they are exact; after that a filter's share of
the sample is taken for its share of the stream, and a tree pattern that no sampled document matches is rated by the
label paths (`summary_estimate`, with its assumptions) but never above what the sample would have shown. It is bounded
in paths, values and sampled documents, and holds no records: predicates have statistics of their own.
"""

from __future__ import annotations

from hashlib import blake2b

import msgspec

from distributary.algebra.filter import Filter
from distributary.algebra.summary_estimate import PathNode, match_probability
from distributary.algebra.treepattern import TreePattern, conjunction
from distributary.algebra.treepattern_nodes import Kind
from distributary.core.documents import Document

__all__ = ["DataSummary", "SampledDocument", "SummaryData"]

#: Longer string values of elements are not copied out of their documents.
_VALUE_MAX = 64


class SampledDocument(msgspec.Struct, frozen=True):
    """A document of the sample: its priority, how often it came, and itself."""

    priority: int
    count: int
    document: Document


class SummaryData(msgspec.Struct, frozen=True):
    """A summary as plain data, for files and the wire."""

    paths: tuple[PathNode, ...]
    sample: tuple[SampledDocument, ...]
    #: Elements, attributes and text nodes left out because there were too many label paths.
    dropped: int = 0


def _priority(document: Document) -> int:
    """Return a number that depends on the content alone: samples need no chance and merge in any order."""
    return int.from_bytes(blake2b(msgspec.msgpack.encode(document), digest_size=7).digest(), "big")


class DataSummary:
    """Statistics of documents, built with `add` and `merge`; implements `Statistics`.

    >>> from distributary.algebra.treepattern import parse_xpath
    >>> from distributary.algebra.xml import parse_xml
    >>> summary = DataSummary()
    >>> for text in (b"<a><b/></a>", b"<a><c/></a>", b"<a/>"):
    ...     summary.add(parse_xml(text))
    >>> summary.size(parse_xpath("//b"))
    1.0
    """

    def __init__(self, *, paths_max: int = 4096, sample_max: int = 64) -> None:
        self._paths_max = paths_max
        self._sample_max = sample_max
        #: Label paths, parents before children; node 0 is the document node.
        self._paths: list[PathNode] = [PathNode(-1, Kind.DOCUMENT, "")]
        #: Where each label path stands, by its parent, kind and last label.
        self._places: dict[tuple[int, Kind, str], int] = {}
        self._sample: dict[int, SampledDocument] = {}
        self._dropped = 0

    @property
    def documents(self) -> int:
        """How many documents were added."""
        return self._paths[0].instances

    @property
    def dropped(self) -> int:
        """How many nodes of documents were left out because there were too many label paths."""
        return self._dropped

    def add(self, document: Document) -> None:
        """Take a document; linear in its size."""
        self._paths[0].instances += 1
        self._paths[0].values.add(_short(document, 0))
        self._take(SampledDocument(_priority(document), 1, document))
        #: The label path of each element (-1: left out), and the last parent below which each path was met.
        where: list[int] = []
        last: dict[int, int] = {}
        for element, name in enumerate(document.names):
            parent = document.parents[element]
            place = self._meet(where[parent] if parent >= 0 else 0, Kind.ELEMENT, name, parent, last)
            where.append(place)
            if place < 0:
                continue
            self._paths[place].values.add(_short(document, element))
            for label, value in document.attributes[element]:
                self._add_value(self._meet(place, Kind.ATTRIBUTE, label, element, last), value)
            for start, end in document.text_nodes[element]:
                text = document.text[start:end] if end - start <= _VALUE_MAX else None
                self._add_value(self._meet(place, Kind.TEXT, "", element, last), text)

    def _add_value(self, place: int, value: str | None) -> None:
        if place >= 0:
            self._paths[place].values.add(value)

    def _meet(self, above: int, kind: Kind, name: str, parent: int, last: dict[int, int]) -> int:
        """Count one node and return its label path; -1 when it is left out."""
        place = self._place(above, kind, name)
        if place < 0:
            self._dropped += 1
            return place
        path = self._paths[place]
        path.instances += 1
        # Nodes of one path and one parent follow each other without a node of the same path and another parent.
        if last.get(place) != parent:
            last[place] = parent
            path.parents += 1
        return place

    def _place(self, above: int, kind: Kind, name: str) -> int:
        if above < 0:
            return -1
        place = self._places.get((above, kind, name))
        if place is None:
            if len(self._paths) >= self._paths_max:
                return -1
            place = self._places[above, kind, name] = len(self._paths)
            self._paths.append(PathNode(above, kind, name))
        return place

    def _take(self, sampled: SampledDocument) -> None:
        """Keep the documents of the lowest priorities, with how often each came."""
        known = self._sample.get(sampled.priority)
        count = sampled.count + (known.count if known else 0)
        self._sample[sampled.priority] = SampledDocument(sampled.priority, count, sampled.document)
        if len(self._sample) > self._sample_max:
            del self._sample[max(self._sample)]

    def merge(self, other: DataSummary) -> DataSummary:
        """Return the summary of the documents of both, within the limits of this one."""
        merged = DataSummary(paths_max=self._paths_max, sample_max=self._sample_max)
        for summary in (self, other):
            places: list[int] = [0]
            for index, path in enumerate(summary._paths):
                if index:
                    places.append(merged._place(places[path.parent], path.kind, path.name))
                place = places[index]
                if place < 0:
                    merged._dropped += path.instances
                    continue
                target = merged._paths[place]
                target.instances += path.instances
                target.parents += path.parents
                target.values.merge(path.values)
            for sampled in summary._sample.values():
                merged._take(sampled)
            merged._dropped += summary._dropped
        return merged

    def size(self, filter: Filter) -> float:  # noqa: A002 - the paper's noun
        """Return the expected number of documents that a filter matches."""
        pattern = filter if isinstance(filter, TreePattern) else None
        return self._expected(self._hits(filter), pattern)

    def overlap(self, first: Filter, second: Filter) -> float:
        """Return the expected number of documents that both filters match."""
        pattern = None
        if isinstance(first, TreePattern) and isinstance(second, TreePattern):
            pattern = conjunction(first, second)
        return min(self._expected(self._hits(first, second), pattern), self.size(first), self.size(second))

    def _hits(self, *filters: Filter) -> int:
        """Return how many documents of the sample match all filters."""
        return sum(
            sampled.count
            for sampled in self._sample.values()
            if all(each.matches(sampled.document) for each in filters)
        )

    def _expected(self, hits: int, pattern: TreePattern | None) -> float:
        sampled = sum(each.count for each in self._sample.values())
        if hits or sampled == self.documents or pattern is None:
            return hits * self.documents / max(1, sampled)
        probability = match_probability(pattern.nodes, self._paths)
        return self.documents * min(probability, 1.0 / (sampled + 1))

    def data(self) -> SummaryData:
        """Return the summary as plain data."""
        sample = tuple(self._sample[priority] for priority in sorted(self._sample))
        return msgspec.convert(msgspec.to_builtins(SummaryData(tuple(self._paths), sample, self._dropped)), SummaryData)

    @staticmethod
    def of(data: SummaryData, *, paths_max: int = 4096, sample_max: int = 64) -> DataSummary:
        """Return the summary that `data` describes, within the limits given.

        >>> DataSummary.of(DataSummary().data()).documents
        0
        """
        held = DataSummary(paths_max=len(data.paths))
        held._paths = list(data.paths)
        held._sample = {each.priority: each for each in data.sample}
        held._dropped = data.dropped
        return DataSummary(paths_max=paths_max, sample_max=sample_max).merge(held)


def _short(document: Document, element: int) -> str | None:
    """Return an element's string value unless it is long."""
    start, end = document.text_starts[element], document.text_ends[element]
    return document.text[start:end] if end - start <= _VALUE_MAX else None
