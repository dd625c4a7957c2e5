"""Derive the formula of a class of transformers from its programs, and validate it.

The programs say what the class makes of any configuration. At one configuration, with each size a
symbol, they give the tensors and the conditions: the sizes that the classes read, and decide by.
What is left to do is what any derivation does: violate each condition, and compare the formula with
held-out models, which transformers builds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from paramproof.algebra.letters import letters_for
from paramproof.catalogue.program import ERRORS, Part, Refused
from paramproof.derivation.followed import read_off
from paramproof.derivation.letters import NotSymbolic, symbolic, with_sizes
from paramproof.derivation.runner import DerivationError, Effort, Progress
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.expression import expression
from paramproof.formulas.printing import shown
from paramproof.sources.reference import in_one_line
from paramproof.tracing.configuration.terms import Unknown
from paramproof.tracing.constructors import require_sizes
from paramproof.tracing.constructors.model_class import ModelClass
from paramproof.tracing.internal_errors import raise_if_internal


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
    chosen = ModelClass.of(what, given, architecture)
    names = chosen.config_class.attribute_map
    fields = [names[name] for name in chosen.keys if name in names]
    if fields or sizes:
        # A key may be another name of a field, and a file may have both.
        part = _understand(chosen.name, chosen.part)
        known = {field: part.get(field) for field in fields}
        chosen = replace(chosen, keys=with_sizes(part, {**known, **require_sizes(sizes or {})}))
    try:
        chosen.constructor({}, lambda _: chosen.keys).make({})
    except Exception as error:  # A constructor may raise anything.
        raise_if_internal(error)
        raise DerivationError(f"{chosen.name} is not made: {in_one_line(error)}") from error
    part = _understand(chosen.name, chosen.part)
    symbols = _symbols(part, chosen.name)
    order = {path: place for place, path in enumerate(_declared(part))}
    if other := next((one for one in sizes or {} if one not in {*order, *symbols.sizes}), None):
        has = ", ".join(symbols.sizes)
        raise ValueError(f"{what} has no size {shown(other)}; it has {has}")
    own = sorted(symbols.sizes, key=lambda one: order.get(one.partition("[")[0], len(order)))

    def keys_at(sizes: Mapping[str, int]) -> Any:
        # Numbers of layers of a kind, ``layer_types[full_attention]``, stay as they are.
        kinds = [one for one in sizes if one.endswith("]") and not one[-2].isdigit()]
        return with_sizes(part, {one: n for one, n in sizes.items() if one not in kinds})

    constructor = chosen.constructor({one: symbols.sizes[one] for one in own}, keys_at)
    return read_off(constructor, symbols, {}, None, seed, note, Effort(), letters_for)


def _understand(name: str, run: Callable[[], Any]) -> Any:
    try:
        return run()
    except (Unknown, Refused, NotSymbolic, *ERRORS) as error:
        said = f"{name} is not understood: {in_one_line(error)}"
        raise DerivationError(f"{said}; derive a function that makes it") from error


def _symbols(part: Part, name: str) -> Derivation:
    """Return the formula of a model, whose symbols are the fields themselves."""
    found: Derivation = _understand(name, lambda: symbolic(part, name, lambda path: path))
    # A size of 0, such as a number of token types, says that something is absent.
    absent = {name: expression(0) for name, size in found.sizes.items() if not size}
    sizes = {name: size for name, size in found.sizes.items() if size}
    return replace(found.substitute(absent), sizes=sizes)


def _declared(part: Part, before: str = "") -> Iterator[str]:
    """Yield the paths of the fields that a configuration declares, under all their names."""
    for name in (*part.program.types, *part.program.aliases):
        if isinstance(inner := part.get(name), Part):
            yield from _declared(inner, f"{before}{name}.")
        else:
            yield f"{before}{name}"
