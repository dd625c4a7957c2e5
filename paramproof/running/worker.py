"""One framework in a process of its own: ``python -m paramproof.running.worker FRAMEWORK``.

A job comes as JSON on standard input: the specs of named models, a number of random specs,
their families, a seed, and the name of a stranger's formula if that is in question. Each
result leaves as a line of JSON on what was standard output when the process began; what a
framework prints goes to standard error.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from paramproof.builders.protocol import Builder
from paramproof.builders.registry import Framework, framework
from paramproof.checking.model import check
from paramproof.checking.result import Result
from paramproof.checking.timed import timed_check
from paramproof.differences.answer import Cell
from paramproof.formulas import EncoderSpec
from paramproof.formulas.families import spec_from
from paramproof.proof.prove import Proof, prove
from paramproof.random_specs import fixed_in, random_specs, refusal
from paramproof.user_formulas.signature import Formula
from paramproof.user_formulas.verify import hold

WARM_UP = EncoderSpec(
    vocab_size=5,
    hidden_size=2,
    num_hidden_layers=1,
    num_attention_heads=1,
    intermediate_size=3,
    max_position_embeddings=4,
    type_vocab_size=2,
)


def main() -> None:
    """Do the job on standard input."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as results:
        os.dup2(2, 1)
        job = json.load(sys.stdin)
        for result in run(framework(sys.argv[1]), job):
            print(json.dumps(result.as_json()), file=results, flush=True)


def run(chosen: Framework, job: dict[str, Any]) -> Iterator[Result | Proof | Cell]:
    """What ``job`` asks for: the proof, the cells, or a result for each model and random spec."""
    builder = load_builder(chosen)
    if job.get("prove"):
        yield prove(chosen, builder)
        return
    if job.get("differences"):
        # In this job only: it imports SymPy and NumPy.
        from paramproof.differences.ask import answers

        yield from answers(chosen, builder)
        return
    # The first build of a process pays for the framework's own start.
    if builder.supports(WARM_UP) is True:
        check(builder, WARM_UP)
    for result in _results(chosen, builder, job):
        yield replace(result, peak_mb=round(peak_memory() / 1e6, 1))


def load_builder(chosen: Framework) -> Builder:
    """The framework's builder, in a process that is its own until the end.

    A full pass of the garbage collector walks over every object alive, and the hundreds of
    thousands that a framework's import leaves are alive for good: they are set aside.
    """
    builder = chosen.load()
    gc.collect()
    gc.freeze()
    return builder


def _results(chosen: Framework, builder: Builder, job: dict[str, Any]) -> Iterator[Result]:
    models = {name: spec_from(fields) for name, fields in job["models"].items()}
    if job.get("formula"):
        formula = Formula.named(job["formula"])
        yield from hold(chosen, builder, formula, models, job["examples"], job["seed"])
        return
    for model, spec in models.items():
        yield timed_check(chosen, builder, spec, lambda spec: check(builder, spec), model)
    for family in job["families"] if job["examples"] else ():
        if reason := refusal(builder, family):
            yield Result(chosen.name, chosen.version, "", "not expressible", reason=reason)
            continue
        fixed = fixed_in(family, chosen.fixed)
        for spec in random_specs(builder, job["examples"], job["seed"], family, **fixed):
            yield timed_check(chosen, builder, spec, lambda spec: check(builder, spec))


def peak_memory() -> int:
    """Peak resident memory of this process in bytes.

    Linux also keeps it in /proc; there ``ru_maxrss`` begins at the parent's size.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


if __name__ == "__main__":
    main()
