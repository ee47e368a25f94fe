"""How httpx is set up for both clients. It sends nothing."""

from __future__ import annotations

import ssl
from typing import Any

__all__ = ["SILENCE_SECONDS", "settings"]

#: A node writes at least a comment every 10 s; a connection that is silent for longer is lost.
SILENCE_SECONDS = 25.0


def settings(token: str | None, tls: ssl.SSLContext | None) -> dict[str, Any]:
    """Return the arguments of a client: the token on every request, no redirects that would carry it elsewhere."""
    return {
        "headers": {} if token is None else {"Authorization": f"Bearer {token}"},
        "timeout": 30.0,
        "follow_redirects": False,
        "verify": True if tls is None else tls,
    }
