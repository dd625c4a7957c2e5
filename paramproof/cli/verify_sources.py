"""The sources that ``verify`` compares formulas with, a function for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from paramproof.algebra.residual import explained
from paramproof.algebra.symbols import FamilyArchitecture
from paramproof.builders.registry import Framework, framework
from paramproof.checks.model import require_agreement
from paramproof.checks.result import Result
from paramproof.cli.output import CommandAnswer, print_unwrapped, width_of
from paramproof.cli.tables import verify_table
from paramproof.cli.workers import broken, how_to_get, record_data, run_in_frameworks
from paramproof.formulas import FAMILIES, Family
from paramproof.formulas.comparison import totals
from paramproof.formulas.families import family_of
from paramproof.formulas.models import named_models
from paramproof.formulas.printing import legible
from paramproof.formulas.spec import Spec
from paramproof.json_form import document
from paramproof.matching.model_comparison import report_on
from paramproof.resolver import Model
from paramproof.user_formulas.client import FormulaClient
from paramproof.user_formulas.comparison import Comparison, algebra, comparisons
from paramproof.user_formulas.family_choice import chosen_family
from paramproof.user_formulas.verdict import require_counts, verdict, without_smallest
from paramproof.views.formula import certainty
from paramproof.views.terminal import print_table
from paramproof.workers.jobs import Verify


@dataclass(frozen=True, slots=True)
class Sample:
    """The ``frameworks`` and ``families`` to verify, by name, and the number of random models."""

    frameworks: Sequence[str]
    families: Sequence[str]
    examples: int
    seed: int


def in_frameworks(models: Sequence[Model], sample: Sample) -> CommandAnswer:
    """Compare the formulas of families with the models that frameworks build."""
    specs = _specs(models, sample.families)
    families = _families(models, sample) or tuple(FAMILIES)
    require_agreement(families)
    results, absent = run_in_frameworks(
        sample.frameworks, Verify(specs, sample.examples, sample.seed, families)
    )
    return _answer(results, sample, lambda out: _print_results(out, results, absent, sample.seed))


def formula_in_frameworks(
    formula: FormulaClient, models: Sequence[Model], sample: Sample
) -> CommandAnswer:
    """Compare a user's formula with the models that frameworks build.

    The formula is called first, without any framework, to see that it works. Its family is one of
    the sample's or of the models', or of all families. It counts the ``models`` of that family or,
    without any, the named ones.

    Raises ``ValueError`` for a formula that cannot be called, a model of another family, and a
    framework that is not installed.
    """
    family = chosen_family(formula, _families(models, sample))
    require_families(models, (family.name,), f"but {formula.name} counts {family.name}")
    own = _specs(models, (family.name,))
    require_counts(formula, family, own)
    about = sample.examples, sample.seed, (family.name,), formula.name, formula.seconds
    results, _ = run_in_frameworks(sample.frameworks, Verify(own, *about))
    return _answer(
        results, sample, lambda out: _print_verdict(out, formula, family, results, sample.seed)
    )


def formula_at_sizes(formula: FormulaClient, model: Model, sample: Sample) -> CommandAnswer:
    """Compare a user's formula with that of a model without a family, at many sizes."""
    derived = model.architecture
    found = list(comparisons(formula, derived, sample.examples, sample.seed))
    differing = [compared for compared in found if not compared.equal]
    difference = algebra(formula, derived, differing[0]) if differing else ""
    results = [compared._asdict() for compared in found]
    body = {"model": derived.name, "seed": sample.seed, "results": results, "algebra": difference}
    lines = [
        f"{legible(derived.name)}: its formula was derived, {certainty(derived)}",
        *_first_lines(found, differing),
        *([difference] if differing else []),
        f"{formula.name}: equal at {len(found) - len(differing)} of {len(found)} sizes that meet "
        "the conditions",
    ]
    return CommandAnswer(
        document("verification", body), not differing, lambda out: print_unwrapped(out, lines)
    )


