"""The summary of one shard of a run, and of all shards together.

A result, a shard and a run have the same summary: models by framework and family, and failures. A
shard writes it as one JSON document when it is done, so a shard without a file was never started,
or died. Each document has the command of its shard: the number in it is all that differs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from paramproof.algebra.residual import explained
from paramproof.algebra.symbols import FamilyArchitecture
from paramproof.formulas.families import spec_fields
from paramproof.formulas.printing import path_text, shown
from paramproof.verify.results import Result

SUMMED = ("models", "equal", "parameters")


def summed(summaries: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    groups: dict[tuple[str, str], dict[str, Any]] = {}
    failures: list[dict[str, Any]] = []
    for summary in summaries:
        failures += summary["failures"]
        for one in summary["groups"]:
            nothing = {**one, **dict.fromkeys(SUMMED, 0)}
            group = groups.setdefault((one["framework"], one["family"]), nothing)
            group |= {name: group[name] + one[name] for name in SUMMED}
    return {"groups": [groups[about] for about in sorted(groups)], "failures": failures}


def summary_of(result: Result) -> dict[str, list[dict[str, Any]]]:
    """Return the summary of one result; of random specs that differ, only the smallest is kept."""
    groups, failures = [], []
    about: dict[str, Any] = {"framework": result.framework}
    spec, report = result.spec, result.report
    if report and not result.smallest:
        numbers = {"models": 1, "equal": int(report.equal), "parameters": report.actual}
        groups.append(about | {"family": result.family} | numbers)
    if result.failed and (result.model or result.smallest or not spec):
        about |= {"model": result.model, "reason": result.reason, "spec": None, "report": ""}
        if spec and report:
            why = explained(report, FamilyArchitecture.of(spec))
            about |= {"spec": spec_fields(spec), "report": why}
        failures.append(about)
    return {"groups": groups, "failures": failures}


def shard_of(text: str) -> tuple[int, int]:
    """Return the shard I of N in ``I/N``. Raises ``ValueError``."""
    found = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text)
    number, of = map(int, found.groups()) if found else (0, 0)
    if not 1 <= number <= of:
        raise ValueError(f"--shard {shown(text)} is not I/N with I from 1 to N, such as 3/8")
    return number, of


def read_summaries(paths: Iterable[Path]) -> list[dict[str, Any]]:
    """Return the summaries in files. Raises ``ValueError`` unless they are shards of one run."""
    found: dict[int, tuple[str, dict[str, Any]]] = {}
    for path in paths:
        name = path_text(path)
        try:
            data = json.loads(path.read_text("utf-8"))
            if data["kind"] != "shard":
                raise KeyError("shard")
            number, _ = shard_of("/".join(map(str, data["shard"])))
            command, _ = command_of(data, 1), summed([data])
        except OSError as error:
            raise ValueError(f"{name}: {error.strerror}") from error
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise ValueError(f"{name} is not what verify --shard writes") from error
        first, known = next(iter(found.values()), (name, data))
        if command_of(known, 1) != command:
            raise ValueError(f"{name} is of another run than {first}")
        if number in found:
            raise ValueError(f"{name} and {found[number][0]} are of the same shard, {number}")
        found[number] = name, data
    return [data for _, data in found.values()]


def command_of(summary: Mapping[str, Any], number: int) -> str:
    """Return the command that runs shard ``number`` of the run to which a summary belongs."""
    return f"{summary['command']} --shard {number}/{summary['shard'][1]} --json FILE"


def missing(summaries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for each shard without a summary, and for each in which a framework broke."""
    known = {summary["shard"][0]: summary["failures"] for summary in summaries}
    of = summaries[0]["shard"][1]
    for number in range(1, of + 1):
        broken = [
            f"{one['framework']}: {one['reason']}"
            for one in known.get(number, ())
            if not one["spec"]
        ]
        if broken or number not in known:
            how = "is missing: it was not started, or died"
            state = f"died: {'; '.join(broken)}" if broken else how
            again = command_of(summaries[0], number)
            yield f"shard {number} of {of} {state}\n  again: {again}"
