"""Loading the compiled matchers: about a second in each process, and as long as compiling takes the first time.

Compiled code is kept on disk beside the modules (numba's cache). A process that never has many filters never loads it.
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["prepare", "prepared"]

#: Whether this process has loaded the compiled matchers; once true, it stays so.
_loaded = False


def prepared() -> bool:
    """Tell whether this process has loaded the compiled matchers."""
    return _loaded


def prepare(tell: Callable[[str], None] = lambda _: None) -> None:
    """Load the compiled matchers; what no earlier process has compiled is compiled.

    `tell` hears what is being loaded, and so what a first call spends half a minute on.
    """
    global _loaded
    if _loaded:
        return
    import numpy as np

    tell("loading the matcher of records (compiled the first time)")
    from distributary.matching import records

    records.warm()
    tell("loading the matcher of documents (compiled the first time)")
    from distributary.matching import patterns

    patterns.warm()
    from distributary.matching.hints.numbers import pack, unpack

    assert unpack(pack(np.arange(3), 8), 8).tolist() == [0, 1, 2]
    _loaded = True
