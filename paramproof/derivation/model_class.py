"""Derive the formula of a class of transformers from its programs, and validate it.

The programs say what the class makes of any configuration. At one configuration, with each size a
symbol, they give the tensors and the conditions: the sizes that the classes read, and decide by.
What is left to do is what any derivation does: violate each condition, and compare the formula with
held-out models, which transformers builds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

from paramproof.catalogue.program import ABSENT, ERRORS, Refused
from paramproof.derivation.followed import validator_of
from paramproof.derivation.letters import NotSymbolic, size_at, symbolic, with_sizes
from paramproof.derivation.runner import DerivationError, Progress, Runner
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.expression import expression
from paramproof.formulas.printing import shown
from paramproof.sources.reference import in_one_line
from paramproof.tracing.configuration.terms import Unknown
from paramproof.tracing.constructors import require_sizes
from paramproof.tracing.constructors.model_class import ModelClass


def derive_class(
    what: str,
    given: Mapping[str, Any] | None = None,
    architecture: str = "",
    sizes: Mapping[str, int] | None = None,
    seed: int = 0,
    note: Progress = lambda _: None,
) -> Derivation:
    """Return the formula of a model type or class of transformers.

    ``given`` are the keys of a configuration, ``architecture`` overrides the class that it names,
    and ``sizes`` override fields.

    Raises ``ValueError`` with one line for what transformers does not have, and
    ``DerivationError`` if no formula was found, or if validation failed.
    """
    chosen, absent = ModelClass.of(what, given, architecture), list[str]()
    names = chosen.config_class.attribute_map
    fields = [names[name] for name in chosen.keys if name in names]
    if fields or sizes:
        # A key may be another name of a field, and a file may have both.
        part = _understand(chosen.name, chosen.part)
        known = {field: part.get(field) for field in fields}
        absent = [one for one in require_sizes(sizes or {}) if size_at(part, one) is ABSENT]
        chosen = replace(chosen, keys=with_sizes(part, {**known, **(sizes or {})}))
    runner = Runner(chosen.constructor({}, lambda _: chosen.keys), Random(seed), note=note)
    runner.first()
    part = _understand(chosen.name, chosen.part)
    symbols = _understand(chosen.name, lambda: symbolic(part, chosen.name, lambda path: path))
    # A size of 0, such as a number of token types, says that something is absent.
    zero = {name: expression(0) for name, size in symbols.sizes.items() if not size}
    own = {name: size for name, size in symbols.sizes.items() if size}
    if other := next((one for one in absent if one not in own), None):
        raise ValueError(f"{what} has no size {shown(other)}; it has {', '.join(own)}")
    symbols = replace(symbols.substitute(zero), sizes=own)
    runner = replace(runner, constructor=chosen.constructor(own, partial(with_sizes, part)))
    return validator_of(runner, symbols).validated()


def _understand(name: str, run: Callable[[], Any]) -> Any:
    try:
        return run()
    except (Unknown, Refused, NotSymbolic, *ERRORS) as error:
        why = error.reason if isinstance(error, Refused) else in_one_line(error)
        said = f"{name} is not understood: {why or 'some of its code is not followed'}"
        raise DerivationError(f"{said}; derive a function that makes it") from error
