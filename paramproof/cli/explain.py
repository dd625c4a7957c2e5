"""``paramproof explain``: which parameters a number counts."""

from __future__ import annotations

from collections.abc import Iterator

import click

from paramproof.cli import options
from paramproof.cli.output import CommandAnswer
from paramproof.explanation.answer import WIDTH, lines
from paramproof.explanation.number import read
from paramproof.explanation.search import explained


@click.command("explain", short_help="Explain which parameters a number counts.")
@click.argument("number")
@click.argument("model", required=False, shell_complete=options.MODELS)
@options.as_json("every explanation")
@options.class_name
@options.derive
@click.option(
    "--all", "every", is_flag=True, help="Print all explanations, and the names of all models."
)
def explain_command(number: str, model: str | None, class_name: str, every: bool) -> CommandAnswer:
    """Explain NUMBER: which parameters of MODEL, or of any named model, it counts.

    Write NUMBER as people do: 2,362,368 or 110M, or 438MB for a number of bytes. MODEL is a model
    as count takes it. The best explanations are printed, and the models for which the number was
    published. The exit status is 1 if there are none.
    """
    wanted = read(number)
    if class_name and model is None:
        raise ValueError("--class needs a MODEL: give a config.json after the number")
    resolved = None if model is None else options.resolving(model, class_name)
    answer = explained(wanted, resolved)

    def parts(width: int | None) -> Iterator[str]:
        yield from lines(answer, everything=every, width=min(width or WIDTH, WIDTH))
        if resolved and resolved.class_name:
            yield from ("", *resolved.origin())

    return CommandAnswer(parts, answer.to_dict, status=not answer.says_something)
