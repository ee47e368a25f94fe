"""One run drawn from one seed: first anything may happen, then everything heals and what is owed must arrive."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from distributary.broker import NodeConfig
from distributary.core.generator import Generator
from distributary.core.inputs import StopRequested
from distributary.core.items import JSON, XML, NewItem
from distributary.core.subscriptions import Subscription
from distributary.simulation.checkers import check_answers, check_fan_out, check_structure
from distributary.simulation.clients import Publication, SimulatedPublisher, SimulatedSubscriber
from distributary.simulation.network import Faults
from distributary.simulation.world import SimulatedNode, World

__all__ = ["Outcome", "Scenario", "draw", "run"]

_STREAMS = ("quakes", "alerts")


@dataclass(frozen=True, slots=True)
class Scenario:
    """What a seed decides about a run."""

    seed: int
    nodes: int
    fanout: int
    subscribers: int
    publications: int
    crashes: int
    stops: int
    moves: int
    full_disks: int
    faults: Faults
    storm_seconds: float = 20.0
    healing_seconds: float = 80.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run; `trace` is the same for the same seed, always."""

    items_owed: int
    messages: int
    bytes: int
    trace: str


def draw(seed: int) -> Scenario:
    """Draw a small run."""
    generator = Generator("scenario", seed)
    stormy = generator.below(4) > 0
    return Scenario(
        seed=seed,
        nodes=2 + generator.below(9),
        fanout=1 + generator.below(4),
        subscribers=1 + generator.below(12),
        publications=5 + generator.below(60),
        crashes=generator.below(5) if stormy else 0,
        stops=generator.below(3) if stormy else 0,
        moves=generator.below(5),
        full_disks=generator.below(2) if stormy else 0,
        faults=Faults(
            delay_max=generator.choice([0.01, 0.1, 0.5]),
            loss=generator.choice([0.0, 0.02, 0.1]) if stormy else 0.0,
            duplication=generator.choice([0.0, 0.05]),
            reordering=generator.choice([0.0, 0.1]) if stormy else 0.0,
        ),
    )


def run(scenario: Scenario) -> Outcome:
    """Play a run to its end; an `AssertionError` names what does not hold."""
    world = World(scenario.seed, scenario.faults)
    world.after_step.append(check_fan_out)
    generator = Generator("play", scenario.seed)
    nodes = _build(world, scenario, generator)
    publisher = SimulatedPublisher(world, generator.fork("publisher"))
    subscribers = [
        _subscriber(world, index, generator.fork("subscriber", index)) for index in range(scenario.subscribers)
    ]
    _plan_storm(world, scenario, generator, nodes, subscribers)
    for subscriber in subscribers:
        world.events.at(generator.uniform(0, scenario.storm_seconds / 2), subscriber.watch)
    for index in range(scenario.publications):
        publication = _publication(index, generator.fork("publication", index))
        world.events.at(
            generator.uniform(0, scenario.storm_seconds),
            lambda publication=publication: publisher.publish(publication),  # type: ignore[misc]
        )
    world.events.run(scenario.storm_seconds)
    _heal(world, nodes)
    world.events.run(scenario.storm_seconds + scenario.healing_seconds)
    check_structure(world)
    source = world.nodes[nodes[0].config.url].machine
    assert source is not None
    trimmed = {name: stream.segments.trimmed for name, stream in source.trees[0].streams.items()}
    owed = check_answers(publisher.publications, subscribers, trimmed)
    return Outcome(owed, world.network.messages, world.network.bytes_sent, world.trace)


def _build(world: World, scenario: Scenario, generator: Generator) -> list[SimulatedNode]:
    """Add the source and the others, which join it or each other at drawn times."""
    nodes = []
    for index in range(scenario.nodes):
        joins = () if index == 0 else (f"n{generator.below(index)}",)
        pages = generator.choice([1024, 16384, 1 << 20])
        config = NodeConfig(
            url=f"n{index}",
            name=f"n{index}",
            joins=joins,
            fanout=scenario.fanout,
            page_bytes=pages,
            window_bytes=4 * pages,
            window_items=generator.choice([4, 64, 1024]),
        )
        nodes.append(world.add(config))
        world.events.at(
            0.0 if index == 0 else generator.uniform(0, 5.0),
            lambda node=nodes[-1]: _start(world, node),  # type: ignore[misc]
        )
    return nodes


def _start(world: World, node: SimulatedNode) -> None:
    if node.machine is None:
        world.start(node)


def _plan_storm(
    world: World,
    scenario: Scenario,
    generator: Generator,
    nodes: list[SimulatedNode],
    subscribers: list[SimulatedSubscriber],
) -> None:
    """Schedule crashes, stops, moving subscribers and full disks."""

    def some_time(action: Callable[[], None]) -> None:
        world.events.at(generator.uniform(1.0, scenario.storm_seconds), action)

    for _ in range(scenario.crashes):
        node, silent, pause = generator.choice(nodes), generator.below(2) == 0, generator.uniform(0.1, 8.0)
        some_time(lambda node=node, silent=silent, pause=pause: _crash(world, node, silent, pause))  # type: ignore[misc]
    for _ in range(scenario.stops):
        node, pause = generator.choice(nodes), generator.uniform(0.1, 8.0)
        some_time(lambda node=node, pause=pause: _stop(world, node, pause))  # type: ignore[misc]
    for _ in range(scenario.moves):
        some_time(generator.choice(subscribers).move)
    for _ in range(scenario.full_disks):
        some_time(lambda: setattr(nodes[0].disk, "full", True))


def _crash(world: World, node: SimulatedNode, silent: bool, pause: float) -> None:
    if node.machine is not None:
        world.crash(node, silent=silent)
        world.events.after(pause, lambda: _start(world, node))


def _stop(world: World, node: SimulatedNode, pause: float) -> None:
    if node.machine is not None:
        world.give(node.config.url, StopRequested())
        world.stopped(node)
        world.events.after(pause, lambda: _start(world, node))


def _heal(world: World, nodes: list[SimulatedNode]) -> None:
    world.network.faults = Faults(delay_max=world.network.faults.delay_max)
    for node in nodes:
        node.disk.full = False
        _start(world, node)


def _publication(index: int, generator: Generator) -> Publication:
    stream = generator.choice(_STREAMS)
    count = generator.choice([1, 1, 1, 2, 20])
    items = []
    for number in range(count):
        x, y = generator.below(10), generator.below(10)
        if stream == "quakes":
            items.append(NewItem(JSON, json.dumps({"x": x, "y": y, "n": [index, number]}).encode()))
        else:
            items.append(NewItem(XML, f"<alert><area x='{x}'>{y}</area><n>{index}.{number}</n></alert>".encode()))
    return Publication(f"k{index}", stream, tuple(items))


def _subscriber(world: World, index: int, generator: Generator) -> SimulatedSubscriber:
    stream = generator.choice(_STREAMS)
    x, y = generator.below(10), generator.below(10)
    every = generator.choice([None, None, None, 2.0])
    if stream == "alerts":
        subscription = Subscription(
            f"s{index}", xpath=generator.choice([f"//area[@x={x}]", "//area", f"/alert[area<{y}]"]), every=every
        )
    else:
        where = generator.choice([f"x <= {x} and y >= {y}", f"x = {x} or y = {y}", "x >= 0"])
        subscription = Subscription(f"s{index}", where=where, every=every)
    slowness = generator.choice([0.0, 0.01, 0.2])
    return SimulatedSubscriber(world, generator, f"s{index}", stream, subscription, slowness)
