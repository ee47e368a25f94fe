"""The growing trees of all streams as arrays: who serves whom, and what each link carries.

A filter is a number, in the order in which filters join; `parent[f]` is the filter of the node that serves it,
`SOURCE` when the stream's source does, `NOWHERE` while it is in no tree. Links are those above filters. What is dropped
is found in `settling`; here is only noted what has to be looked at again for that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt
from numba import njit

from distributary.core.kept_code import drop_outdated, package

__all__ = [
    "EXACT",
    "NOWHERE",
    "SOURCE",
    "Booleans",
    "Floats",
    "Forest",
    "Ints",
    "Words",
    "Work",
    "attach",
    "compiled",
    "delay_between",
    "detach",
    "growth_of",
    "inlined",
    "inner",
    "is_below",
    "link_between",
    "move",
    "node_above",
    "note",
    "share_of",
    "touch",
]

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Words: TypeAlias = npt.NDArray[np.uint64]
Booleans: TypeAlias = npt.NDArray[np.bool_]

SOURCE = -1
NOWHERE = -2
#: Changes of what arrives that are too small to follow.
EXACT = 1e-12

#: numba's own types know not all of its options.
_njit: Any = njit
_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "no_cfunc_wrapper": True}
drop_outdated(package(__file__))

_Function = TypeVar("_Function", bound=Callable[..., Any])


def compiled(function: _Function) -> _Function:
    """Compile a function; what was compiled once is kept on disk."""
    made: Any = _njit(**_OPTIONS)(function)
    return cast("_Function", made)


def inner(function: _Function) -> _Function:
    """Compile a function that only compiled ones call: what Python would need to call it takes long to compile."""
    made: Any = _njit(**_OPTIONS, no_cpython_wrapper=True)(function)
    return cast("_Function", made)


def inlined(function: _Function) -> _Function:
    """Compile a function into each that calls it: a call with a whole forest costs more than most functions here do."""
    made: Any = _njit(**_OPTIONS, inline="always")(function)
    return cast("_Function", made)


class Work(NamedTuple):
    """What has to be looked at again before drops are settled, and what was before, to take a change back."""

    #: Tasks, each at most once: limits, then downloads, then filters. A ring; its first place and its length.
    queue: Ints
    queued: Booleans
    ends: Ints
    #: The filters whose arrival or delay has changed, what had arrived, and their number.
    touched: Ints
    is_touched: Booleans
    kept: Floats
    touched_count: Ints
    #: What limits were, each by the name that it has in `Forest`.
    offered: Floats
    received: Floats
    passed_up: Floats
    passed_down: Floats
    #: For the filters of one tree: what the links up to the source add to sums when another filter joins; `path` is
    #: room for a way through a tree.
    growth: Floats
    squares: Floats
    is_summed: Booleans
    path: Ints
    #: Smaller changes of what arrives are not followed further.
    still: Floats


class Forest(NamedTuple):
    """What does not change of a problem, and the trees so far."""

    #: For each stream: its source and its rate.
    source: Ints
    rate: Floats
    #: For each filter: its stream, its node and what it lets through, as bits of blocks and of fields.
    stream: Ints
    node: Ints
    blocks: Words
    fields: Words
    #: The share of a tuple that each field is.
    field_share: Floats
    #: The share of a stream that each block is.
    block_share: float
    #: For each node or, in the physical model, link; infinite where there is no limit.
    upload: Floats
    download: Floats
    #: The links that are listed: those of a node from `link_start` on, ascending by `link_to`.
    link_start: Ints
    link_to: Ints
    link_delay: Floats
    #: The number of the limit that each loads, in the physical model; else empty.
    link_limit: Ints
    #: The delay of all other links; infinite when these are not connected.
    default_delay: float
    processing_delay: float

    parent: Ints
    #: Filters that a filter's node serves, as lists; after the filters come the sources, by stream.
    first_child: Ints
    next_sibling: Ints
    #: What the link above a filter carries: bits, and bytes per second without drops.
    carried_blocks: Words
    carried_fields: Words
    load: Floats
    depth: Ints
    delay: Floats
    #: The fraction r̄ that arrives.
    kept: Floats
    #: The limit that the link above a filter loads: its server's upload or, in the physical model, the link's capacity.
    limit: Ints
    #: By view and node: the bytes per second that a node forwards without drops, the sum of the delays to the nodes
    #: that it serves, and their number. View 0 is that of all trees; those of one source's trees follow.
    forwarded: Floats
    served_delay: Floats
    served: Ints
    #: The view of each stream's source.
    view_of: Ints
    #: The filters in the trees, each stream's from `start`, `joined` of them, in the order of joining.
    start: Ints
    joined: Ints
    members: Ints
    #: The filters of each node.
    node_start: Ints
    of_node: Ints
    #: The links that load each limit, as lists.
    limit_first: Ints
    limit_next: Ints
    limit_before: Ints
    #: What is pushed into each limit and each download, and the fraction of it that gets through.
    offered: Floats
    received: Floats
    passed_up: Floats
    passed_down: Floats
    work: Work


@compiled
def _bits(word: np.uint64) -> int:
    count = 0
    while word != np.uint64(0):
        word &= word - np.uint64(1)
        count += 1
    return count


@inlined
def share_of(forest: Forest, blocks: Words, fields: Words, row: int) -> float:
    """Return Φ of a row of bits of blocks and of fields, as a share of the stream."""
    count, share = 0, 1.0
    for word in range(blocks.shape[1]):
        count += _bits(blocks[row, word])
    if forest.field_share.shape[0] > 0:
        share = 0.0
        for field in range(forest.field_share.shape[0]):
            if (fields[row, field >> 6] >> np.uint64(field & 63)) & np.uint64(1):
                share += forest.field_share[field]
    return count * forest.block_share * share


@inlined
def growth_of(forest: Forest, link: int, joining: int) -> float:
    """Return by how many bytes per second a link grows when a filter joins below it (the paper's expansion)."""
    outside = np.uint64(0)
    for word in range(forest.blocks.shape[1]):
        outside |= forest.blocks[joining, word] & ~forest.carried_blocks[link, word]
    for word in range(forest.fields.shape[1]):
        outside |= forest.fields[joining, word] & ~forest.carried_fields[link, word]
    if outside == np.uint64(0):
        return 0.0
    count, share = 0, 1.0
    for word in range(forest.blocks.shape[1]):
        count += _bits(forest.blocks[joining, word] | forest.carried_blocks[link, word])
    if forest.field_share.shape[0] > 0:
        share = 0.0
        for field in range(forest.field_share.shape[0]):
            bits = forest.fields[joining, field >> 6] | forest.carried_fields[link, field >> 6]
            if (bits >> np.uint64(field & 63)) & np.uint64(1):
                share += forest.field_share[field]
    return forest.rate[forest.stream[link]] * (count * forest.block_share * share) - forest.load[link]


@inlined
def note(forest: Forest, task: int) -> None:
    """Note that a limit, a download or a filter has to be looked at again."""
    work = forest.work
    if not work.queued[task]:
        work.queued[task] = True
        work.queue[(work.ends[0] + work.ends[1]) % work.queue.shape[0]] = task
        work.ends[1] += 1


@inlined
def touch(forest: Forest, each: int) -> None:
    """Note that what a filter gets changes, before it does."""
    work = forest.work
    if not work.is_touched[each]:
        work.is_touched[each] = True
        work.touched[work.touched_count[0]] = each
        work.kept[work.touched_count[0]] = forest.kept[each]
        work.touched_count[0] += 1


@inlined
def _note_link(forest: Forest, link: int) -> None:
    """Note that what a link carries has changed."""
    note(forest, forest.limit[link])
    note(forest, forest.upload.shape[0] + forest.node[link])


@inlined
def node_above(forest: Forest, link: int) -> int:
    """Return the node that serves a filter."""
    above = forest.parent[link]
    return forest.source[forest.stream[link]] if above == SOURCE else forest.node[above]


@inlined
def _forward(forest: Forest, link: int, change: float) -> None:
    """Note that the node above a link forwards more or less over it."""
    node = node_above(forest, link)
    forest.forwarded[0, node] += change
    forest.forwarded[forest.view_of[forest.stream[link]], node] += change


@inner
def _carry(forest: Forest, link: int) -> None:
    """Reckon anew what the link above a filter carries: its own filter and what its children's links do."""
    for word in range(forest.blocks.shape[1]):
        bits = forest.blocks[link, word]
        child = forest.first_child[link]
        while child >= 0:
            bits |= forest.carried_blocks[child, word]
            child = forest.next_sibling[child]
        forest.carried_blocks[link, word] = bits
    for word in range(forest.fields.shape[1]):
        bits = forest.fields[link, word]
        child = forest.first_child[link]
        while child >= 0:
            bits |= forest.carried_fields[child, word]
            child = forest.next_sibling[child]
        forest.carried_fields[link, word] = bits
    load = forest.rate[forest.stream[link]] * share_of(forest, forest.carried_blocks, forest.carried_fields, link)
    if load != forest.load[link]:
        _forward(forest, link, load - forest.load[link])
        forest.load[link] = load
        _note_link(forest, link)


@inlined
def link_between(forest: Forest, first: int, second: int) -> int:
    """Return the place of a listed link, -1 when there is none."""
    low, high = forest.link_start[first], forest.link_start[first + 1]
    while low < high:
        middle = (low + high) >> 1
        if forest.link_to[middle] < second:
            low = middle + 1
        else:
            high = middle
    return low if low < forest.link_start[first + 1] and forest.link_to[low] == second else -1


@inlined
def delay_between(forest: Forest, first: int, second: int) -> float:
    """Return the delay of a link, infinite when two nodes are not connected."""
    link = link_between(forest, first, second)
    return forest.link_delay[link] if link >= 0 else forest.default_delay


@compiled
def _serve(forest: Forest, link: int, count: int) -> None:
    """Note that the node above a link serves one filter more, or less."""
    stream, node = forest.stream[link], node_above(forest, link)
    delay = delay_between(forest, node, forest.node[link])
    view = forest.view_of[stream]
    forest.served[0, node] += count
    forest.served_delay[0, node] += count * delay
    forest.served[view, node] += count
    forest.served_delay[view, node] += count * delay


@inlined
def _enter(forest: Forest, link: int) -> None:
    """Let a link load the limit of the node above it or, in the physical model, its own."""
    limit = node_above(forest, link)
    if forest.link_limit.shape[0] > 0:
        limit = forest.link_limit[link_between(forest, limit, forest.node[link])]
    forest.limit[link] = limit
    after = forest.limit_first[limit]
    forest.limit_next[link], forest.limit_before[link] = after, -1
    if after >= 0:
        forest.limit_before[after] = link
    forest.limit_first[limit] = link


@inlined
def _leave(forest: Forest, link: int) -> None:
    before, after = forest.limit_before[link], forest.limit_next[link]
    if before >= 0:
        forest.limit_next[before] = after
    else:
        forest.limit_first[forest.limit[link]] = after
    if after >= 0:
        forest.limit_before[after] = before


@inner
def _place(forest: Forest, top: int) -> None:
    """Set depth and delay of a filter and of all below it."""
    stack, height = forest.work.path, 1
    stack[0] = top
    while height > 0:
        height -= 1
        each = stack[height]
        above, stream = forest.parent[each], forest.stream[each]
        node, depth, delay = forest.source[stream], 0, 0.0
        if above != SOURCE:
            node, depth, delay = forest.node[above], forest.depth[above], forest.delay[above]
        touch(forest, each)
        forest.depth[each] = depth + 1
        forest.delay[each] = delay + delay_between(forest, node, forest.node[each]) + forest.processing_delay
        child = forest.first_child[each]
        while child >= 0:
            stack[height] = child
            height += 1
            child = forest.next_sibling[child]


@inner
def _link(forest: Forest, joining: int, above: int) -> None:
    stream = forest.stream[joining]
    slot = above if above != SOURCE else forest.stream.shape[0] + stream
    forest.parent[joining] = above
    forest.next_sibling[joining] = forest.first_child[slot]
    forest.first_child[slot] = joining
    forest.load[joining] = 0.0
    _serve(forest, joining, 1)
    _enter(forest, joining)
    _carry(forest, joining)
    _place(forest, joining)
    _note_link(forest, joining)
    note(forest, forest.upload.shape[0] + forest.download.shape[0] + joining)
    while above != SOURCE:
        _carry(forest, above)
        above = forest.parent[above]


@inner
def _unlink(forest: Forest, leaving: int) -> None:
    stream, above = forest.stream[leaving], forest.parent[leaving]
    slot = above if above != SOURCE else forest.stream.shape[0] + stream
    if forest.first_child[slot] == leaving:
        forest.first_child[slot] = forest.next_sibling[leaving]
    else:
        before = forest.first_child[slot]
        while forest.next_sibling[before] != leaving:
            before = forest.next_sibling[before]
        forest.next_sibling[before] = forest.next_sibling[leaving]
    _serve(forest, leaving, -1)
    _forward(forest, leaving, -forest.load[leaving])
    _leave(forest, leaving)
    _note_link(forest, leaving)
    forest.parent[leaving], forest.load[leaving] = NOWHERE, 0.0
    while above != SOURCE:
        _carry(forest, above)
        above = forest.parent[above]


@compiled
def attach(forest: Forest, joining: int, above: int) -> None:
    """Let the node of filter `above`, or the source, serve a filter that is in no tree; O(depth x children)."""
    assert forest.parent[joining] == NOWHERE
    stream = forest.stream[joining]
    forest.kept[joining] = 1.0
    forest.members[forest.start[stream] + forest.joined[stream]] = joining
    forest.joined[stream] += 1
    _link(forest, joining, above)


@compiled
def detach(forest: Forest, leaving: int) -> None:
    """Take a filter that serves none from its tree; O(depth x children + stream)."""
    assert forest.first_child[leaving] < 0
    _unlink(forest, leaving)
    stream = forest.stream[leaving]
    first = forest.start[stream]
    place = first + forest.joined[stream] - 1
    while forest.members[place] != leaving:
        place -= 1
    for later in range(place, first + forest.joined[stream] - 1):
        forest.members[later] = forest.members[later + 1]
    forest.joined[stream] -= 1


@compiled
def move(forest: Forest, each: int, above: int) -> None:
    """Let another node serve a filter with all below it, which `above` must not be; O(depth x children + subtree)."""
    _unlink(forest, each)
    _link(forest, each, above)


@inlined
def is_below(forest: Forest, each: int, top: int) -> bool:
    """Tell whether a filter, or `SOURCE`, is `top` itself or below it."""
    while each != SOURCE:
        if each == top:
            return True
        each = forest.parent[each]
    return False
