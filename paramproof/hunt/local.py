"""Run tasks on this machine, in worker processes that each serve one framework.

If a worker ends or raises, its task is tried again, up to ``TRIES`` times. Other tasks go on.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from pathlib import Path
from threading import Lock

from paramproof.builders.registry import framework
from paramproof.child_process import Child, how_it_ended
from paramproof.formulas.printing import path_text
from paramproof.hunt.files import Unwritable
from paramproof.hunt.tasks import Task
from paramproof.workers.pool import Workers, ended
from paramproof.workers.progress import OnProgress, Progress

WORKER = "paramproof.hunt.worker"
TRIES = 3


def run_locally(
    tasks: Sequence[Task],
    folder: Path,
    processes: int,
    on_progress: OnProgress = lambda progress: None,
    tries: int = TRIES,
) -> dict[str, str]:
    """Run tasks in ``processes`` workers; return the lost tasks by name, each with its reason.

    ``on_progress`` is called from several threads.

    Raises ``Unwritable`` at once if ``folder`` cannot be written to: a second try would not help.
    """
    queue = _Queue(tasks, tries, on_progress)
    workers = Workers()
    with ThreadPoolExecutor(processes) as pool:
        try:
            futures = [pool.submit(_serve, queue, workers, folder) for _ in range(processes)]
            wait(futures, return_when=FIRST_EXCEPTION)
            for future in futures:
                if future.done():
                    future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            workers.end()
    return queue.lost


class _Queue:
    """The waiting tasks of each framework, the number of tries of each task, and the lost ones."""

    def __init__(self, tasks: Sequence[Task], tries: int, on_progress: OnProgress) -> None:
        self.lost: dict[str, str] = {}
        self._tries = tries
        self._on_progress = on_progress
        self._lock = Lock()
        self._waiting: dict[str, deque[Task]] = {}
        self._serving: Counter[str] = Counter()
        self._tried: Counter[str] = Counter()
        self._models: dict[str, Counter[str]] = {}
        # Looked up in this thread: Python 3.11 may fail if several threads parse headers at once.
        names = dict.fromkeys(task.framework for task in tasks)
        self.frameworks = {name: framework(name) for name in names}
        for name in sorted(names, key=lambda name: not self.frameworks[name].slow):
            self._waiting[name] = deque(task for task in tasks if task.framework == name)
        self._due = {name: sum(t.number for t in of) for name, of in self._waiting.items()}
        for name in self._waiting:
            self._models[name] = Counter()
            on_progress(Progress(name, "waiting"))

    def framework(self) -> str | None:
        """Return the framework with waiting tasks and the fewest workers, or None at the end."""
        with self._lock:
            names = [name for name, tasks in self._waiting.items() if tasks]
            chosen = min(names, key=lambda name: self._serving[name], default=None)
            if chosen:
                self._serving[chosen] += 1
        if chosen and not self._models[chosen]:
            self._on_progress(Progress(chosen, "importing"))
        return chosen

    def left(self, name: str) -> None:
        """Note that a worker of a framework has ended."""
        with self._lock:
            self._serving[name] -= 1
            over = not self._waiting[name] and not self._serving[name]
        if over:
            lost = self._models[name].total() < self._due[name]
            self._on_progress(Progress(name, "broken" if lost else "done"))

    def next(self, name: str) -> Task | None:
        """Return a waiting task of a framework, or None."""
        with self._lock:
            return self._waiting[name].popleft() if self._waiting[name] else None

    def checked(self, task: Task, number: int) -> None:
        """Note the number of models of a task that have been checked."""
        with self._lock:
            models = self._models[task.framework]
            models[task.name] = number
            done = models.total()
        self._on_progress(Progress(task.framework, "running", done, self._due[task.framework]))

    def failed(self, task: Task, why: str) -> None:
        """Queue a task again, or give it up after the last try."""
        self.checked(task, 0)
        with self._lock:
            self._tried[task.name] += 1
            if self._tried[task.name] < self._tries:
                self._waiting[task.framework].append(task)
            else:
                self.lost[task.name] = why


def _serve(queue: _Queue, workers: Workers, folder: Path) -> None:
    """Start workers, one at a time, until no framework has tasks that wait."""
    while name := queue.framework():
        with workers.start(queue.frameworks[name], WORKER) as child:
            alive = True
            while alive and (task := queue.next(name)):
                alive = _done(queue, child, task, folder)
        queue.left(name)


def _done(queue: _Queue, child: Child, task: Task, folder: Path) -> bool:
    """Send a task to a worker and wait for it; return whether the worker can take another."""
    child.ask({"task": task.as_json(), "folder": str(folder)})
    for answer in child.answers():
        if "checked" in answer:
            queue.checked(task, answer["checked"])
        elif "unwritable" in answer:
            raise Unwritable(answer["unwritable"], where=path_text(folder))
        elif "failed" in answer:
            queue.failed(task, answer["failed"])
            # A failed task may leave state behind, so the next task gets a new worker.
            return False
        else:
            queue.checked(task, task.number)
            return True
    status, last_words = ended(child)
    queue.failed(task, last_words or f"the worker ended {how_it_ended(status)}")
    return False
