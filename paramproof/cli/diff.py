"""``paramproof diff``: what one model has more than another, as algebra and in numbers."""

from __future__ import annotations

from collections.abc import Iterator

import click
from rich.markup import escape
from rich.table import Table

from paramproof.algebra.difference import Component, components, told_apart
from paramproof.algebra.terms import Lettered
from paramproof.checking.model import require_agreement
from paramproof.cli.options import MODELS, class_option
from paramproof.cli.output import console
from paramproof.cli.resolving import resolving_type
from paramproof.cli.tables import PLAIN, RIGHT
from paramproof.counting.letters import in_letters
from paramproof.derive.models import AnyModel, DerivedModel
from paramproof.formulas.expression import Expression, expression
from paramproof.formulas.families import family_of
from paramproof.formulas.notation import text
from paramproof.formulas.printing import legible, signed
from paramproof.sources.resolve import STANDARD_INPUT, ResolvedModel


@click.command("diff", short_help="Say what one model has more than another.")
@click.argument("first", metavar="A", shell_complete=MODELS)
@click.argument("other", metavar="B", shell_complete=MODELS)
@class_option
def diff_command(first: str, other: str, architecture: str) -> None:
    """Print what B has more than A, component by component: in letters, and in numbers.

    A and B are what count takes: names of models, config.json files, and model types or classes of
    Hugging Face transformers, such as qwen3 and Qwen3ForCausalLM. Each number is at the sizes of
    its own model; those that differ are printed. Where one has names of its framework, and the
    other of a family here, components are put together in groups. Exit status 0 also where they
    differ.

    \b
    paramproof diff bert-base bert-large
    paramproof diff llama-3-8b qwen3
    """
    if first == other == STANDARD_INPUT:
        raise ValueError(f"{STANDARD_INPUT} is standard input, which can be read once")
    models = [resolving_type(first, architecture), resolving_type(other, architecture)]
    specs = (model.spec for model in models if isinstance(model, ResolvedModel))
    require_agreement(dict.fromkeys(family_of(spec).name for spec in specs))
    one = in_letters(models[0])
    two = told_apart(one, in_letters(models[1]))
    console.print(_table(models, one, two))
    for line in [*_lines(models, one, two), *_origins(models)]:
        console.print(line, markup=False, highlight=False)


def _table(models: list[AnyModel], one: Lettered, two: Lettered) -> Table:
    table = Table(**PLAIN)
    table.add_column("component", overflow="fold", min_width=12)
    table.add_column("B − A", overflow="fold", min_width=12)
    for model in models:
        table.add_column(escape(model.title), justify=RIGHT, overflow="fold", min_width=9)
    table.add_column("difference", justify=RIGHT, no_wrap=True)
    for component in components(one, two):
        table.add_row(*map(escape, _cells(component, one, two)))
    table.add_section()
    totals = Component("total", expression(one.named.total()), expression(two.named.total()))
    table.add_row(*map(escape, _cells(totals, one, two)))
    return table


def _cells(component: Component, one: Lettered, two: Lettered) -> tuple[str, ...]:
    first, other = _number(component.first, one), _number(component.other, two)
    difference = (other or 0) - (first or 0)
    shown = ("-" if number is None else f"{number:,}" for number in (first, other))
    letters = text(component.difference)
    return legible(component.path), letters, *shown, signed(difference) if difference else "0"


def _number(size: Expression | None, model: Lettered) -> int | None:
    return None if size is None else size.evaluate(model.sizes)


def _lines(models: list[AnyModel], one: Lettered, two: Lettered) -> Iterator[str]:
    """What the letters are, where they occur: those that differ with both sizes."""
    used = [expression(model.named.total()).letters for model in (one, two)]
    for name in dict.fromkeys([*one.sizes, *two.sizes]):
        if name not in used[0] | used[1]:
            continue
        first, other = (
            model.sizes.get(name) if name in letters else None
            for model, letters in zip((one, two), used, strict=True)
        )
        if first != other:
            field = (two.fields or {}).get(name) or (one.fields or {}).get(name)
            what = f" ({legible(field)})" if field else ""
            shown = ("-" if size is None else f"{size:,}" for size in (first, other))
            where = (f"{size} in {m.title}" for size, m in zip(shown, models, strict=True))
            yield f"{name}{what}: {', '.join(where)}"


def _origins(models: list[AnyModel]) -> Iterator[str]:
    for model in models:
        if isinstance(model, DerivedModel):
            yield from (f"{model.title}: {line}" for line in model.origin())
