"""One spec in one framework, timed: the record of ``paramproof verify``, whatever is held to."""

from __future__ import annotations

import time
from collections.abc import Callable

from paramproof.builders.protocol import Builder
from paramproof.builders.registry import Framework
from paramproof.checking.result import Result
from paramproof.formulas import Report, Spec


def timed_check(
    chosen: Framework,
    builder: Builder,
    spec: Spec,
    report_on: Callable[[Spec], Report],
    model: str = "",
) -> Result:
    """What ``report_on`` says of ``spec``, and how long it took; or that it is not expressible."""
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
