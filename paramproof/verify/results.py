"""Compare named models and random specs with what a framework builds, and sum the results up.

The formula is this project's, compared tensor by tensor, or a user's, compared by its counts. Where
models differ, Hypothesis finds the smallest spec that still does, if it is installed.

A result, a shard and a run have the same summary: models by framework and family, and failures. A
shard writes it as one JSON document when it is done, so a shard without a file was never started,
or died. Each document has the command of its shard: the number in it is all that differs.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, Literal, TypeAlias

from paramproof.algebra.residual import explained
from paramproof.algebra.symbols import FamilyArchitecture
from paramproof.builders.protocol import Builder
from paramproof.builders.registry import Framework
from paramproof.builders.registry import framework as named_framework
from paramproof.child_process import tell
from paramproof.formulas import Report, Spec
from paramproof.formulas.families import family_of, spec_fields
from paramproof.formulas.models import named_model
from paramproof.formulas.printing import path_text, shown
from paramproof.formulas.spec import draw, head_size_of
from paramproof.verify.agreement import check
from paramproof.verify.cases import fixed_in, random_specs, refusal
from paramproof.verify.user_formula import (
    UserFormula,
    chosen_family,
    compare_counts,
    difference,
)
from paramproof.verify.workers import Record, peak_memory

Status: TypeAlias = Literal["equal", "different", "not expressible", "broken"]

MAX_BUILDS = 300
"""The most models that are built to find the smallest spec that differs."""


@dataclass(frozen=True, slots=True)
class Result(Record):
    """The result for one spec in one framework; ``model`` is "" for a random spec.

    ``milliseconds`` is the time to build, read and compare the model, ``peak_mb`` the worker's peak
    memory so far, in 10**6 bytes, or 0. ``reason`` says why ``report`` is missing. ``smallest`` is
    the smallest spec that differs; ``difference`` then has the lines about a user's formula.
    """

    version: str
    model: str
    status: Status
    spec: Spec | None = None
    report: Report | None = None
    milliseconds: float = 0.0
    peak_mb: float = 0.0
    reason: str = ""
    smallest: bool = False
    difference: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        return self.status in ("different", "broken")

    @property
    def family(self) -> str:
        return self.spec.family if self.spec else ""

    @classmethod
    def broken(cls, framework: Framework, reason: str) -> Result:
        return cls(framework.name, framework.version, "", "broken", reason=reason)

    def as_json(self) -> dict[str, Any]:
        own = {"spec": self.spec and spec_fields(self.spec)}
        return asdict(self) | own | {"report": self.report and self.report.as_data()}


@dataclass(frozen=True, slots=True)
class Sample:
    """Named ``models``, and ``examples`` random specs of each of the ``families``.

    For ``seconds``, batches of ``examples`` follow, each with the next seed. Shard I of N takes
    every Nth batch, from the Ith on.
    """

    models: Mapping[str, Spec]
    families: tuple[str, ...]
    examples: int
    seed: int
    shard: tuple[int, int] = (1, 1)
    seconds: float | None = None


def results(
    chosen: Framework,
    builder: Builder,
    sample: Sample,
    formula: UserFormula | None = None,
) -> Iterator[Result]:
    """Yield a result for each named model and each random spec, and the smallest that differ.

    They are compared with our formulas, or with a user's. A family that the framework cannot
    express has one result, with the reason.
    """
    small = named_model("bert-tiny").spec
    if not formula and builder.supports(small) is True:
        check(builder, small)  # The first build in a process includes the framework's start.
    run = _Run(chosen, builder, formula)
    refused = {name: refusal(builder, name) for name in sample.families if sample.examples}
    drawn = sum(1 if reason else sample.examples for reason in refused.values())
    end = time.monotonic() + (sample.seconds or math.inf)
    for found in run.each(sample, refused), run.smallest():
        if not sample.seconds:
            tell(len(sample.models) + drawn + len(run.worst))
        for result in found:
            yield replace(result, peak_mb=round(peak_memory() / 1e6, 1))
            if result.report and time.monotonic() > end and not result.smallest:
                break


@dataclass(slots=True)
class _Run:
    """The results of one framework; ``worst`` has the smallest spec of each family that differs."""

    chosen: Framework
    builder: Builder
    formula: UserFormula | None
    worst: dict[str, Spec] = field(default_factory=dict)

    def each(self, sample: Sample, refused: Mapping[str, str]) -> Iterator[Result]:
        shard, of = sample.shard
        for model, spec in sample.models.items():
            yield self.result(spec, model)
        for batch, seed in enumerate(count(sample.seed + shard - 1, of)):
            for family, reason in refused.items():
                if not reason:
                    fixed = fixed_in(family, self.chosen.fixed)
                    specs = random_specs(self.builder, sample.examples, seed, family, **fixed)
                    yield from map(self.result, specs)
                elif not batch:
                    about = self.chosen.name, self.chosen.version, ""
                    yield Result(*about, "not expressible", reason=reason)
            if not sample.seconds or all(refused.values()):
                return

    def result(self, spec: Spec, model: str = "") -> Result:
        about = self.chosen.name, self.chosen.version, model
        supported = self.builder.supports(spec)
        if supported is not True:
            return Result(*about, "not expressible", spec, reason=supported)
        report, milliseconds = self.report(spec)
        if not report.equal:
            worst = self.worst.get(spec.family, spec)
            self.worst[spec.family] = min(worst, spec, key=lambda one: sum(one.letters()))
        return Result(*about, "equal" if report.equal else "different", spec, report, milliseconds)

    def report(self, spec: Spec) -> tuple[Report, float]:
        """Return the comparison for one spec, and how long building it took, in milliseconds."""
        model = FamilyArchitecture.of(spec)
        # A user's formula comes first, since it fails faster than a build.
        expected = self.formula and self.formula.counts(model)
        start = time.perf_counter()
        report = check(self.builder, spec)
        milliseconds = round((time.perf_counter() - start) * 1000, 3)
        return compare_counts(expected, model, report) if expected else report, milliseconds

    def smallest(self) -> Iterator[Result]:
        """Yield, for each family that differs, the result of the smallest spec that does."""
        for spec in [*self.worst.values()]:
            fixed, reason = fixed_in(spec.family, self.chosen.fixed), ""
            try:
                spec = smaller_spec(spec, fixed, self.differs()) or spec
            except ImportError:
                how = "python -m pip install hypothesis finds less"
                reason = f"the smallest of those that were drawn; {how}"
            result = replace(self.result(spec), smallest=True, reason=reason)
            if self.formula and result.report:
                lines = difference(self.formula, FamilyArchitecture.of(spec), result.report)
                result = replace(result, difference=tuple(lines))
            yield result

    def differs(self) -> Callable[[Spec], bool]:
        """Return a function that tells whether a spec differs, and builds at most MAX_BUILDS."""
        left = iter(range(MAX_BUILDS))

        @cache
        def differs(spec: Spec) -> bool:
            supported = next(left, None) is not None and self.builder.supports(spec)
            return supported is True and not self.report(spec)[0].equal

        return differs


def smaller_spec(
    spec: Spec, fixed: Mapping[str, Any], differs: Callable[[Spec], bool]
) -> Spec | None:
    """Return the smallest spec that ``differs``, no larger than ``spec``; None if none is found."""
    from hypothesis import HealthCheck, Phase, find, settings
    from hypothesis import strategies as st
    from hypothesis.errors import NoSuchExample

    family = family_of(spec)
    most = {name: int(getattr(spec, name)) for name in family.field_names}
    if "num_attention_heads" in most:
        most["head_size"] = head_size_of(spec)

    @st.composite
    def specs(drawn: Any) -> Spec:
        def choose(name: str, low: int, high: int) -> int:
            return int(drawn(st.integers(low, max(low, most.get(name, high)))))

        return draw(family.spec, choose, fixed)

    how = settings(
        max_examples=MAX_BUILDS,
        database=None,
        derandomize=True,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    try:
        return find(specs(), differs, settings=how)
    except NoSuchExample:
        return None


def assert_formula(
    function: Callable[..., Any],
    framework: str = "torch",
    *,
    family: str = "",
    examples: int = 25,
    seed: int = 0,
) -> None:
    """Assert that ``function`` counts what ``framework`` builds, over random specs.

    Raises ``AssertionError`` with the smallest spec that differs and the algebra, and ``Refused``
    if ``function`` is not a formula. The framework is loaded in this process.
    """
    __tracebackhide__ = True
    chosen = named_framework(framework)
    formula = UserFormula(function)
    about = chosen_family(formula, (family,) if family else ())
    sample = Sample({}, (about.name,), examples, seed)
    for result in results(chosen, chosen.load(), sample, formula):
        if result.smallest:
            raise AssertionError("\n".join(result.difference))


SUMMED = ("models", "equal", "parameters")


def summary_of(found: Iterable[Result]) -> dict[str, Any]:
    return _summed(map(_summary, found))


def _summed(summaries: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    groups: dict[tuple[str, str], dict[str, Any]] = {}
    failures: list[dict[str, Any]] = []
    for summary in summaries:
        failures += summary["failures"]
        for one in summary["groups"]:
            nothing = {**one, **dict.fromkeys(SUMMED, 0)}
            group = groups.setdefault((one["framework"], one["family"]), nothing)
            group |= {name: group[name] + one[name] for name in SUMMED}
    return {"groups": [groups[about] for about in sorted(groups)], "failures": failures}


def _summary(result: Result) -> dict[str, list[dict[str, Any]]]:
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
    found = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text)
    number, of = map(int, found.groups()) if found else (0, 0)
    if not 1 <= number <= of:
        raise ValueError(f"--shard {shown(text)} is not I/N with I from 1 to N, such as 3/8")
    return number, of


def read_shards(paths: Iterable[Path]) -> tuple[dict[str, Any], list[str], int]:
    """Return the summary of shards of one run, what is missing, and how many there must be."""
    found: dict[int, tuple[str, dict[str, Any]]] = {}
    for path in paths:
        name = path_text(path)
        try:
            data = json.loads(path.read_text("utf-8"))
            number, _ = shard_of("/".join(map(str, data["shard"])))
            command, _ = _command_of(data, 1), _summed([data])
        except OSError as error:
            raise ValueError(f"{name}: {error.strerror}") from error
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise ValueError(f"{name} is not what verify --shard writes") from error
        first, known = next(iter(found.values()), (name, data))
        if _command_of(known, 1) != command:
            raise ValueError(f"{name} is of another run than {first}")
        if number in found:
            raise ValueError(f"{name} and {found[number][0]} are of the same shard, {number}")
        found[number] = name, data
    summaries = [data for _, data in found.values()]
    return _summed(summaries), [*_missing(summaries)], summaries[0]["shard"][1]


def _command_of(summary: Mapping[str, Any], number: int) -> str:
    return f"{summary['command']} --shard {number}/{summary['shard'][1]} --json FILE"


def _missing(summaries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
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
            again = _command_of(summaries[0], number)
            yield f"shard {number} of {of} {state}\n  again: {again}"
