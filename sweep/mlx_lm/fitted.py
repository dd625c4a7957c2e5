"""The programs of a model type that only mlx-lm has, fitted to the models that it builds.

mlx-lm's code is not followed: ``derive`` fits the shapes and numbers of its tensors at each choice
of the flags that change them. The choices become conditions of tensors, and a list of layers
becomes a loop. Other keys are tried with values of each kind: one that changes no tensor is
accepted.
"""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, reduce
from importlib.resources import files
from itertools import chain, combinations, product
from typing import Any

from paramproof.derivation.pipeline import DerivationError, derive
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.expression import Expression, floor, letter
from paramproof.formulas.path import starred
from paramproof.tracing.configuration.nodes import EMPTY, FORMAT, Data, refuse
from paramproof.tracing.configuration.reader_terms import CONFIG, Model, check, lowered, model_term
from paramproof.tracing.configuration.terms import Term, Value, both, choose, either, negate, term
from paramproof.tracing.constructors import Constructor, require_sizes
from paramproof.tracing.tensor_groups import ObservedTensor
from sweep.library.keys import Keys
from sweep.mlx_lm.modules import MORE_POINTS, Fitted, fields_of, model_of, term_of
from sweep.witnesses.comparison import Refused
from sweep.witnesses.mlx_lm import Arrays, arrays, keys_read, versions

REQUIRED = inspect.Parameter.empty
"""Stands for the default of a key that mlx-lm requires."""

NOT_SIZES = ("_token_id", "_every_n_layers")
"""Endings of int keys that are not sizes."""

POINTS = 3
"""Sizes at which other keys are tried."""

MIN_MODELS, MAX_MODELS = 3, 6
"""The numbers of models that the size of a null key must fit."""

MAX_HELD = 2
"""The largest number of sizes that are held at one value, because no formula has them."""

KINDS: Mapping[str, Sequence[Any]] = {
    "null": [None],
    "bool": [True, False],
    "int": [1, 3, 10**6],
    "float": [1.0, 16.5, 0.5, 0.03125],
    "str": ["any", "gelu", "silu"],
    "list": [[], [1, 2], [0], [0.0, 0.5], [0.25, 1e308], ["a", "b"]],
}
"""Values of each declared type that are tried for a key."""

NOT_POSITIVE = (0, 0.0, -1, -100, -0.5)

OBJECTS: Sequence[Keys] = (
    {"type": "default"},
    {"type": "linear", "factor": 2.0},
    {"type": "dynamic", "factor": 2.0},
    {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096},
    {
        "type": "llama3",
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
    },
)
"""Parameters of rotary positions: the only objects that mlx-lm's models read."""

UNREAD: Sequence[Keys] = ({}, {"type": "any", "rope_type": "any"})
"""Objects that are accepted only where none is read."""

VALUES = [*chain(*KINDS.values()), *NOT_POSITIVE, *OBJECTS]
"""Values of all kinds, of which random configurations have some."""


@cache
def published_models() -> Mapping[str, Any]:
    """Return the class and the required keys of a published model of each type."""
    return tomllib.loads(files("sweep.mlx_lm").joinpath("models.toml").read_text("utf-8"))


def defaults_of(model_type: str) -> Keys:
    """Return the default of each key that mlx-lm reads for a model type."""
    read = keys_read({"model_type": model_type}).items()
    return {name: one.default for name, one in read if name != "model_type"}


def built(keys: Keys) -> Arrays | None:
    """Return the arrays of a model by their names, or None if mlx-lm refuses its keys."""
    try:
        return arrays(keys)
    except Refused:
        return None


def is_size(value: object) -> bool:
    return type(value) is int and value > 0


def file_of(model_type: str) -> Data:
    """Return the file of a model type. Raises ``DerivationError`` if it has no formula."""
    name, given = (published_models()[model_type][one] for one in ("class", "keys"))
    defaults = defaults_of(model_type)
    values = {k: given.get(k, v) for k, v in defaults.items()}
    sizes = {k: v for k, v in values.items() if is_size(v) and not k.endswith(NOT_SIZES)}
    start = {k: v for k, v in given.items() if k not in sizes} | {"model_type": model_type}
    varied, derivation = fit_most(name, start, sizes)
    held = {k: v for k, v in sizes.items() if k not in varied}
    start |= held
    first = Fitted(name, start, varied, [({}, derivation)])
    points = first.sizes_by_key(POINTS)
    flags = [k for k, v in values.items() if type(v) is bool and is_decisive(start, points, k)]
    every = product((False, True), repeat=len(flags))
    choices = [dict(zip(flags, one, strict=True)) for one in every]
    derivations = [(one, fit(name, {**start, **one}, varied)) for one in choices]
    fitted = Fitted(name, start, varied, derivations)
    model = model_of(fitted, held)
    # A key that the model does not require has the value of the published one.
    optional = {k: values[k] if v is REQUIRED else v for k, v in defaults.items() if k not in sizes}
    rules = rules_of(fitted, {**defaults, **optional}, model, flags)
    return {
        "format": FORMAT,
        "type": model_type,
        "versions": versions(),
        "configurations": {f"{model_type}.ModelArgs": rules},
        "models": {name: model_term(model)},
    }


