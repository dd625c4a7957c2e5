"""The Python API: ``paramproof.count``, ``explain``, ``diff`` and ``derive``.

Only the standard library is imported, unless a live model or a function needs its own framework.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from paramproof.explanation.answer import Explanations
from paramproof.explanation.number import read
from paramproof.explanation.search import explained
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.errors import MAX_SECONDS, InvalidInput, require_type
from paramproof.formulas.printing import shown
from paramproof.resolver import Model, derive_formula, resolve
from paramproof.resolver.lookup import warned
from paramproof.views.counted import Count
from paramproof.views.difference import Difference, difference_of

__all__ = ["Count", "Difference", "count", "derive", "diff", "explain"]


def count(source: object, class_name: str = "", *, derive: bool = False) -> Count:
    """Return the count of a model, without building it.

    ``source`` is a name (``"llama-3-8b"``), the path of a ``config.json``, its text or its keys, a
    model type or class of transformers, MODULE:FUNCTION, a spec, what ``derive`` returns, or a live
    model of a framework, whose weights are counted. ``class_name`` replaces the class that a
    configuration names. With ``derive``, a formula that paramproof does not have is derived from
    the code of transformers, which takes seconds to minutes.

    Raises ``InvalidInput`` for a wrong source, with ``where`` and ``key``, and ``NotInCatalogue``
    for a configuration without a formula, with what to ``install`` to derive one. Both are
    subclasses of ``ValueError``. Warns by ``ConfigWarning`` of sizes that are absent, for which
    defaults are counted, and of keys that are ignored.

    >>> int(count("bert-base"))
    109482240
    """
    return Count(warned(resolve(source, class_name, derives=derive, weighs=True)))


def explain(
    number: int | str, source: object = None, class_name: str = "", *, derive: bool = False
) -> Explanations:
    """Explain which parameters a number counts, in the model ``source`` or in any named model.

    ``number`` is an int, or text as people write it: ``110M``, ``2,362,368``, ``438MB``. ``source``
    is what ``count`` takes or returns, but not a live model, and ``derive`` as in ``count``.

    Raises ``InvalidInput`` for text that is not a number, and the same errors as ``count``.
    """
    model = None if source is None else _model(source, class_name, derive)
    return explained(read(str(number)), model)


def diff(first: object, other: object, *, derive: bool = False) -> Difference:
    """Return how the second model differs from the first, by component, in letters and numbers.

    Each is what ``count`` takes or returns, but not a live model, and ``derive`` as in ``count``.
    Raises the same errors.
    """
    return difference_of(_model(first, "", derive), _model(other, "", derive))


def derive(
    source: object, class_name: str = "", *, seed: int = 0, seconds: float = 600, **sizes: int
) -> Derivation:
    """Derive the formula of a model from its code, and return it.

    ``source`` is a function that returns a model and whose int parameters are the sizes, or it
    names a model type, a class, a configuration, or MODULE:FUNCTION. ``sizes`` are those to start
    from, by name. The formula is derived in another process, within ``seconds``; that of a function
    that cannot be imported by name is derived in this process.

    Raises ``ValueError``, in one line, if no formula is found.
    """
    require_type(class_name, str, "class_name")
    require_type(seed, int, "seed")
    require_type(seconds, (int, float), "seconds")
    if not 0 < seconds <= MAX_SECONDS:
        allowed = f"above 0 and at most {MAX_SECONDS:,}"
        raise InvalidInput(f"seconds is {shown(seconds)}: it must be {allowed}")
    for size, value in sizes.items():
        require_type(value, int, size)
    if callable(source):
        name = _reference(source)
        if not name:
            return _derive_here(source, sizes, seed)
        source = name
    return derive_formula(source, class_name, sizes=sizes, seed=seed, seconds=seconds)


def _model(source: object, class_name: str, derives: bool) -> Model:
    """Return the model that ``source`` names, or that of a count."""
    if isinstance(source, Count) and class_name:
        raise InvalidInput("a count has its class already, so it takes no other")
    if isinstance(source, Count) and isinstance(source.model, Model):
        return source.model
    return warned(resolve(source, class_name, derives=derives))


def _reference(function: Callable[..., Any]) -> str:
    """Return MODULE:FUNCTION of a function, or "" if it cannot be imported by that name."""
    module, name = getattr(function, "__module__", ""), getattr(function, "__qualname__", "")
    if not module or module == "__main__" or not name.isidentifier():
        return ""
    found = vars(import_module(module)).get(name)
    return f"{module}:{name}" if found is function else ""


def _derive_here(function: Callable[..., Any], sizes: dict[str, int], seed: int) -> Derivation:
    from paramproof.derivation.pipeline import derive as derive_constructor
    from paramproof.tracing.constructors.function import function_constructor

    name = getattr(function, "__qualname__", type(function).__name__)
    return derive_constructor(function_constructor(name, function, sizes), seed)
