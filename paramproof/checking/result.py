"""What ``paramproof verify`` found for one spec in one framework, and its form as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from paramproof.builders.registry import Framework
from paramproof.formulas import Report, Row, Spec
from paramproof.formulas.families import spec_fields, spec_from

Status: TypeAlias = Literal["equal", "different", "not expressible", "broken", "refused"]


@dataclass(frozen=True, slots=True)
class Result:
    """One spec in one framework.

    ``model`` is the named model's name, "" for a random spec. ``milliseconds`` is build,
    read and compare, warm; ``peak_mb`` the peak memory of the worker so far, in 10**6
    bytes. ``reason`` says why there is no ``report``. A stranger's formula may be ``refused``,
    which is a mistake in the question and no failure; ``smallest`` marks what its difference
    was shrunk to.
    """

    framework: str
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
        """Whether this is a reason not to trust the formula or the framework."""
        return self.status in ("different", "broken")

    @classmethod
    def broken(cls, framework: Framework, reason: str) -> Result:
        """The last result of a worker that died."""
        return cls(framework.name, framework.version, "", "broken", reason=reason)

    def as_json(self) -> dict[str, Any]:
        """This result in dicts, lists and scalars; ``difference`` and totals included."""
        data = asdict(self) | {"spec": self.spec and spec_fields(self.spec)}
        if self.report:
            data["report"]["difference"] = self.report.difference
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Result:
        """The result that ``as_json`` wrote."""
        spec, report = data["spec"], data["report"]
        if report:
            rows = tuple(Row(**row | _shapes(row)) for row in report["rows"])
            report = Report(report["formula"], report["actual"], rows)
        return cls(**data | {"spec": spec and spec_from(spec), "report": report})


def _shapes(row: dict[str, Any]) -> dict[str, Any]:
    """JSON has lists where a row has tuples."""
    return {key: row[key] and tuple(row[key]) for key in ("expected", "observed")}
