"""What happens in the demonstration, drawn from a seed: the storm's track, its three streams, and who wants what.

Everything here is invented: the coast, the stations and the places.
"""

from __future__ import annotations

import math
import struct
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from xml.sax.saxutils import escape

from distributary.core.generator import Generator
from distributary.core.subscriptions import Subscription, subscription_of

__all__ = ["ALERTS", "MAPS", "PNG", "REPORTS", "Scene", "draw_scene"]

REPORTS, ALERTS, MAPS = "reports", "alerts", "maps"
PNG = "image/png"
CAP = "urn:oasis:names:tc:emergency:cap:1.2"
_LANDFALL = datetime(2031, 9, 14, 6, 0, tzinfo=UTC)
_HOURS = 24
_STATIONS = 150
_ALERTS = 120
_MAPS = 12
_SIDE = 96
#: The storm comes from the sea in the south and goes inland.
_FROM, _TO = (24.0, -88.0), (33.0, -92.5)
_COUNTIES = ("Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Gum", "Hazel")
_EVENTS = ("Hurricane Warning", "Storm Surge Warning", "Flash Flood Warning", "Tornado Watch")
_SEVERITIES = ("Extreme", "Severe", "Moderate")


@dataclass(frozen=True, slots=True)
class Scene:
    """The streams before they are sent, and the subscriptions by kind of subscriber."""

    reports: tuple[dict[str, Any], ...]
    alerts: tuple[bytes, ...]
    maps: tuple[bytes, ...]
    subscriptions: tuple[tuple[str, Subscription], ...]


def draw_scene(seed: int, subscribers: int) -> Scene:
    """Draw a scene; the subscribers are shelters, ambulances, newsrooms and map screens, 9 : 6 : 3 : 2."""
    generator = Generator("hurricane", seed)
    return Scene(
        reports=tuple(_reports(generator.fork("reports"))),
        alerts=tuple(_alert(number, generator.fork("alert", number)) for number in range(_ALERTS)),
        maps=tuple(_map(number) for number in range(_MAPS)),
        subscriptions=tuple(
            _subscription(number, generator.fork("subscriber", number)) for number in range(subscribers)
        ),
    )


def _eye(hour: float) -> tuple[float, float]:
    """Return where the storm's eye is."""
    share = hour / _HOURS
    return (
        _FROM[0] + share * (_TO[0] - _FROM[0]),
        _FROM[1] + share * (_TO[1] - _FROM[1]) + 0.6 * math.sin(2 * math.pi * share),
    )


def _reports(generator: Generator) -> list[dict[str, Any]]:
    """Return what the stations along the coast measure, hour by hour."""
    stations = [(generator.uniform(28.5, 33.0), generator.uniform(-95.0, -87.0)) for _ in range(_STATIONS)]
    reports: list[dict[str, Any]] = []
    for hour in range(_HOURS):
        lat, lon = _eye(hour)
        for number, (station_lat, station_lon) in enumerate(stations):
            away = math.hypot(station_lat - lat, station_lon - lon)
            wind = 8 + 60 * math.exp(-((away / 1.8) ** 2)) * generator.uniform(0.85, 1.15)
            surge = max(0.0, 5 * math.exp(-((away / 1.2) ** 2)) - (station_lat - 29)) * generator.uniform(0.8, 1.2)
            reports.append(
                {
                    "report": len(reports),
                    "station": f"S{number:03}",
                    "at": (_LANDFALL + timedelta(hours=hour)).isoformat(),
                    "lat": round(station_lat, 4),
                    "lon": round(station_lon, 4),
                    "wind": round(wind, 1),
                    "surge": round(surge, 2),
                    "battery": None if generator.below(12) == 0 else generator.below(101),
                }
            )
    return reports


