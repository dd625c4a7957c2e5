"""``paramproof derive``: derive the formula of a model from code, and the sizes it holds for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from paramproof.cli import options
from paramproof.cli.output import CommandAnswer
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.derivation_data import derivation_data
from paramproof.formulas.expression import latex
from paramproof.formulas.printing import legible, shown
from paramproof.json_form import document
from paramproof.resolver import derive_formula
from paramproof.tables import Table
from paramproof.views import formula


@click.command("derive", short_help="Derive the formula of a model from its code.")
@click.argument("model", metavar="MODEL", shell_complete=options.MODELS)
@options.repeatable("--size", "sizes", "NAME=VALUE", "Start from this size instead of the default")
@options.class_name
@options.as_json("the derivation")
@click.option("--latex", "as_latex", is_flag=True, help="Print the formula as LaTeX.")
@click.option("--seed", default=0, show_default=True, help="Seed for sampling sizes.")
@options.seconds("--time-limit", "seconds", 600, "Stop after this many seconds.")
def derive_command(
    model: str, sizes: Sequence[str], class_name: str, as_latex: bool, seed: int, seconds: float
) -> CommandAnswer:
    """Derive the formula of MODEL: its tensors in letters, and the sizes for which it holds.

    MODEL is a model type or class of Hugging Face transformers (deepseek_v3, BertForMaskedLM), a
    config.json, or MODULE:FUNCTION. The int parameters of the function are the sizes. It returns a
    model of PyTorch, Keras 3, tf-keras, nnx, Equinox, MLX or Paddle, for linen (module, variables).

    \b
    Examples:
      paramproof derive bert
      paramproof derive LlamaForCausalLM --size num_hidden_layers=80
    """
    with options.deriving_progress() as note:
        note("starting a process")
        derivation = derive_formula(
            model, class_name, sizes=_sizes(sizes), seed=seed, seconds=seconds, note=note
        )
    parts = [latex(derivation.formula)] if as_latex else derivation_parts(derivation)
    body = derivation_data(derivation)
    return CommandAnswer(lambda width: parts, lambda: document("derivation", body))


def derivation_parts(derivation: Derivation) -> Iterator[Table | str]:
    versions = derivation.evidence.versions.items()
    built = ", ".join(f"{name} {version}" for name, version in versions)
    yield f"{legible(derivation.name)}, built with {built}\n"
    yield formula.tensors_table(derivation)
    yield from formula.formula_lines(derivation)
    yield formula.sizes_table(derivation)
    if derivation.conditions:
        yield formula.conditions_table(derivation)
    yield from formula.evidence_lines(derivation)


def _sizes(given: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not (equals and name and value.isdecimal()):
            needed = "NAME=VALUE with a whole number, as in hidden_size=1024"
            raise ValueError(f"--size {shown(one)} is not {needed}")
        if name in found:
            raise ValueError(f"--size {legible(name)} is given twice")
        found[name] = int(value)
    return found
