"""One node's asyncio driver: sockets, durable log, endpoints, metrics. It takes no decision of the protocol."""