def _alert(number: int, generator: Generator) -> bytes:
    """Return an alert in the manner of the Common Alerting Protocol."""
    lat, lon = _eye(generator.uniform(0, _HOURS))
    corners = " ".join(f"{lat + dy:.3f},{lon + dx:.3f}" for dy, dx in ((0, 0), (1, 0), (1, 1), (0, 1), (0, 0)))
    at = (_LANDFALL + timedelta(minutes=number * 12)).isoformat()
    county = generator.choice(_COUNTIES)
    event = generator.choice(_EVENTS)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<alert xmlns="{CAP}">
  <identifier>demo-{number}</identifier><sent>{at}</sent><status>Exercise</status>
  <info>
    <event>{escape(event)}</event><severity>{generator.choice(_SEVERITIES)}</severity>
    <parameter><valueName>wind</valueName><value>{20 + generator.below(50)}</value></parameter>
    <area><areaDesc>{county} County</areaDesc><polygon>{corners}</polygon></area>
  </info>
</alert>
""".encode()


def _map(number: int) -> bytes:
    """Return a situation map of one moment: land, sea and wind around the eye, as a PNG."""
    lat, lon = _eye(number * _HOURS / _MAPS)
    rows = []
    for y in range(_SIDE):
        row = bytearray([0])
        for x in range(_SIDE):
            here_lat, here_lon = 34 - 11 * y / _SIDE, -96 + 11 * x / _SIDE
            force = math.exp(-(math.hypot(here_lat - lat, here_lon - lon) ** 2) / 4)
            ground = (176, 190, 150) if here_lat > 29.5 + 0.3 * math.sin(here_lon) else (120, 160, 190)
            row += bytes(
                round(tone + force * (target - tone)) for tone, target in zip(ground, (190, 40, 40), strict=True)
            )
        rows.append(bytes(row))
    header = struct.pack(">IIBBBBB", _SIDE, _SIDE, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"".join(rows))
    parts = (b"IHDR", header), (b"tEXt", b"Title\0map %d" % number), (b"IDAT", pixels), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _subscription(number: int, generator: Generator) -> tuple[str, Subscription]:
    kind = ("shelter",) * 9 + ("ambulance",) * 6 + ("newsroom",) * 3 + ("map screen",) * 2
    who = kind[number % len(kind)]
    row: dict[str, Any] = {"id": f"{who.replace(' ', '-')}-{number}", "client": f"{who}-{number}"}
    lat, lon = _eye(generator.uniform(10, _HOURS))
    lat, lon = lat + generator.normal(0, 0.7), lon + generator.normal(0, 1.0)
    if who == "shelter":
        wide, high = generator.uniform(0.8, 2.0), generator.uniform(0.6, 1.5)
        row |= {"stream": REPORTS, "box": _box(lat, lon, high, wide), "fields": ["report", "lat", "lon", "wind"]}
    elif who == "ambulance":
        wide = generator.uniform(0.4, 1.0)
        limits = " and ".join(
            f"{name} between {low:.3f} and {top:.3f}" for name, (low, top) in _box(lat, lon, wide, wide).items()
        )
        limit = generator.choice(["surge > 0.5", "wind >= 25", "wind >= 33 or surge >= 1"])
        row |= {"stream": REPORTS, "where": f"{limits} and ({limit})"}
    elif who == "newsroom":
        county, event = generator.choice(_COUNTIES), generator.choice(_EVENTS)
        xpath = generator.choice(
            [
                f"//c:info[c:severity='Extreme'][c:event='{event}']",
                f"//c:area[c:areaDesc='{county} County']",
                f"/c:alert[c:info/c:parameter[c:valueName='wind']/c:value>={30 + generator.below(35)}]",
            ]
        )
        row |= {"stream": ALERTS, "xpath": xpath, "namespaces": {"c": CAP}}
    else:
        row |= {"stream": MAPS}
    return who, subscription_of(row)


def _box(lat: float, lon: float, high: float, wide: float) -> dict[str, list[float]]:
    return {
        "lat": [round(lat - high / 2, 3), round(lat + high / 2, 3)],
        "lon": [round(lon - wide / 2, 3), round(lon + wide / 2, 3)],
    }