def fit_most(
    name: str, keys: Keys, sizes: Mapping[str, int]
) -> tuple[Mapping[str, int], Derivation]:
    """Derive the model at as many of the sizes as its shapes have a formula in; return these."""
    for number in range(MAX_HELD + 1):
        for held in combinations(sizes, number):
            varied = {k: v for k, v in sizes.items() if k not in held}
            try:
                return varied, fit(name, {**keys, **{k: sizes[k] for k in held}}, varied)
            except DerivationError as error:
                last = error
    raise last


def fit(name: str, keys: Keys, sizes: Mapping[str, int]) -> Derivation:
    """Fit a formula to the models that mlx-lm builds, which takes nothing but plain ints."""

    def make(chosen: Mapping[str, int]) -> Arrays:
        return arrays({**keys, **chosen})

    def observed(made: Arrays) -> list[ObservedTensor]:
        return [ObservedTensor(starred(one), shape, "trainable") for one, shape in made.items()]

    modules = "mlx_lm", "mlx"
    return derive(Constructor(name, require_sizes(sizes), make, observed, modules, versions()))


def is_decisive(start: Keys, points: Iterable[Keys], flag: str) -> bool:
    """Return whether a flag selects the tensors of any model, so that both are built."""
    pairs = ([built({**start, **one, flag: value}) for value in (False, True)] for one in points)
    return any(None not in (off, on) and off != on for off, on in pairs)


def rules_of(fitted: Fitted, defaults: Keys, model: Model, flags: Collection[str]) -> Data:
    """Return what becomes of the keys: sizes, flags, and keys that change no tensor."""
    points = fitted.sizes_by_key(POINTS)
    models = [
        (keys, made)
        for keys in ({**fitted.start, **p, **c} for p in points for c, _ in fitted.derivations)
        if (made := built(keys)) is not None
    ]
    size, read = term("int"), fields_of(model)
    keys, fields, refusals = dict[str, list[Any]](), dict[str, Value](), list[Term]()
    for name, default in defaults.items():
        if name in flags:
            keys[name] = [check(term("bool")), default]
        elif name not in read:
            accepted, refused = accepted_values(name, models)
            usual = fitted.sizes.get(name) if default is REQUIRED else default
            keys[name] = [check(accepted), usual]
            refusals += refused
        elif is_size(default):
            keys[name] = [check(size), default]
        elif default is None and (found := size_if_null(fitted, name)):
            keys[name] = [check(term("union", size, term("null"))), None]
            key = term("key", name)
            fields[name] = lowered(choose(term("is", key, None), term_of(found), key))
        else:
            keys[name] = [check(size)]
            refusals.append(refuse(negate(term("has", CONFIG, name)), f"{name} is required"))
    return {**EMPTY, "keys": keys, "fields": fields, "refusals": refusals}


def accepted_values(name: str, models: Sequence[tuple[Keys, Arrays]]) -> tuple[Term, list[Term]]:
    """Return the type of the values with which no tensor changes, and what is refused of it."""

    def keeps(*values: Any) -> bool:
        return all(built({**keys, name: one}) == made for keys, made in models for one in values)

    key, refused = term("key", name), list[Term]()

    accepted = [term(kind) for kind, values in KINDS.items() if keeps(*values)]
    if term("bool") not in accepted:
        accepted += [term("one of", one) for one in KINDS["bool"] if keeps(one)]
    number = both(term("isinstance", key, "int", "float"), negate(term("isinstance", key, "flag")))
    if term("int") in accepted and not keeps(*NOT_POSITIVE):
        is_low = lowered(both(number, term("<=", key, 0)))
        refused.append(refuse(is_low, f"{name} must be positive"))
    objects = [one for one in OBJECTS if keeps(one)]
    if keeps(*UNREAD):
        accepted.append(term("dict"))
    elif objects:
        accepted.append(term("dict"))
        kind = term("method", "get", key, "type", term("method", "get", key, "rope_type", None))
        known = [
            reduce(both, (term("has", key, one) for one in keys if one != "type"), is_text)
            for keys in objects
            for is_text in [term("==", kind, keys["type"])]
        ]
        unknown = both(term("isinstance", key, "object"), negate(reduce(either, known)))
        why = f"{name} has unknown parameters of rotary positions"
        refused.append(refuse(lowered(unknown), why))
    return term("union", *accepted), refused


def size_if_null(fitted: Fitted, name: str) -> Expression | None:
    """Return the size that mlx-lm takes for a key that is null."""
    letters = [letter(one) for one in fitted.sizes if one != name]
    candidates = [*letters, *(floor(a, b) for a in letters for b in letters if a != b)]
    models = [
        (keys, built({**fitted.start, **keys, name: None}))
        for keys in fitted.sizes_by_key(MORE_POINTS)
    ]
    known = [one for one in models if one[1] is not None][:MAX_MODELS]

    def fits(size: Expression) -> bool:
        # Code such as ``head_dim or H // A`` takes 0 for a key that is null.
        return all(
            (due := size.evaluate(keys)) > 0 and built({**fitted.start, **keys, name: due}) == made
            for keys, made in known
        )

    return next(filter(fits, candidates), None) if len(known) >= MIN_MODELS else None
