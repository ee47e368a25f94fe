"""How often, where and how long a client tries again: nodes in turn, with growing pauses, up to its patience."""

from __future__ import annotations

import secrets

from distributary.core.errors import DistributaryError, Unavailable
from distributary.core.generator import Generator

__all__ = ["Attempts"]

_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 5.0


class Attempts:
    """The attempts at one thing; `now` is any clock that does not go back."""

    def __init__(self, urls: tuple[str, ...], patience_seconds: float | None) -> None:
        self._urls = urls
        self._patience_seconds = patience_seconds
        self._generator = Generator(secrets.randbits(62))
        self._turn = 0
        self._failures = 0
        #: When the trouble began.
        self._since: float | None = None

    @property
    def url(self) -> str:
        """Return the node whose turn it is."""
        return self._urls[self._turn % len(self._urls)]

    def succeeded(self) -> None:
        """Note that a node has answered: patience begins anew."""
        self._failures = 0
        self._since = None

    def failed(self, error: DistributaryError, now: float) -> float:
        """Return how long to wait before the next node is asked; raises `error` when patience is over."""
        self._since = now if self._since is None else self._since
        self._turn += 1
        self._failures += 1
        rounds = (self._failures - 1) // len(self._urls)
        longest = min(_LONGEST_PAUSE_SECONDS, _FIRST_PAUSE_SECONDS * 2**rounds)
        # A draw keeps the clients of a node that died from coming back all at once.
        pause = self._generator.uniform(longest / 2, longest)
        if self._patience_seconds is not None and now + pause - self._since > self._patience_seconds:
            raise error
        return pause

    def unreachable(self, reason: object) -> Unavailable:
        """Return the error of a node that could not be talked to."""
        return Unavailable(self.url, f"cannot be reached: {str(reason) or type(reason).__name__}")
