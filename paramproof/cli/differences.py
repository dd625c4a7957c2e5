"""``paramproof differences``: how frameworks differ, as recorded or as measured here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from paramproof.builders.registry import framework, frameworks
from paramproof.cli import options
from paramproof.cli.output import CommandAnswer
from paramproof.differences import answer
from paramproof.formulas.errors import InvalidInput, no_such
from paramproof.json_form import document
from paramproof.tables import Table

EXAMPLE = "paramproof differences torch keras-jax"


@click.command("differences", short_help="Compare the frameworks with each other.")
@click.argument(
    "first", nargs=-1, metavar="[FRAMEWORK]...", shell_complete=options.completing(frameworks)
)
@options.framework("Compare")
@click.option(
    "--component",
    metavar="NAME",
    shell_complete=options.completing(answer.components),
    help="Print only the differences in this component.",
)
@click.option(
    "--measure",
    is_flag=True,
    help="Run the installed frameworks instead of printing what is recorded.",
)
@options.as_json("the differences")
def differences_command(
    first: Sequence[str], component: str | None, names: Sequence[str], measure: bool
) -> CommandAnswer:
    """Compare frameworks: names, shapes and layouts of tensors, defaults, ways of counting.

    Prints what differs between the FRAMEWORKs, as it was measured in each and recorded: none has to
    be installed. Without names, it compares the defaults of all.

    A component is attention, layer_norm, mlm_head ..., or a path such as attention.query.
    docs/frameworks.md lists the pitfalls.
    """
    versions, answers = answer.recorded()
    if component is not None and not any(one.concerns(component) for one in answers):
        raise no_such("component", component, answer.components())
    known = frameworks()
    named = dict.fromkeys(framework(name).name for name in (*first, *names))
    installed = [name for name, one in known.items() if not one.missing]
    chosen = [*(named or (installed if measure else versions))]
    if len(chosen) < 2:
        only = f"{len(chosen) or 'no'} framework is {'named' if named else 'installed'}"
        raise InvalidInput(f"{only}: name two or more, as in {EXAMPLE}")
    if measure:
        # Imported only here: they need NumPy, and workers.
        from paramproof.cli.workers import run_in_frameworks
        from paramproof.differences import ask

        answers = run_in_frameworks(chosen, ask.answers, answer.Answer)
        versions = {name: known[name].versions() for name in chosen}
    if unknown := [name for name in chosen if name not in versions]:
        raise InvalidInput(f"nothing is recorded about {unknown[0]}: --measure asks it")
    versions = {name: versions[name] for name in chosen}
    failed = [one for one in answers if one.failed]
    given = [one for one in answers if one.framework in versions and not one.failed]
    differ = [d for d in answer.differing(given) if not component or d.concerns(component)]
    brief = not named and not component

    def parts(width: int | None) -> Iterator[Table | str]:
        how = "Measured" if measure else "Recorded"
        yield f"{how} with {answer.versions_text(versions.values())}."
        shown = [one for one in differ if one.section == "defaults" or not brief]
        yield from answer.difference_tables(shown, chosen, apart=width is not None)
        if not differ:
            yield "They do not differ in anything that was measured."
        elif brief:
            yield f"Name frameworks to compare their tensors and counts too: {EXAMPLE}"
        for one in failed:
            yield f"{one.framework} is installed but broken: {one.facts['reason']}"

    results = [{"id": one.id, **one.as_json()} for one in [*failed, *differ]]
    body = {"versions": versions, "results": results}
    return CommandAnswer(parts, lambda: document("differences", body), status=bool(failed))
