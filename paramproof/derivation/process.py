"""Derive in a subprocess, which can crash or time out without harm.

A derivation patches modules that build models, so a process should do nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from paramproof.child_process import Child, how_it_ended
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.derivation_data import derivation_from
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.printing import legible, path_text


def derive_in_subprocess(
    what: str,
    *,
    keys: Mapping[str, Any] | None = None,
    sizes: Mapping[str, int] | None = None,
    architecture: str = "",
    seed: int = 0,
    seconds: float = 600,
    note: Callable[[str], None] = lambda _: None,
) -> Derivation:
    """Return the formula of MODULE:FUNCTION, of a model type or class, or of a config.

    ``keys`` are the keys of a config; ``what`` is then its name in error messages.

    Raises ``ValueError`` with one line if there is no formula, or after ``seconds``, and
    ``RuntimeError`` for an error of our own code.
    """
    own = None if keys is None else dict(keys)
    request = {"what": what, "sizes": dict(sizes or {}), "keys": own, "architecture": architecture}
    with (
        Child("paramproof.derivation.worker", keeps_errors=True) as child,
        child.time_limit(seconds) as late,
    ):
        child.ask({"constructor": request, "seed": seed})
        for answer in child.answers():
            if "derivation" in answer:
                return derivation_from(answer["derivation"])
            if "refused" in answer:
                raise InvalidInput(legible(answer["refused"], 2000))
            if "failed" in answer:
                raise RuntimeError(legible(answer["failed"], 2000))
            note(answer["note"])
        status = child.wait()
    if late.is_set():
        raise InvalidInput(f"{path_text(what)}: not derived within {seconds:g} seconds")
    raise InvalidInput(f"{path_text(what)}: the process ended {how_it_ended(status)}")
