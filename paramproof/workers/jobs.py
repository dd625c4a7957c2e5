"""The jobs that a worker can run, by name: verify, prove, differences.

A job is sent to the worker as JSON; in the worker, ``records`` runs it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, Generic, Self, TypeVar

from paramproof.builders.protocol import Builder
from paramproof.builders.registry import Framework
from paramproof.checks.model import check
from paramproof.checks.result import Result, timed_check
from paramproof.differences.answer import Answer
from paramproof.formulas import FAMILIES, EncoderSpec, Spec
from paramproof.formulas.families import spec_fields, spec_from
from paramproof.proof.prove import OnStep, Proof, proofs
from paramproof.random_specs import fixed_in, random_specs, refusal
from paramproof.record import Record
from paramproof.user_formulas.client import TIME_LIMIT, FormulaClient
from paramproof.user_formulas.verify import verify_formula
from paramproof.workers.memory import peak_memory

R = TypeVar("R", bound=Record)

WARM_UP = EncoderSpec(
    vocab_size=5,
    hidden_size=2,
    num_hidden_layers=1,
    num_attention_heads=1,
    intermediate_size=3,
    max_position_embeddings=4,
    type_vocab_size=2,
)


class Job(ABC, Generic[R]):
    """A kind of job: its ``name``, the class of its ``record``, and the code that runs it."""

    name: ClassVar[str]
    record: ClassVar[type[Record]]

    @abstractmethod
    def records(self, chosen: Framework, builder: Builder, on_step: OnStep) -> Iterator[R]:
        """Run this job in the process of one framework, and yield its records.

        If the job counts steps smaller than a record, it calls ``on_step`` with the number of
        steps done and of all steps.
        """

    def due(self, came: Sequence[R]) -> int | None:
        """Return how many records a worker must send in all, given those that ``came``.

        None if only the framework knows.
        """
        return None

    def as_json(self) -> dict[str, Any]:
        """Return the fields of this job as data for ``json.dumps``."""
        return {}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Return the job that ``as_json`` wrote."""
        return cls(**data)


@dataclass(frozen=True, slots=True)
class Verify(Job[Result]):
    """Check named ``models`` and random specs, ``examples`` of each of the ``families``.

    ``formula`` names a user's formula, MODULE:FUNCTION, to check instead of this project's. Then
    ``families`` has one family, and all models belong to it. ``seconds`` limits each call.
    """

    name = "verify"
    record = Result

    models: Mapping[str, Spec]
    examples: int
    seed: int
    families: tuple[str, ...] = field(default_factory=lambda: tuple(FAMILIES))
    formula: str = ""
    seconds: float = TIME_LIMIT

    def records(self, chosen: Framework, builder: Builder, on_step: OnStep) -> Iterator[Result]:
        """Yield a result for each named model, then for each random spec."""
        # The first build in a process includes the framework's start-up time.
        if builder.supports(WARM_UP) is True:
            check(builder, WARM_UP)
        for result in self._results(chosen, builder):
            yield replace(result, peak_mb=round(peak_memory() / 1e6, 1))

    def due(self, came: Sequence[Result]) -> int:
        """Return the number of named models and random specs.

        A family that the framework cannot express has a single record. A user's formula that
        differs has one more record, for the smallest spec; a refusal is the last record.
        """
        if any(result.status == "refused" for result in came):
            return len(came)
        smallest = bool(self.formula) and any(result.status == "different" for result in came)
        families = len(self.families) if self.examples else 0
        refused = sum(not result.model and not result.spec for result in came)
        return len(self.models) + refused + self.examples * (families - refused) + smallest

    def as_json(self) -> dict[str, Any]:
        """Return the fields of this job as data for ``json.dumps``."""
        models = {name: spec_fields(spec) for name, spec in self.models.items()}
        return asdict(replace(self, models={})) | {"models": models}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Return the job that ``as_json`` wrote."""
        models = {name: spec_from(fields) for name, fields in data["models"].items()}
        return cls(**data | {"models": models, "families": tuple(data["families"])})

    def _results(self, chosen: Framework, builder: Builder) -> Iterator[Result]:
        if self.formula:
            (family,) = self.families
            asked = FAMILIES[family], self.models, self.examples, self.seed
            with FormulaClient(self.formula, seconds=self.seconds) as formula:
                yield from verify_formula(chosen, builder, formula, *asked)
            return
        for model, spec in self.models.items():
            yield timed_check(chosen, builder, spec, lambda spec: check(builder, spec), model)
        for family in self.families if self.examples else ():
            if reason := refusal(builder, family):
                yield Result(chosen.name, chosen.version, "", "not expressible", reason=reason)
                continue
            fixed = fixed_in(family, chosen.fixed)
            for spec in random_specs(builder, self.examples, self.seed, family, **fixed):
                yield timed_check(chosen, builder, spec, lambda spec: check(builder, spec))


@dataclass(frozen=True, slots=True)
class Prove(Job[Proof]):
    """Prove a framework's count at every size, once for each of ``families``.

    If ``models`` are given, by name, prove each of these instead.
    """

    name = "prove"
    record = Proof

    families: tuple[str, ...] = field(default_factory=lambda: tuple(FAMILIES))
    models: dict[str, Spec] = field(default_factory=dict)

    def records(self, chosen: Framework, builder: Builder, on_step: OnStep) -> Iterator[Proof]:
        """Yield a proof for each family or model; a step is a build."""
        yield from proofs(chosen, builder, self.families, on_step, self.models)

    def due(self, came: Sequence[Proof]) -> int:
        """Return the number of families, or of models."""
        return len(self.models or self.families)

    def as_json(self) -> dict[str, Any]:
        """Return the fields of this job as data for ``json.dumps``."""
        models = {name: spec_fields(spec) for name, spec in self.models.items()}
        return {"families": list(self.families), "models": models}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Return the job that ``as_json`` wrote."""
        models = {name: spec_from(fields) for name, fields in data["models"].items()}
        return cls(tuple(data["families"]), models)


@dataclass(frozen=True, slots=True)
class Differences(Job[Answer]):
    """Ask a framework every question of the reference of differences."""

    name = "differences"
    record = Answer

    def records(self, chosen: Framework, builder: Builder, on_step: OnStep) -> Iterator[Answer]:
        """Yield every answer."""
        # Imported in the worker only, since it imports NumPy.
        from paramproof.differences.ask import answers

        yield from answers(chosen, builder)


JOBS: dict[str, type[Job[Any]]] = {job.name: job for job in (Verify, Prove, Differences)}


def written(job: Job[Any]) -> dict[str, Any]:
    """Return ``job`` with its name, as data for ``json.dumps``."""
    return {"job": job.name, **job.as_json()}


def read(data: dict[str, Any]) -> Job[Any]:
    """Return the job that ``written`` wrote."""
    fields = dict(data)
    return JOBS[fields.pop("job")].from_json(fields)
