"""Resolve the models that users name, showing progress, and notes on how they were read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from paramproof.cli.options import deriving
from paramproof.cli.output import errors, remark
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.printing import legible
from paramproof.resolver import STANDARD_INPUT, Model, resolve
from paramproof.resolver.lookup import Note

if TYPE_CHECKING:  # One of them is shown only while a formula is derived.
    from rich.status import Status


def resolving(text: str, class_name: str = "", *, weighs: bool = False) -> Model:
    """Return the model that ``text`` names; print notes on how it was read to standard error.

    Raises ``ValueError``, in one line, in the same cases as ``paramproof.resolver.resolve``.
    """
    with deriving_progress() as note:
        model = resolve(text, class_name, note, derives=deriving(), weighs=weighs)
    for line in model.remarks():
        remark(f"{model.title}: {line}")
    return model


def resolving_all(texts: Sequence[str], class_name: str = "") -> list[Model]:
    """Return the models that ``texts`` name; the two derivations of their families must agree."""
    require_one_input(texts)
    models = [resolving(text, class_name) for text in texts]
    require_families(model.architecture for model in models)
    return models


def require_one_input(texts: Sequence[str]) -> None:
    if list(texts).count(STANDARD_INPUT) > 1:
        raise ValueError(f"{STANDARD_INPUT} is standard input, which can be read only once")


def require_families(models: Iterable[Architecture]) -> None:
    """Raise ``FormulaError`` if the two derivations of any family of ``models`` differ."""
    if families := [*filter(None, (model.family for model in models))]:
        from paramproof.verify.agreement import require_agreement

        require_agreement(dict.fromkeys(families))


@contextmanager
def deriving_progress() -> Iterator[Note]:
    """Show the progress of a derivation on standard error, once it has sent a note."""
    with ExitStack() as stack:
        shown: list[Status] = []

        def note(line: str) -> None:
            if not shown:
                shown.append(stack.enter_context(errors.status("starting a process")))
            shown[0].update(legible(line))

        yield note
