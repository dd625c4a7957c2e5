"""The worker process of one framework: ``python -m paramproof.workers.worker FRAMEWORK``.

The request is one job. The worker reports when it has imported the framework, the steps that the
job counts, each record at once, and at the end the number of records, so that the parent can tell
an interrupted worker from one that is done.
"""

from __future__ import annotations

import gc
import sys

from paramproof.builders.protocol import Builder
from paramproof.builders.registry import Framework, framework
from paramproof.child_process import Parent
from paramproof.workers.jobs import read


def main() -> None:
    """Run the job that the parent sends."""
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
    """Load the framework's builder, in a process that serves no other framework."""
    builder = chosen.load()
    # A full garbage collection visits every live object. The hundreds of thousands that the import
    # of a framework creates are never freed, so the collector can skip them.
    gc.collect()
    gc.freeze()
    return builder


if __name__ == "__main__":
    main()
