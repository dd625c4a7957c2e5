"""``paramproof verify``: compare a formula with what frameworks, or transformers, build."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from paramproof.cli.options import (
    MAX_SECONDS,
    derive_option,
    family_option,
    framework_option,
    json_option,
    models_option,
    require_together,
    resolving_all,
    time_limit_option,
)
from paramproof.cli.output import CommandAnswer
from paramproof.cli.verify_answers import (
    built_by_transformers,
    formula_at_sizes,
    in_frameworks,
    in_shard,
    proved,
    sample_of,
    sum_of_shards,
)
from paramproof.resolver import Model
from paramproof.verify.results import Sample
from paramproof.verify.shards import shard_of
from paramproof.verify.user_formula import TIME_LIMIT, FormulaReference

COMMON = {"--framework", "--family", "--model", "--json"}
DRAWN = {*COMMON, "--examples", "--seed", "--shard", "--seconds"}

TOGETHER = {"--summary": {"FILE"}, "--prove": COMMON, "--shard": DRAWN, "--seconds": DRAWN}
"""The options that may be given beside these; beside others, all may."""


@click.command("verify", short_help="Verify the formula in every framework, on many models.")
@framework_option("Verify")
@models_option("Verify")
@family_option("Verify")
@click.option(
    "--examples",
    type=click.IntRange(0),
    default=25,
    show_default=True,
    help="Number of random models of each family.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Seed of the random models.",
)
@json_option("every result")
@click.option(
    "--formula",
    "reference",
    metavar="MODULE:FUNCTION",
    help="Check this formula of yours instead of paramproof's.",
)
@derive_option
@time_limit_option(TIME_LIMIT, "Stop a call of --formula after this many seconds.")
@click.option(
    "--prove", is_flag=True, expose_value=False, help="Prove the formula at every size, in letters."
)
@click.option(
    "--seconds",
    "duration",
    type=click.FloatRange(0, MAX_SECONDS, min_open=True),
    metavar="SECONDS",
    help="Go on drawing models for so long, in each framework.",
)
@click.option(
    "--shard",
    metavar="I/N",
    callback=lambda ctx, param, given: given and shard_of(given),
    help="Verify only share I of N, on one of N machines.",
)
@click.option("--summary", is_flag=True, help="Verify nothing; sum up FILEs that --shard wrote.")
@click.argument("files", nargs=-1, type=Path, metavar="[FILE]...")
def verify_command(
    models: Sequence[str],
    reference: str | None,
    seconds: float,
    summary: bool,
    files: Sequence[Path],
    names: Sequence[str],
    families: Sequence[str],
    **sample: Any,
) -> CommandAnswer:
    """Compare every installed framework with the formula, over named and random models.

    Every model is built in every framework, and its tensors are compared with the formula's.
    Random models belong to the families in --family, to those of the models in --model, or to all.

    A formula of your own takes a spec, or letters and fields by name (for an encoder, any of L H A
    F V P T pooler mlm untied nsp), and returns the trainable parameters: an int, or ints by
    component. If it fits several families, add --family.

    If --model has no family (another model type, or MODULE:FUNCTION), your formula takes the
    letters or fields of its formula. Without --formula, the model is compared with the one that
    transformers builds.

    With --prove, the tensors of each framework's own models are derived in letters, for every
    combination of a family's parts, and compared with the formula's, at every size.

    With --seconds, drawing goes on with the next seed, and --shard takes every Nth seed from the
    Ith on. The results are then counted, and --json writes them for --summary.
    """
    given = require_together(TOGETHER)
    if {"--prove", "--model", "--family"} <= given:
        raise ValueError("--model and --family cannot be combined: a model has only one family")
    if summary and files:
        return sum_of_shards(files)
    if summary or files:
        raise ValueError("--summary needs the FILEs of shards, and nothing else takes a FILE")
    resolved = resolving_all([*dict.fromkeys(models)])
    formula = FormulaReference(reference, seconds) if reference else None
    if without := [model for model in resolved if model.names is None]:
        _require_alone(without[0], resolved, given, formula)
        if formula:
            answer = formula_at_sizes(formula, without[0], sample["examples"], sample["seed"])
        else:
            answer = built_by_transformers(without)
    else:
        drawn = sample_of(resolved, families, **sample)
        if "--prove" in given:
            answer = proved(names, drawn, resolved)
        elif given & {"--seconds", "--shard"}:
            answer = in_shard(names, drawn, _command(names, families, resolved, drawn))
        else:
            answer = in_frameworks(names, drawn, resolved, formula)
    return answer


def _command(
    names: Sequence[str], families: Sequence[str], models: Sequence[Model], sample: Sample
) -> str:
    """Return the command of a run, but for the options --shard and --json."""
    words = [word for name in names for word in ("--framework", name)]
    words += [word for name in families for word in ("--family", name)]
    words += [word for model in models for word in ("--model", model.name)]
    words += ["--examples", str(sample.examples), "--seed", str(sample.seed)]
    words += ["--seconds", f"{sample.seconds:g}"] if sample.seconds else []
    return shlex.join(["paramproof", "verify", *words])


def _require_alone(
    model: Model, models: Sequence[Model], given: set[str], formula: FormulaReference | None
) -> None:
    """Raise ``ValueError`` if a model without a family is combined with what needs a family."""
    where = f"--model {model.title}"
    if "--prove" in given:
        raise ValueError(f"{where} has no family: 'paramproof derive' tells what is proved of it")
    if others := sorted(given & {"--framework", "--family", "--seconds", "--shard"}):
        raise ValueError(f"{where} has no family: leave out {' and '.join(others)}")
    if formula and len(models) > 1:
        raise ValueError(f"{where} has no family: with --formula, give no other --model")
    if any(one.names for one in models):
        raise ValueError(f"{where} has no family, but others do: verify them separately")
    if not formula and any(one.keys is None for one in models):
        raise ValueError(f"{where} is a function or a derivation: give a --formula to compare with")
