"""Derive in a subprocess, which can crash or time out without harm.

A constructor may do anything to its process, which therefore does nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from paramproof.builders.registry import framework
from paramproof.child_process import Limit, Refused, call, tell
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.printing import MAX_MESSAGE_SHOWN, legible, path_text
from paramproof.sources.reference import in_one_line, load_reference


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
    what = what or str((keys or {}).get("model_type"))
    name, needed = path_text(what), framework("transformers")
    if needed.missing and (":" not in what or keys is not None):
        missing = f"to derive it {' and '.join(needed.missing)} must be installed"
        raise ValueError(f"{name}: {missing}: {needed.how_to_get}")
    late = f"{name}: not derived within {seconds:g} seconds"
    job = partial(_derived, what, keys and dict(keys), architecture, dict(sizes or {}), seed)
    note("importing")
    found: Derivation = call(job, Limit(seconds, late, f"{name}: the process ended"), note)
    return found


def _derived(
    what: str,
    keys: Mapping[str, Any] | None,
    architecture: str,
    sizes: Mapping[str, int],
    seed: int,
) -> Derivation | None:
    # Only the process that derives needs what is imported here.
    from paramproof.tracing.internal_errors import InternalError

    try:
        if ":" in what and keys is None:
            from paramproof.derivation.pipeline import derive
            from paramproof.tracing.constructors.function import function_constructor

            return derive(function_constructor(what, load_reference(what), sizes), seed, tell)
        from paramproof.derivation.model_class import derive_class

        return derive_class(what, keys, architecture, sizes, seed, tell)
    except InternalError as error:
        tell(RuntimeError(legible(str(error), MAX_MESSAGE_SHOWN)))
        return None
    except BaseException as error:  # Anybody's constructor may raise anything.
        said = str(error) if isinstance(error, ValueError) else f"{what}: {in_one_line(error)}"
        raise Refused(legible(said, MAX_MESSAGE_SHOWN)) from error
