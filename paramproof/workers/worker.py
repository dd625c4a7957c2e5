"""One framework in a process of its own: ``python -m paramproof.workers.worker FRAMEWORK``.

A job comes as one request. The worker tells when its framework is imported, and the steps that
the job counts. Each record is told as it is found, and at the end how many there were, so that a
process that was ended half-way cannot pass for one that is done.
"""

from __future__ import annotations

import gc
import sys

from paramproof.builders.protocol import Builder
from paramproof.builders.registry import Framework, framework
from paramproof.child_process import Parent
from paramproof.workers.jobs import read


def main() -> None:
    """Do the job that the parent asks for."""
    parent = Parent()
    job = read(parent.request())
    chosen = framework(sys.argv[1])
    builder = load_builder(chosen)
    parent.tell({"imported": chosen.name})
    done = 0
    for record in job.records(chosen, builder, lambda *steps: parent.tell({"steps": steps})):
        parent.tell({"record": record.as_json()})
        done += 1
    parent.tell({"done": done})


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
