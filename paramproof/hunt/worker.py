"""The worker process for the tasks of one framework: ``python -m paramproof.hunt.worker``.

Each request is a task. The worker reports a task as done when it has written the task's file.
"""

from __future__ import annotations

from pathlib import Path

from paramproof.child_process import Parent
from paramproof.hunt.execution import run_task
from paramproof.hunt.files import Unwritable
from paramproof.hunt.tasks import Task
from paramproof.sources.reference import in_one_line


def main() -> None:
    """Run one task after another until the parent ends."""
    parent = Parent()
    while True:
        request = parent.request()
        task = Task(**request["task"])
        try:
            run_task(
                task, Path(request["folder"]), lambda checked: parent.tell({"checked": checked})
            )
        except Unwritable as error:
            parent.tell({"unwritable": error.reason})
        except Exception as error:  # A framework may raise anything.
            parent.tell({"failed": in_one_line(error)})
        else:
            parent.tell({"done": task.name})


if __name__ == "__main__":
    main()
