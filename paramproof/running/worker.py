"""One framework in a process of its own: ``python -m paramproof.running.worker FRAMEWORK``.

A job comes as JSON on standard input. Each record leaves as a line of JSON on what was
standard output when the process began; what a framework prints goes to standard error.
"""

from __future__ import annotations

import gc
import json
import os
import sys

from paramproof.builders.protocol import Builder
from paramproof.builders.registry import Framework, framework
from paramproof.running.jobs import read


def main() -> None:
    """Do the job on standard input."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as lines:
        os.dup2(2, 1)
        job = read(json.load(sys.stdin))
        chosen = framework(sys.argv[1])
        for record in job.records(chosen, load_builder(chosen)):
            print(json.dumps(record.as_json()), file=lines, flush=True)


def load_builder(chosen: Framework) -> Builder:
    """Load the framework's builder, in a process that is its own until the end."""
    builder = chosen.load()
    # A full pass of the garbage collector walks over every object alive, and the hundreds of
    # thousands that a framework's import leaves are alive for good: they are set aside.
    gc.collect()
    gc.freeze()
    return builder


if __name__ == "__main__":
    main()
