"""Wide filters come and go over narrow ones in trees of routers: every subscriber gets exactly its matches."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from distributary.broker import NodeConfig
from distributary.broker.stream import Stream
from distributary.core.generator import Generator
from distributary.core.inputs import SubscribeRequested, Unsubscribed
from distributary.core.items import JSON, NewItem
from distributary.core.subscriptions import FilterText, Subscription
from distributary.simulation import Faults, SimulatedNode, World
from distributary.simulation.checkers import check_answers, check_structure
from distributary.simulation.clients import Publication, SimulatedPublisher, SimulatedSubscriber

pytestmark = pytest.mark.slow

STORM_SECONDS, HEALING_SECONDS = 15.0, 80.0
SEEDS = 25


def play(seed: int) -> int:
    """Play a run drawn from a seed; return how many items were owed."""
    generator = Generator("aggregation", seed)
    faults = Faults(
        delay_max=generator.choice([0.05, 0.3, 0.5]),
        loss=generator.choice([0.0, 0.0, 0.05]),
        duplication=generator.choice([0.0, 0.05]),
        reordering=generator.choice([0.0, 0.1]),
    )
    world = World(seed, faults)
    nodes = [world.add(config_of(index, generator)) for index in range(2 + generator.below(5))]
    for node in nodes:
        world.start(node)
    publisher = SimulatedPublisher(world, generator.fork("publisher"))
    for index in range(150):
        body = json.dumps({"x": generator.below(10), "y": generator.below(10), "n": index}).encode()
        publication = Publication(f"k{index}", "quakes", (NewItem(JSON, body),))
        world.events.at(
            generator.uniform(0, STORM_SECONDS),
            lambda publication=publication: publisher.publish(publication),  # type: ignore[misc]
        )
    subscribers = []
    for index in range(1 + generator.below(5)):
        where = Subscription(f"s{index}", where=narrow(generator))
        subscriber = SimulatedSubscriber(world, generator.fork(index), f"s{index}", "quakes", where, 0.0)
        subscribers.append(subscriber)
        world.events.at(generator.uniform(0, 3.0), subscriber.watch)
    for index in range(25):
        world.events.at(generator.uniform(0, STORM_SECONDS), passer_by(world, index, nodes, generator))
    for _ in range(generator.below(5)):
        node, pause = generator.choice(nodes[1:]), generator.uniform(0.1, 2.0)
        world.events.at(
            generator.uniform(2.0, STORM_SECONDS),
            lambda node=node, pause=pause: crash(world, node, pause),  # type: ignore[misc]
        )
    world.events.run(STORM_SECONDS)
    world.network.faults = Faults(delay_max=faults.delay_max)
    world.events.run(STORM_SECONDS + HEALING_SECONDS)
    check_structure(world)
    return check_answers(publisher.publications, subscribers, {})


def config_of(index: int, generator: Generator) -> NodeConfig:
    joins = () if index == 0 else (f"n{generator.below(index)}",)
    items = generator.choice([2, 16, 1024])
    return NodeConfig(f"n{index}", f"n{index}", joins, fanout=1 + generator.below(2), window_items=items)


def narrow(generator: Generator) -> str:
    x, y = generator.below(10), generator.below(10)
    return generator.choice([f"x = {x}", f"x < {x}", f"x < {x} and y >= {y}", f"x >= {x} and y = {y}"])


def passer_by(world: World, index: int, nodes: list[SimulatedNode], generator: Generator) -> Callable[[], None]:
    """Return what lets somebody want much for a short time; nobody looks at what they get."""
    node, stay = generator.choice(nodes), generator.uniform(0.2, 4.0)
    where = generator.choice(["x >= 0", "x < 8", "y >= 2", "x < 8 and y >= 2", "x is not null"])
    name = f"passer-by-{index}"
    world.on_answer[f"subscribe-{name}"] = lambda answer: None
    world.on_delivery[name] = lambda delivery: None

    def come() -> None:
        wanted = SubscribeRequested(f"subscribe-{name}", name, "quakes", Subscription(name, where=where), None)
        world.give(node.config.url, wanted)
        world.events.after(stay, go)

    def go() -> None:
        world.give(node.config.url, Unsubscribed(name))

    return come


def crash(world: World, node: SimulatedNode, pause: float) -> None:
    if node.machine is not None:
        world.crash(node)
        world.events.after(pause, lambda: world.start(node))


@pytest.mark.parametrize("seed", range(SEEDS))
def test_every_subscriber_gets_exactly_its_matches(seed: int) -> None:
    play(seed)


def test_runs_owe_something_and_hide_filters(monkeypatch: pytest.MonkeyPatch) -> None:
    hidden = 0
    hide = Stream.hide

    def counted(self: Stream, text: FilterText) -> None:
        nonlocal hidden
        hidden += 1
        hide(self, text)

    monkeypatch.setattr(Stream, "hide", counted)
    assert sum(play(seed) for seed in range(3)) > 100
    assert hidden > 10
