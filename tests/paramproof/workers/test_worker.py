"""A framework's own process."""

import os
import subprocess
import sys

import pytest

from paramproof.workers.pool import last_line


def test_the_collector_skips_imported_objects() -> None:
    # In a separate process, since freezing is permanent.
    program = """
import gc
from types import SimpleNamespace
from paramproof.workers.worker import load_builder
imported = [[] for _ in range(1000)]
assert load_builder(SimpleNamespace(load=lambda: "a builder")) == "a builder"
print(gc.get_freeze_count())
"""
    done = subprocess.run(
        [sys.executable, "-Pc", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 1000


@pytest.mark.parametrize(
    ("errors", "words"),
    [
        ("Traceback\nValueError: no\n\n", "ValueError: no"),
        ("\x1b[2Jgreen", r"\x1b[2Jgreen"),
        ("x" * 10**6, "x" * 497 + "..."),
    ],
)
def test_the_last_words_are_one_printable_line(errors: str, words: str) -> None:
    assert last_line(errors) == words
