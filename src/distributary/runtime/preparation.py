"""What a running node's matchers do beside it, in threads: load compiled code, and rebuild what is fragmented."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable
from pathlib import Path
from tempfile import gettempdir

from distributary.matching import prepare, prepared

__all__ = ["BackgroundPreparation", "in_background"]


def in_background(work: Callable[[], None]) -> None:
    """Do something in a thread; a daemon, for a node that stops does not wait for it."""
    threading.Thread(target=work, name="matcher", daemon=True).start()


class BackgroundPreparation:
    """Tells whether compiled matchers may be used; the first who asks makes them be loaded.

    Loading takes about a second, and half a minute the first time on a machine, when they are compiled. Until then
    filters are tested one by one.
    """

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._begun = False

    def __call__(self) -> bool:
        """Return whether they are loaded, and see to it that they will be."""
        if not prepared() and not self._begun:
            self._begun = True
            in_background(self._load)
        return prepared()

    def _load(self) -> None:
        # Of several nodes on a machine one compiles, and the others then find what it has compiled.
        with open(Path(gettempdir()) / f"distributary-{os.getuid()}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            prepare(self._report)
