"""Run a task: build and compare its models, and write its file.

The process must have the environment of the task's framework. Models are sampled and compared as
``paramproof verify`` does. Checks of the catalogue need ``sweep``, which only a checkout has, so
it is imported by name.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module, util
from pathlib import Path
from typing import Any, TypeAlias

from paramproof.algebra.residual import explained
from paramproof.algebra.symbols import FamilyArchitecture
from paramproof.builders.protocol import Builder
from paramproof.builders.registry import framework
from paramproof.checks.result import Result
from paramproof.formulas.families import spec_fields
from paramproof.hunt.files import Block, is_complete, write_block
from paramproof.hunt.tasks import MODELS, Task
from paramproof.workers.jobs import Verify
from paramproof.workers.worker import load_builder

OnChecked: TypeAlias = Callable[[int], None]
"""A callback that takes the number of models checked so far."""


def run_task(task: Task, folder: Path, on_checked: OnChecked = lambda checked: None) -> None:
    """Run a task and write its file in ``folder``, unless a complete file exists."""
    if is_complete(folder, task.name):
        return
    block = _models(task, on_checked) if task.check == MODELS else _of_checkout(task, on_checked)
    write_block(folder, block)


def in_checkout() -> bool:
    """Return whether this is a checkout, whose ``sweep`` derives the catalogue."""
    module = util.find_spec("sweep")
    if module is None or module.origin is None:
        return False
    folder = Path(module.origin).parent
    return (folder / "tasks.py").exists() and (folder.parent / "paramproof" / "catalogue").is_dir()


def _models(task: Task, on_checked: OnChecked) -> Block:
    chosen = framework(task.framework)
    job = Verify({}, task.number, task.seed, (task.of,))
    refused, checked, equal, parameters = "", 0, 0, 0
    differences: list[dict[str, Any]] = []
    came: list[Result] = []
    for result in job.records(chosen, _builder(task.framework), lambda *_: None):
        came.append(result)
        if not result.report or not result.spec:
            refused = result.reason
            continue
        checked += 1
        equal += result.report.equal
        parameters += result.report.actual
        if not result.report.equal:
            differences.append(_difference(task, result))
        on_checked(checked)
    if job.due(came) != len(came):
        raise RuntimeError(f"expected {job.due(came)} results, got {len(came)}")
    counted = {"checked": checked, "equal": equal, "parameters": parameters}
    return _block(task, differences, **counted, **({"refused": refused} if refused else {}))


def _difference(task: Task, result: Result) -> dict[str, Any]:
    assert result.report
    assert result.spec
    spec = spec_fields(result.spec)
    model = shlex.quote(json.dumps(spec))
    return {
        "what": spec,
        "expected": result.report.formula,
        "actual": result.report.actual,
        "report": explained(result.report, FamilyArchitecture.of(result.spec)),
        "command": f"paramproof verify --framework {task.framework} --examples 0 --model {model}",
    }


def _of_checkout(task: Task, on_checked: OnChecked) -> Block:
    results: Iterator[dict[str, Any]] = getattr(import_module("sweep.tasks"), task.check)(
        task.of, task.seed, task.number
    )
    checked, differences = 0, []
    for difference in results:
        checked += 1
        if difference:
            differences.append({**difference, "command": task.command})
        on_checked(checked)
    return _block(task, differences, checked=checked, equal=checked - len(differences))


def _block(task: Task, differences: list[dict[str, Any]], **found: Any) -> Block:
    versions = framework(task.framework).versions()
    closing = {"done": task.name, **task.as_json(), **found, "versions": versions}
    return Block(tuple(differences), closing)


@cache
def _builder(name: str) -> Builder:
    return load_builder(framework(name))
