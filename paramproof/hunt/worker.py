"""The tasks of one framework, in a process of its own: ``python -m paramproof.hunt.worker``.

Each comes as a request, and is told to be done when its file is written.
"""

from __future__ import annotations

from pathlib import Path

from paramproof.child_process import Parent
from paramproof.hunt.execution import do
from paramproof.hunt.files import Unwritable
from paramproof.hunt.tasks import Task
from paramproof.sources.reference import in_one_line


def main() -> None:
    """Do one task after the other, until the parent ends."""
    parent = Parent()
    while True:
        request = parent.request()
        task = Task(**request["task"])
        try:
            do(task, Path(request["folder"]), lambda checked: parent.tell({"checked": checked}))
        except Unwritable as error:
            parent.tell({"unwritable": error.reason})
        except Exception as error:  # Anybody's framework may raise anything.
            parent.tell({"failed": in_one_line(error)})
        else:
            parent.tell({"done": task.name})


if __name__ == "__main__":
    main()
