"""Check one spec in one framework, time it, and record the result."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from paramproof.builders.protocol import Builder
from paramproof.builders.registry import Framework
from paramproof.formulas import Report, Spec
from paramproof.formulas.families import spec_fields, spec_from
from paramproof.record import Record

Status: TypeAlias = Literal["equal", "different", "not expressible", "broken", "refused"]


@dataclass(frozen=True, slots=True)
class Result(Record):
    """The result for one spec in one framework.

    ``model`` is the name of a named model, "" for a random spec. ``milliseconds`` is the time to
    build, read and compare the model in a warm process. ``peak_mb`` is the worker's peak memory so
    far, in 10**6 bytes, 0 if the system does not report it. ``reason`` says why ``report`` is
    missing. A user's formula may be ``refused``, which is a user's mistake and not a failure;
    ``smallest`` marks the smallest spec at which it still differs.
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

    @property
    def failed(self) -> bool:
        """Whether the formula and the framework disagree, or the worker broke."""
        return self.status in ("different", "broken")

    @classmethod
    def broken(cls, framework: Framework, reason: str) -> Result:
        """Return the last result of a worker that died."""
        return cls(framework.name, framework.version, "", "broken", reason=reason)

    def as_json(self) -> dict[str, Any]:
        """Return this result as data for ``json.dumps``, with the difference of its report."""
        own = {"spec": self.spec and spec_fields(self.spec)}
        return asdict(self) | own | {"report": self.report and self.report.as_data()}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Result:
        """Return the result that ``as_json`` wrote."""
        spec, report = data["spec"], data["report"]
        report = report and Report.from_data(report)
        return cls(**data | {"spec": spec and spec_from(spec), "report": report})


def timed_check(
    chosen: Framework,
    builder: Builder,
    spec: Spec,
    report_on: Callable[[Spec], Report],
    model: str = "",
) -> Result:
    """Return the result of ``report_on`` for ``spec``, timed, or "not expressible"."""
    supported = builder.supports(spec)
    if supported is not True:
        return Result(chosen.name, chosen.version, model, "not expressible", spec, reason=supported)
    start = time.perf_counter()
    report = report_on(spec)
    return Result(
        chosen.name,
        chosen.version,
        model,
        "equal" if report.equal else "different",
        spec,
        report,
        milliseconds=round((time.perf_counter() - start) * 1000, 3),
    )