def built_by_transformers(models: Sequence[Model]) -> CommandAnswer:
    """Compare each formula with the model that transformers builds from the same configuration.

    The models are built on the meta device, in this process.

    Raises ``ValueError``, in one line, if transformers is missing or refuses a configuration.
    """
    needed = framework("transformers")
    if needed.missing:
        raise ValueError(f"{models[0].title}: building it needs transformers: {needed.how_to_get}")
    from paramproof.tracing.constructors.transformers_class import build_model

    lines: list[str] = []
    results: list[dict[str, Any]] = []
    for model in models:
        assert model.keys is not None
        assert model.reading is not None
        built = build_model(model.keys, model.reading.class_name)
        report = report_on(built, model.architecture)
        lines += [f"{model.title}: {report.render()}", *model.origin()]
        numbers = {"formula": report.formula, "actual": report.actual, "equal": report.equal}
        results.append({"model": model.name, "class": model.architecture.name, **numbers})
    equal = sum(result["equal"] for result in results)

    def show(out: Console) -> None:
        print_unwrapped(out, lines)
        out.print(f"{equal} of {len(models)} models equal the formula, tensor by tensor")

    return CommandAnswer(document("verification", {"results": results}), equal == len(models), show)


def require_families(models: Sequence[Model], families: Sequence[str], but: str) -> None:
    """Raise ``ValueError``, with ``but`` as its end, if a model belongs to none of ``families``."""
    for model in models:
        if model.names and model.family not in families:
            raise ValueError(f"--model {model.title} is of the family {model.family}, {but}")


def _specs(models: Sequence[Model], families: Sequence[str]) -> dict[str, Spec]:
    """Return the specs of ``models``; without them, of all named models of the ``families``."""
    specs = {one.name: one.names.spec for one in models if one.names}
    specs = specs or {name: one.spec for name, one in named_models().items()}
    return {n: one for n, one in specs.items() if not families or family_of(one).name in families}


def _families(models: Sequence[Model], sample: Sample) -> tuple[str, ...]:
    """Return the chosen families, or those of ``models``."""
    own = (model.family for model in models if model.names)
    return tuple(sample.families) or tuple(dict.fromkeys(own))


def _first_lines(found: Sequence[Comparison], differing: Sequence[Comparison]) -> Iterator[str]:
    """Yield both totals at the model's own sizes, and at the first sizes where they differ."""
    yield f"at its own sizes: {totals(found[0].derived, found[0].theirs)}"
    if differing and differing[0] is not found[0]:
        first = differing[0]
        yield ", ".join(f"{letter}={size}" for letter, size in first.sizes.items())
        yield totals(first.derived, first.theirs)


def _answer(
    results: Sequence[Result], sample: Sample, show: Callable[[Console], None]
) -> CommandAnswer:
    """Return the answer of a run in frameworks.

    A run in which no framework could build any of the models has verified nothing, and fails.
    """
    body = record_data(results, seed=sample.seed, examples=sample.examples)
    failed = any(result.failed for result in results) or not any(one.report for one in results)
    return CommandAnswer(document("verification", body), not failed, show)


def _print_results(out: Console, results: list[Result], absent: list[Framework], seed: int) -> None:
    print_table(out, verify_table(results))
    failures = [result for result in results if result.failed]
    for result in failures:
        if result.report and result.spec:
            text = explained(result.report, FamilyArchitecture.of(result.spec), width_of(out))
            out.print(f"\n{result.framework}", text, sep="\n", markup=False)
        else:
            out.print("", broken(result), sep="\n", markup=False)
    for reason in dict.fromkeys(r.reason for r in results if r.status == "not expressible"):
        if reason:
            out.print(f"not expressible: {reason}", markup=False)
    for chosen in absent:
        out.print(f"not installed, so not verified: {how_to_get(chosen)}", markup=False)
    reports = [result for result in results if result.report]
    if not reports:
        out.print("no model was verified")
        return
    equal = len(reports) - sum(result.failed for result in reports)
    out.print(f"{equal} of {len(reports)} models equal the formula, tensor by tensor", end="")
    out.print(f" (random specs: seed {seed})")


def _print_verdict(
    out: Console, formula: FormulaClient, family: Family, results: list[Result], seed: int
) -> None:
    lines = list(verdict(formula, family, results))
    print_table(out, verify_table(without_smallest(results)))
    for result in results:
        if result.status == "broken":
            lines.insert(0, broken(result))
    # A reason for random specs concerns the whole family; for a named model, the table is enough.
    absent = [result for result in results if result.status == "not expressible"]
    reasons = dict.fromkeys(result.reason for result in absent if not result.model)
    lines += [f"not expressible: {reason}" for reason in reasons]
    out.print(*lines, f"random specs: seed {seed}", sep="\n", markup=False)
