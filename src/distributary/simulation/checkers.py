"""What must hold, looked at from outside: exact, complete and once for subscribers; one tree, within the limits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from distributary.algebra import content_of, filter_of_subscription
from distributary.broker.stream import Stream
from distributary.core.subscriptions import FilterText
from distributary.simulation.clients import Publication, SimulatedSubscriber
from distributary.simulation.world import SimulatedNode, World

__all__ = ["check_answers", "check_fan_out", "check_structure"]


def check_answers(
    publications: Iterable[Publication], subscribers: Iterable[SimulatedSubscriber], trimmed: Mapping[str, int]
) -> int:
    """Check that every subscriber has exactly what it is owed, with the right bodies; return how many items that is.

    A gap excuses what lies in it, so it is right only up to where the source has `trimmed` the stream (0: nowhere).
    """
    items: dict[str, dict[int, tuple[str, bytes]]] = {}
    for publication in publications:
        accepted = publication.accepted
        assert accepted is not None, f"{publication.key} was never accepted"
        assert accepted.last - accepted.first + 1 == len(publication.items)
        for offset, item in enumerate(publication.items):
            place = items.setdefault(publication.stream, {})
            assert accepted.first + offset not in place, f"seq {accepted.first + offset} given twice"
            place[accepted.first + offset] = (item.content_type, item.body)
    owed_in_all = 0
    for subscriber in subscribers:
        assert subscriber.start is not None, f"{subscriber.name} was never accepted"
        for gap in subscriber.gaps:
            assert gap.last <= trimmed.get(subscriber.stream, 0), f"{subscriber.name}: {gap}, but the source has it"
        wanted = filter_of_subscription(subscriber.subscription)
        owed = [
            seq
            for seq, (content_type, body) in sorted(items.get(subscriber.stream, {}).items())
            if seq > subscriber.start
            and not any(gap.first <= seq <= gap.last for gap in subscriber.gaps)
            and wanted.matches(content_of(content_type, body))
        ]
        seen = [item.seq for item in subscriber.seen]
        missing, wrong = sorted(set(owed) - set(seen)), sorted(set(seen) - set(owed))
        assert seen == owed, f"{subscriber.name}: missing {missing[:9]}, wrong {wrong[:9]}, start {subscriber.start}"
        for got in subscriber.seen:
            assert (got.content_type, got.body) == items[got.stream][got.seq], f"{got.seq} has another body"
        owed_in_all += len(owed)
    return owed_in_all


def check_fan_out(node: SimulatedNode) -> None:
    """Check that a node has no more children than it may."""
    if node.machine is not None:
        children = sum(len(tree.membership.children) for tree in node.machine.trees)
        assert children <= node.config.fanout, f"{node.config.url} has {children} children"


def check_structure(world: World) -> None:
    """Check that the nodes form one tree, and that each knows what covers the wants of each child, no more."""
    trees = {url: node.machine.trees[0] for url, node in world.nodes.items() if node.machine is not None}
    by_id = {tree.node: tree for tree in trees.values()}
    for url, tree in trees.items():
        path = [peer.node for peer in tree.membership.path]
        assert tree.membership.rooted, f"{url} has no way to the source"
        assert len(set(path)) == len(path), f"{url} is below itself: {path}"
        assert by_id[path[0]].is_source
        if len(path) > 1:
            parent = by_id[path[-2]]
            links = [link for link, child in parent.children.items() if child.peer.node == tree.node]
            assert len(links) == 1, f"{url} is a child of its parent over {links}"
            known = set(parent.children[links[0]].filters.values())
            told = {(stream.name, text) for stream in tree.streams.values() for text in _told(stream)}
            assert known == told, f"{url}: its parent knows {known ^ told} otherwise"


def _told(stream: Stream) -> list[FilterText]:
    """Return what a node tells of a stream, having checked that it covers all that is wanted, and none another one."""
    told = {text: wanted.filter for text, wanted in stream.wanted.items() if wanted.number is not None}
    for text, wanted in stream.wanted.items():
        covering = [other for other, each in told.items() if each.covers(wanted.filter)]
        assert covering, f"nothing stands for {text}"
        assert text not in told or covering == [text], f"{text} is told beside {covering}"
    return list(told)
