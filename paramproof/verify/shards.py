"""The summary of one shard of a run, and of all shards together.

A shard writes its summary as one JSON document when it is done, so a shard without a file was never
started, or died. Each document has the command of its shard: the number in it is all that differs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paramproof.algebra.residual import explained
from paramproof.algebra.symbols import FamilyArchitecture
from paramproof.formulas.families import spec_fields
from paramproof.formulas.printing import path_text, shown
from paramproof.verify.results import Result

SUMMED = ("models", "equal", "parameters")


@dataclass(slots=True)
class Tally:
    """The results of a run by framework and family, added up, and the failures."""

    groups: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    failures: list[dict[str, Any]] = field(default_factory=list)

    def add(self, result: Result) -> None:
        """Add one result; of random specs that differ, only the smallest is kept."""
        if result.report and not result.smallest:
            group = self._group(result.framework, result.family)
            group["models"] += 1
            group["equal"] += result.status == "equal"
            group["parameters"] += result.report.actual
        if result.failed and (result.model or result.smallest or not result.spec):
            self.failures.append(_failure(result))

    def merge(self, summary: Mapping[str, Any]) -> None:
        for one in summary["groups"]:
            group = self._group(one["framework"], one["family"])
            for name in SUMMED:
                group[name] += one[name]
        self.failures += summary["failures"]

    def _group(self, framework: str, family: str) -> dict[str, Any]:
        about = {"framework": framework, "family": family, **dict.fromkeys(SUMMED, 0)}
        return self.groups.setdefault((framework, family), about)

    @property
    def models(self) -> int:
        return sum(group["models"] for group in self.groups.values())

    @property
    def equal(self) -> int:
        return sum(group["equal"] for group in self.groups.values())

    @property
    def is_success(self) -> bool:
        return bool(self.models) and self.equal == self.models and not self.failures

    def as_json(self) -> dict[str, Any]:
        groups = sorted(self.groups.values(), key=lambda one: (one["framework"], one["family"]))
        return {"groups": groups, "failures": self.failures}


def _failure(result: Result) -> dict[str, Any]:
    about = {"framework": result.framework, "model": result.model, "reason": result.reason}
    if not (result.spec and result.report):
        return about | {"spec": None, "report": ""}
    report = explained(result.report, FamilyArchitecture.of(result.spec))
    return about | {"spec": spec_fields(result.spec), "report": report}


def shard_of(text: str) -> tuple[int, int]:
    """Return the shard I of N in ``I/N``. Raises ``ValueError``."""
    found = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text)
    number, of = map(int, found.groups()) if found else (0, 0)
    if not 1 <= number <= of:
        raise ValueError(f"--shard {shown(text)} is not I/N with I from 1 to N, such as 3/8")
    return number, of


def read_summaries(paths: Iterable[Path]) -> list[dict[str, Any]]:
    """Return the summaries in files, which must belong to one run.

    Raises ``ValueError`` for a file that is no summary, or of another run, or of a shard that
    another file has.
    """
    found: dict[int, tuple[Path, dict[str, Any]]] = {}
    for path in paths:
        try:
            data = json.loads(path.read_text("utf-8"))
            if data["kind"] != "shard":
                raise KeyError("shard")
            number, _ = data["shard"]
        except OSError as error:
            raise ValueError(f"{path_text(path)}: {error.strerror}") from error
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path_text(path)} is not what verify --shard writes") from error
        first, known = next(iter(found.values()), (path, data))
        if command_of(known, 1) != command_of(data, 1):
            raise ValueError(f"{path_text(path)} is of another run than {path_text(first)}")
        if number in found:
            other = path_text(found[number][0])
            raise ValueError(f"{path_text(path)} and {other} are of the same shard, {number}")
        found[number] = path, data
    return [data for _, data in found.values()]


def command_of(summary: Mapping[str, Any], number: int) -> str:
    """Return the command that runs shard ``number`` of the run to which a summary belongs."""
    command: str = summary["command"]
    return f"{command} --shard {number}/{summary['shard'][1]} --json FILE"


def missing(summaries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for each shard without a summary, and for each in which a framework broke."""
    known = {summary["shard"][0]: summary for summary in summaries}
    of = summaries[0]["shard"][1]
    for number in range(1, of + 1):
        failures = known[number]["failures"] if number in known else []
        broken = [one for one in failures if not one["spec"]]
        state = "is missing: it was not started, or died"
        if broken:
            state = "died: " + "; ".join(f"{one['framework']}: {one['reason']}" for one in broken)
        if broken or number not in known:
            again = command_of(known.get(number, summaries[0]), number)
            yield f"shard {number} of {of} {state}\n  again: {again}"
