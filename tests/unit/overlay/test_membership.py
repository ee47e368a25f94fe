"""The membership protocol, one machine at a time: who is asked, who is taken, and what a lost neighbour sets off."""

from __future__ import annotations

from typing import TypeVar

import pytest

from distributary.core.effects import Connect, Disconnect, Effect, SendMessage, SetTimer
from distributary.core.generator import Generator
from distributary.core.messages import Goodbye, Join, KeepAlive, Peer, Redirect, Welcome
from distributary.overlay import ChildGained, ChildLost, Membership, MembershipSettings, ParentGained, ParentLost, State
from distributary.overlay.states import TRANSITIONS, Event

_T = TypeVar("_T")
ROOT, TOP, MID = Peer("r", "http://r"), Peer("t", "http://t"), Peer("m", "http://m")


class Machine:
    """A membership with the effects that it has asked for."""

    def __init__(self, name: str, seeds: tuple[str, ...] = (), fanout: int = 2) -> None:
        self.effects: list[Effect] = []
        self.member = Membership(
            Peer(name, f"http://{name}"),
            "0",
            MembershipSettings(seeds, 1.0, 3, 2.0),
            Generator(1),
            lambda: len(self.member.children) < fanout,
            self.effects.append,
        )
        self.member.start(0.0)

    def take(self, kind: type[_T]) -> list[_T]:
        """Return the effects of a kind since the last call, and forget all."""
        found: list[_T] = [effect for effect in self.effects if isinstance(effect, kind)]
        self.effects.clear()
        return found

    def joined(self, *path: Peer) -> Machine:
        """Go through a join below `path`."""
        link = self.take(Connect)[-1].link
        self.member.opened(link)
        assert self.member.welcomed(link, Welcome(path[0].node, path), 0.0) == [ParentGained(link, path[0].node, False)]
        self.effects.clear()
        return self


def test_start_without_seeds_makes_a_source() -> None:
    member = Machine("r").member
    assert (member.state, member.tree, member.rooted) == (State.SOURCE, "r", True)


def test_start_with_seeds_asks_the_first() -> None:
    machine = Machine("a", ("http://r", "http://s"))
    (connect,) = machine.take(Connect)
    assert connect.url == "http://r"
    machine.member.opened(connect.link)
    assert machine.take(SendMessage) == [SendMessage(connect.link, Join(machine.member.me, None))]


def test_join_with_room_is_welcomed_with_the_path() -> None:
    machine = Machine("r")
    changes = machine.member.joined_by("in-1", Join(MID), 1.0)
    assert changes == [ChildGained("in-1", MID)]
    assert machine.take(SendMessage) == [SendMessage("in-1", Welcome("r", (machine.member.me,)))]


def test_join_when_full_names_the_children_lightest_first() -> None:
    machine = Machine("r")
    machine.member.joined_by("in-1", Join(MID), 1.0)
    machine.member.joined_by("in-2", Join(TOP), 1.0)
    machine.member.kept_alive("in-1", KeepAlive(nodes=5), 1.0)
    machine.effects.clear()
    assert machine.member.joined_by("in-3", Join(Peer("x", "http://x")), 1.0) == []
    assert machine.effects == [SendMessage("in-3", Redirect((TOP, MID))), Disconnect("in-3")]


def test_join_of_a_known_child_over_another_link_replaces_the_old_one() -> None:
    machine = Machine("r")
    machine.member.joined_by("in-1", Join(MID), 1.0)
    changes = machine.member.joined_by("in-2", Join(MID), 2.0)
    assert changes == [ChildLost("in-1"), ChildGained("in-2", MID)]


def test_join_of_an_ancestor_is_turned_away() -> None:
    machine = Machine("a", ("http://r",)).joined(ROOT, TOP)
    assert machine.member.joined_by("in-1", Join(TOP), 1.0) == []
    assert machine.take(SendMessage) == [SendMessage("in-1", Redirect(()))]


def test_join_at_a_node_without_way_to_the_source_is_turned_away() -> None:
    machine = Machine("a", ("http://r",))
    assert machine.member.joined_by("in-1", Join(MID), 1.0) == []
    assert Redirect(()) in [sent.message for sent in machine.take(SendMessage)]


def test_redirect_asks_the_named_before_the_other_seeds() -> None:
    machine = Machine("a", ("http://r", "http://s"))
    link = machine.take(Connect)[0].link
    machine.member.redirected(link, Redirect((TOP, MID)), 0.1)
    assert machine.take(Connect)[0].url == TOP.url


def test_welcome_below_itself_is_refused() -> None:
    machine = Machine("a", ("http://r",))
    link = machine.take(Connect)[0].link
    assert machine.member.welcomed(link, Welcome("r", (ROOT, machine.member.me, MID)), 0.1) == []
    assert machine.member.state is State.SEEKING


