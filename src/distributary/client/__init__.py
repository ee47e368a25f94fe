"""Talking to a node from a program: publish and subscribe, async and sync."""

from distributary.client.async_client import AsyncClient
from distributary.client.client import Client
from distributary.client.events import Event, Gap, Published

__all__ = ["AsyncClient", "Client", "Event", "Gap", "Published"]
