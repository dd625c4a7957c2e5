"""Hunt with random constructors: ``python -m tests.foolers.hunt --examples 10000 --folder F``.

Consecutive seeds give blocks of constructors, each judged in its own process and written to a file
of the folder: running the same command again completes what is missing. The hunt prints each wrong
constructor as source, with the sizes and both counts. The exit status is 1 if it finds any or loses
a block.
"""

import argparse
import os
import signal
import sys
import tempfile
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

from paramproof.hunt.files import Block, is_complete, write_block
from paramproof.hunt.folder import held
from paramproof.hunt.summary import summary_of
from paramproof.hunt.tasks import ask, blocks
from tests.foolers.judging import judge
from tests.foolers.random_constructors import module_of, sources
from tests.foolers.random_sizes import sizes_inside

SECONDS = 120
"""Processor time per constructor; exceeding it is a finding, too."""


def main(arguments):
    parser = argparse.ArgumentParser("python -m tests.foolers.hunt", description=__doc__)
    parser.add_argument("--examples", type=int, default=10_000, help="how many are drawn")
    parser.add_argument("--block", type=int, default=50, help="how many a seed draws")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the first block")
    parser.add_argument("--folder", type=Path, required=True, help="where results are kept")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args(arguments)
    tasks = list(blocks("constructors", "torch", "random", asked.examples, asked.block, asked.seed))
    with held(asked.folder):
        ask(asked.folder, tasks)
        hunt([t for t in tasks if not is_complete(asked.folder, t.name)], asked)
    return report(asked.folder)


def hunt(tasks, asked):
    """Run each task in a process of its own, several at a time.

    A pool that replaces its processes may wait for ever for one that died
    (https://github.com/python/cpython/issues/115634), so a thread waits for each process.
    """
    with ThreadPoolExecutor(asked.processes) as threads:
        waiting = {threads.submit(_in_a_process, task, asked.folder): task for task in tasks}
        for number, one in enumerate(as_completed(waiting), 1):
            ended = "" if one.result() == 0 else f": {waiting[one].name} did not end well"
            print(f"{number} of {len(tasks)} blocks{ended}", file=sys.stderr)


def _in_a_process(task, folder):
    """Run a task in a process; return its exit code, or None if it took too long and was killed."""
    process = get_context("spawn").Process(target=do, args=(task, folder))
    process.start()
    process.join(task.number * SECONDS)
    code = process.exitcode
    process.kill()
    return code


def do(task, folder):
    """Draw and judge the constructors of a task, and write its file."""
    warnings.simplefilter("ignore")
    found, outcomes = [], Counter()

    @seed(task.seed)
    @settings(
        max_examples=task.number,
        database=None,
        deadline=None,
        derandomize=False,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(sources())
    def check(source):
        outcome, wrong = _judged(source)
        outcomes[outcome] += 1
        if wrong:
            found.append({"what": source, "outcome": outcome, "wrong": wrong})

    check()
    checked = outcomes.total()
    closing = {
        "done": task.name, **task.as_json(), "outcomes": dict(outcomes), "versions": {},
        "checked": checked, "equal": checked - len(found),
    }  # fmt: skip
    write_block(folder, Block(tuple(found), closing))


def _judged(source):
    """Return a constructor's outcome, and its errors: sizes with both counts."""
    try:
        with (
            tempfile.TemporaryDirectory() as folder,
            _limited(),
            module_of(source, Path(folder)) as module,
        ):
            verdict = judge("model", module.model, sizes_inside)
    except Exception as error:
        # Refusals are not errors; any other exception lacks a one-line message.
        return "error", [f"{type(error).__name__}: {error}"]
    return verdict.outcome.value, verdict.wrongly_proved + verdict.wrong_without_a_caveat


@contextmanager
def _limited():
    def late(*_):
        raise TimeoutError(f"not judged in {SECONDS} s of processor time")

    before = signal.signal(signal.SIGPROF, late)
    # Repeat every second: an exception raised inside a garbage-collector callback gets lost.
    signal.setitimer(signal.ITIMER_PROF, SECONDS, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def report(folder):
    """Print the results in a folder; return the exit status."""
    summary, outcomes = summary_of([folder]), Counter()
    for task, one in summary.differences:
        print(f"\n# seed {task.seed}: {one['outcome']}\n{one['what']}")
        print("".join(f"# {line}\n" for line in one["wrong"]))
    for block in summary.done.values():
        outcomes.update(block.closing["outcomes"])
    print(f"{summary.checked} constructors, {len(list(summary.differences))} found wrong;", end=" ")
    print(f"{len(summary.lost)} of {len(summary.asked)} blocks are not done; {dict(outcomes)}")
    return int(summary.failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