def test_candidate_that_is_silent_is_given_up_for_the_next() -> None:
    machine = Machine("a", ("http://r", "http://s"))
    machine.take(Connect)
    machine.member.join_timed_out(2.0)
    assert machine.take(Connect)[0].url == "http://s"


def test_round_without_success_pauses_longer_each_time() -> None:
    machine = Machine("a", ("http://r",))
    pauses = []
    for turn in range(4):
        machine.effects.clear()
        machine.member.join_timed_out(10.0 * turn)
        pauses.append(machine.take(SetTimer)[-1].at - 10.0 * turn)
        machine.member.join_timed_out(10.0 * turn + 5)
    assert pauses[0] < pauses[1] * 2
    assert pauses[-1] > pauses[0]


def test_orphan_asks_grandparent_then_further_up_then_the_parent() -> None:
    machine = Machine("a", ("http://seed",)).joined(ROOT, TOP, MID)
    parent = machine.member.parent
    assert parent is not None
    assert machine.member.lost(parent, 5.0) == [ParentLost(parent)]
    asked = []
    for _ in range(4):
        connect = machine.take(Connect)[0]
        asked.append(connect.url)
        machine.member.lost(connect.link, 5.0)
    assert asked == [TOP.url, ROOT.url, MID.url, "http://seed"]


def test_orphan_tells_its_children_that_the_way_is_gone() -> None:
    machine = Machine("a", ("http://r",)).joined(ROOT)
    machine.member.joined_by("in-1", Join(MID), 1.0)
    machine.effects.clear()
    assert machine.member.parent is not None
    machine.member.lost(machine.member.parent, 5.0)
    told = [sent.message for sent in machine.take(SendMessage) if sent.link == "in-1"]
    assert told == [KeepAlive((machine.member.me,), rooted=False)]


def test_path_through_itself_shows_a_loop_and_is_left() -> None:
    machine = Machine("a", ("http://r",)).joined(ROOT)
    parent = machine.member.parent
    assert parent is not None
    changes = machine.member.kept_alive(parent, KeepAlive((MID, machine.member.me, TOP), rooted=False), 1.0)
    assert changes == [ParentLost(parent)]
    assert SendMessage(parent, Goodbye()) in machine.effects


def test_beat_gives_up_neighbours_that_were_silent_too_long() -> None:
    machine = Machine("a", ("http://r",)).joined(ROOT)
    machine.member.joined_by("in-1", Join(MID), 0.0)
    parent = machine.member.parent
    assert parent is not None
    assert machine.member.beat(3.0, lambda link: {}) == []
    assert machine.member.beat(3.1, lambda link: {}) == [ChildLost("in-1"), ParentLost(parent)]


def test_heard_keeps_a_neighbour() -> None:
    machine = Machine("a", ("http://r",)).joined(ROOT)
    assert machine.member.parent is not None
    machine.member.heard(machine.member.parent, 2.0)
    assert machine.member.beat(4.0, lambda link: {}) == []


def test_stop_says_goodbye_and_names_the_way_up() -> None:
    machine = Machine("a", ("http://r",)).joined(ROOT, TOP)
    machine.member.joined_by("in-1", Join(MID), 0.0)
    parent = machine.member.parent
    assert parent is not None
    machine.effects.clear()
    assert machine.member.stop() == [ChildLost("in-1"), ParentLost(parent)]
    assert machine.take(SendMessage) == [SendMessage("in-1", Goodbye((TOP, ROOT))), SendMessage(parent, Goodbye())]
    assert machine.member.state is State.LEFT


def test_goodbye_of_the_parent_follows_its_hints() -> None:
    machine = Machine("a", ("http://seed",)).joined(ROOT, TOP)
    assert machine.member.parent is not None
    machine.member.goodbye(machine.member.parent, Goodbye((MID,)), 1.0)
    assert machine.take(Connect)[0].url == MID.url


def test_join_in_another_tree_is_told_as_a_move() -> None:
    machine = Machine("a", ("http://r",)).joined(ROOT)
    assert machine.member.parent is not None
    machine.member.lost(machine.member.parent, 1.0)
    link = machine.take(Connect)[0].link
    assert machine.member.welcomed(link, Welcome("other", (Peer("other", "http://o"),)), 1.0) == [
        ParentGained(link, "other", True)
    ]


def test_illegal_transition_is_our_own_mistake() -> None:
    assert (State.SOURCE, Event.WELCOMED) not in TRANSITIONS
    machine = Machine("r")
    with pytest.raises(AssertionError, match="welcomed in state source"):
        machine.member._move(Event.WELCOMED)
