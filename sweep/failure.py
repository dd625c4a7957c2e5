"""Why a class, or a variant of one, could not be derived."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import NamedTuple

from paramproof.derivation.trace_runner import DerivationError, FailureCause
from paramproof.sources.reference import in_one_line


class Reason(Enum):
    """A class of reasons, with its text; ``sweep/failed.json`` has its name."""

    PACKAGE = "a package is missing"
    NOT_MADE = "the default configuration does not build"
    NO_TIME = "no time was left"
    NOT_EXPLAINED = "a shape or a number has no formula"
    NOT_ALIKE = "the tensors change with the sizes for an unknown reason"
    REFUSES_INSIDE = "sizes that satisfy the guards are refused"
    NOT_AS_DERIVED = "the formula fails at other sizes"
    NOT_AS_BUILT = "transformers builds other tensors"
    CONFIG_REFUSED = "transformers refuses a configuration of the entry"
    NOT_DRAWN = "no random configuration satisfies the guards"
    NO_SIZES = "no sizes satisfy the guards"
    NO_PARAMETERS = "no parameters"
    ERROR = "an error in the constructor or the configuration"


OF_CAUSES = {
    FailureCause.NOT_MADE: Reason.NOT_MADE,
    FailureCause.NO_PARAMETERS: Reason.NO_PARAMETERS,
    FailureCause.NOT_ALIKE: Reason.NOT_ALIKE,
    FailureCause.NOT_EXPLAINED: Reason.NOT_EXPLAINED,
    FailureCause.NO_SIZES: Reason.NO_SIZES,
    FailureCause.REFUSED: Reason.REFUSES_INSIDE,
    FailureCause.NOT_AS_DERIVED: Reason.NOT_AS_DERIVED,
}


class Failure(NamedTuple):
    reason: Reason
    why: str

    @property
    def data(self) -> dict[str, str]:
        return {"reason": self.reason.name, "why": self.why}

    @classmethod
    def read(cls, data: Mapping[str, str]) -> Failure:
        return cls(Reason[data["reason"]], data["why"])

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        why = str(error) if isinstance(error, SweepError) else in_one_line(error)
        return cls(reason_of(error), why)


class OutOfTime(BaseException):
    """The time of a process is over; no constructor raises this."""


class SweepError(ValueError):
    """The sweep itself cannot do something, for a ``reason``."""

    def __init__(self, reason: Reason, why: str) -> None:
        super().__init__(why)
        self.reason = reason


NO_TIME = Failure(Reason.NO_TIME, "no time was left")


def reason_of(error: BaseException) -> Reason:
    """Return the class of reasons to which an error belongs."""
    if any(isinstance(one, ImportError) for one in _causes(error)):
        return Reason.PACKAGE
    if isinstance(error, SweepError):
        return error.reason
    if isinstance(error, DerivationError):
        return OF_CAUSES.get(error.cause, Reason.ERROR)
    return Reason.ERROR


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__
