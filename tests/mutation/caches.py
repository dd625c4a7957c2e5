"""A pytest plugin for mutmut, which forks each run of the tests from a process that ran them all.

What functions remember from that run would hide a mutant of what they call, so it is forgotten.
"""

import sys


def pytest_sessionstart() -> None:
    """Clear the caches of all functions of the package."""
    for name, module in [*sys.modules.items()]:
        if name.partition(".")[0] == "paramproof":
            for value in [*vars(module).values()]:
                if callable(clear := getattr(value, "cache_clear", None)):
                    clear()
