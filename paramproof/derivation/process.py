"""Derive in a process of its own, which may end, and takes no longer than it is given.

Finding a formula gives the modules that make a model another ``int`` and ``range``: that is no
process to do anything else in.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from typing import Any

from paramproof.child_process import Child, how_it_ended
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.derivation_data import derivation_from
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
    """Return the formula of MODULE:FUNCTION, of a model type or class, or of a configuration.

    A configuration has these ``keys``; ``what`` is then what errors call it.

    Raises ``ValueError``, in one line, where there is none, and where it takes longer than
    ``seconds``.
    """
    own = None if keys is None else dict(keys)
    request = {"what": what, "sizes": dict(sizes or {}), "keys": own, "architecture": architecture}
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as errors,
        Child("paramproof.derivation.worker", errors=errors) as child,
        child.time_limit(seconds) as late,
    ):
        child.ask({"constructor": request, "seed": seed})
        for answer in child.answers():
            if "derivation" in answer:
                return derivation_from(answer["derivation"])
            if "refused" in answer:
                raise ValueError(legible(answer["refused"], 2000))
            note(answer["note"])
        status = child.wait()
    if late.is_set():
        raise ValueError(f"{path_text(what)}: not derived within {seconds:g} seconds")
    raise ValueError(f"{path_text(what)}: the process ended {how_it_ended(status)}")
