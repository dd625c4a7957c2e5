"""The programs of a model type that only mlx-lm has, fitted to the models that it builds.

mlx-lm's code is not traced: ``derive`` fits the shapes and numbers of its tensors at each choice of
the flags that change them. The choices become conditions of tensors, and a list of layers becomes
a loop. Other keys are tried with values of each kind: one that changes no tensor is accepted.
"""

from __future__ import annotations

import inspect
import tomllib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, reduce
from importlib.resources import files
from itertools import combinations, product
from random import Random
from typing import Any, NamedTuple

from paramproof.derivation.pipeline import DerivationError, derive
from paramproof.derivation.sampling import sample_inside
from paramproof.formulas.condition import Condition, Relation
from paramproof.formulas.derivation import Derivation, DerivedTensor
from paramproof.formulas.expression import Expression, expression, floor, letter, sides
from paramproof.formulas.path import starred
from paramproof.tracing.configuration.nodes import FORMAT, Data, refuse, terms_in
from paramproof.tracing.configuration.reader_terms import CONFIG, check, lowered, model_term
from paramproof.tracing.configuration.rows import Entries, Entry, Loop, Model, Tensor
from paramproof.tracing.configuration.terms import Term, Value, both, choose, either, negate, term
from paramproof.tracing.constructors import Constructor, require_sizes
from paramproof.tracing.recorder import ignoring_array_code
from paramproof.tracing.tensor_groups import ObservedTensor
from sweep.witnesses.comparison import Refused
from sweep.witnesses.mlx_lm import Arrays, arrays, groups_of, module_of, versions

Keys = dict[str, Any]
REQUIRED = inspect.Parameter.empty
"""Stands for the default of a key that mlx-lm requires."""

NOT_SIZES = ("_token_id", "_every_n_layers")
"""Endings of int keys that are not sizes."""

POINTS = 3
"""Sizes at which other keys are tried."""

MORE_POINTS = 60
"""Sizes at which a size that is null is tried: heads wider than the model are refused in most."""

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

UNREAD: Sequence[Keys] = ({}, {"quant_method": "fp8"})
"""Objects that are accepted only where none is read."""

EMPTY: Data = {"aliases": {}, "properties": {}, "taken": []}

SELF, INDEX = term("self"), term("item", 0)


@cache
def published_models() -> Mapping[str, Any]:
    """Return the class and the required keys of a published model of each type."""
    return tomllib.loads(files("sweep.mlx_lm").joinpath("models.toml").read_text("utf-8"))


def defaults_of(model_type: str) -> Keys:
    """Return the default of each key that mlx-lm reads for a model type."""
    module = module_of(model_type)
    assert module is not None
    parameters = inspect.signature(module.ModelArgs).parameters
    return {name: one.default for name, one in parameters.items() if name != "model_type"}


def built(keys: Keys) -> Arrays | None:
    """Return the arrays of a model by their names, or None if mlx-lm refuses its keys."""
    try:
        return arrays(keys)
    except Refused:
        return None


def is_size(value: object) -> bool:
    return type(value) is int and value > 0


class Fitted(NamedTuple):
    """What was fitted to a class: the derivation at each choice of its flags."""

    name: str
    start: Keys
    """The keys that are not sizes."""
    sizes: Mapping[str, int]
    derivations: list[tuple[dict[str, bool], Derivation]]

    def sizes_by_key(self, number: int) -> list[Keys]:
        """Return small sizes by key that satisfy the guards of all choices."""
        first, random, found = self.derivations[0][1], Random(0), list[Keys]()
        for _ in range(number):
            drawn = sample_inside(random, first)
            if drawn and all(one.violated(drawn) is None for _, one in self.derivations):
                found.append({first.fields[k]: v for k, v in drawn.items()})
        return found


def file_of(model_type: str) -> Data:
    """Return the file of a model type. Raises ``DerivationError`` if it has no formula."""
    name, given = (published_models()[model_type][one] for one in ("class", "keys"))
    defaults = defaults_of(model_type)
    values = {k: given.get(k, v) for k, v in defaults.items()}
    sizes = {k: v for k, v in values.items() if is_size(v) and not k.endswith(NOT_SIZES)}
    start = {k: v for k, v in given.items() if k not in sizes} | {"model_type": model_type}
    sizes, derivation = fit_most(name, start, sizes)
    start |= {k: values[k] for k in values if is_size(values[k]) and k not in (*sizes, *start)}
    first = Fitted(name, start, sizes, [({}, derivation)])
    points = first.sizes_by_key(POINTS)
    flags = [k for k, v in values.items() if type(v) is bool and is_decisive(start, points, k)]
    choices = [
        dict(zip(flags, one, strict=True)) for one in product((False, True), repeat=len(flags))
    ]
    derivations = [(one, fit(name, {**start, **one}, sizes)) for one in choices]
    fitted = Fitted(name, start, sizes, derivations)
    held = {k: v for k, v in start.items() if is_size(v) and not k.endswith(NOT_SIZES)}
    model = model_of(fitted, held)
    # A key that the model does not require has the value of the published one.
    optional = {k: values[k] if v is REQUIRED else v for k, v in defaults.items() if k not in sizes}
    return {
        "format": FORMAT,
        "type": model_type,
        "versions": versions(),
        "configurations": {
            f"{model_type}.ModelArgs": rules_of(fitted, {**defaults, **optional}, model, flags)
        },
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
    """Derive the model that mlx-lm builds. It takes plain ints, so shapes are fitted."""

    def make(chosen: Mapping[str, int]) -> Arrays:
        return arrays({**keys, **chosen})

    def observed(made: Arrays, _: Any) -> Iterator[ObservedTensor]:
        for group, number in groups_of(made).items():
            yield from [ObservedTensor(group.path, group.shape, "trainable")] * number

    constructor = Constructor(
        name,
        require_sizes(sizes),
        make,
        observed,
        ignoring_array_code,
        ("mlx_lm", "mlx"),
        versions(),
        is_followed=False,
    )
    return derive(constructor)


def is_decisive(start: Keys, points: Iterable[Keys], flag: str) -> bool:
    """Return whether a flag selects the tensors of any model, so that both are built."""
    for point in points:
        one, other = (built({**start, **point, flag: value}) for value in (False, True))
        if one is not None and other is not None and one != other:
            return True
    return False


# The configuration


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
            keys[name] = [
                check(accepted),
                fitted.sizes.get(name) if default is REQUIRED else default,
            ]
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
    return {"keys": keys, "fields": fields, "refusals": refusals, **EMPTY}


def accepted_values(name: str, models: Sequence[tuple[Keys, Arrays]]) -> tuple[Term, list[Term]]:
    """Return the type of the values with which no tensor changes, and what is refused of it."""

    def keeps(*values: Any) -> bool:
        return all(built({**keys, name: one}) == made for keys, made in models for one in values)

    key, refused = term("key", name), list[Term]()

    def refuse_if(condition: Value, why: str) -> None:
        refused.append(refuse(lowered(condition), f"{name} {why}"))

    accepted = [term(kind) for kind, values in KINDS.items() if keeps(*values)]
    if term("bool") not in accepted:
        accepted += [term("one of", one) for one in KINDS["bool"] if keeps(one)]
    number = both(term("isinstance", key, "int", "float"), negate(term("isinstance", key, "flag")))
    if term("int") in accepted and not keeps(*NOT_POSITIVE):
        refuse_if(both(number, term("<=", key, 0)), "must be positive")
    objects = [one for one in OBJECTS if keeps(one)]
    if keeps(*UNREAD):
        accepted.append(term("dict"))
    elif objects:
        accepted.append(term("dict"))
        kind = term("get or", key, "type", term("get or", key, "rope_type", None))
        known = [
            reduce(both, (term("has", key, one) for one in keys if one != "type"), is_text)
            for keys in objects
            for is_text in [term("==", kind, keys["type"])]
        ]
        unknown = both(term("isinstance", key, "object"), negate(reduce(either, known)))
        refuse_if(unknown, "has unknown parameters of rotary positions")
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
        dues = [(size.evaluate(keys), keys, made) for keys, made in known]
        # Code such as ``head_dim or H // A`` takes 0 for a key that is null.
        return all(
            due > 0 and built({**fitted.start, **keys, name: due}) == made
            for due, keys, made in dues
        )

    return next(filter(fits, candidates), None) if len(known) >= MIN_MODELS else None


# The model


class Place(NamedTuple):
    """Where tensors of a group are: in a module, or in the layers of a list for which ``kept``."""

    list: str
    path: str
    kept: Value
    shape: tuple[Value, ...]


def model_of(fitted: Fitted, held: Mapping[str, int]) -> Model:
    # Of different sizes, so that each shape is of one group.
    point = max(fitted.sizes_by_key(MORE_POINTS), key=lambda one: len({*one.values()}))
    places = defaultdict[Place, list[dict[str, bool]]](list)
    lists, refusals = dict[str, Value](), defaultdict[Condition, list[dict[str, bool]]](list)
    for choice, derivation in fitted.derivations:
        names = {key: letter(field) for key, field in derivation.fields.items()}
        found = derivation.substitute(names)
        made = arrays({**fitted.start, **choice, **point})
        layers = layers_of(found.tensors, made, point)
        lists |= {name: term_of(size) for name, size in layers.items()}
        for tensor in found.tensors:
            for place in places_of(tensor, made, layers, point):
                places[place].append(choice)
        for stated in found.conditions:
            refusals[stated.condition].append(choice)
        fixed = {derivation.fields[one]: derivation.sizes[one] for one in derivation.fixed}
        for path, size in {**held, **fixed}.items():
            refusals[Condition(Relation.EQUAL, letter(path), expression(size), True)].append(choice)
    choices = [choice for choice, _ in fitted.derivations]
    found_refusals = {
        both(chosen(some, choices), negate(condition_term(one))): f"{fitted.name}: {one}"
        for one, some in refusals.items()
    }
    given = {place: chosen(some, choices) for place, some in places.items()}
    model = Model(tree(given, lists), found_refusals)
    for key in sorted(fields_of(model) & fitted.sizes.keys()):
        model.refusals[term("<", field(key), 1)] = f"{fitted.name}: {key} must be at least 1"
    return model


def split(path: str) -> tuple[str, int, str]:
    """Return the list of a path, the index in it, and the rest; no list if it has none."""
    parts = path.split(".")
    at = next((i for i, one in enumerate(parts) if one.isdigit()), 0)
    if not at:
        return "", 0, path
    return ".".join(parts[:at]), int(parts[at]), ".".join(parts[at + 1 :])


def layers_of(
    tensors: Iterable[DerivedTensor], made: Arrays, point: Mapping[str, int]
) -> dict[str, Expression]:
    """Return the length of each list of layers."""
    numbers = defaultdict[str, set[int]](set)
    for path in made:
        of, index, _ = split(path)
        numbers[of].add(index)
    found = {}
    for of in numbers.keys() - {""}:
        inside = (one.times for one in tensors if one.path.startswith(f"{of}.*"))
        sizes = (one for one in inside if one.evaluate(point) == len(numbers[of]))
        if size := next(sizes, None):
            found[of] = size
    return found


def places_of(
    tensor: DerivedTensor, made: Arrays, layers: Mapping[str, Expression], point: Mapping[str, int]
) -> Iterator[Place]:
    """Yield the places of a group, which are those of its arrays in a built model."""
    sizes = tuple(one.evaluate(point) for one in tensor.shape)
    paths = [path for path, of in made.items() if (starred(path), of) == (tensor.path, sizes)]
    indexes = defaultdict[tuple[str, str], list[int]](list)
    for path in paths:
        of, index, rest = split(path)
        indexes[(of, rest) if of in layers else ("", path)].append(index)
    if not paths:
        raise DerivationError(f"{tensor.path} does not occur at {point}")
    for (of, rest), found in indexes.items():
        kept = not of or kept_layers(sorted(found), tensor.times / len(indexes), layers[of], point)
        yield Place(of, rest, kept, tuple(map(term_of, tensor.shape)))


def kept_layers(
    found: list[int], times: Expression, long: Expression, point: Mapping[str, int]
) -> Value:
    """Return the condition of the layers that have a tensor: the first ones, or the last."""
    every = range(long.evaluate(point))
    if times.evaluate(point) == len(found):
        if found == [*every]:
            return True
        if found == [*every][: len(found)]:
            return term("<", INDEX, term_of(times))
        if found == [*every][-len(found) :]:
            return negate(term("<", INDEX, term_of(long - times)))
    raise DerivationError(f"a tensor is in the layers {found}, and not in {times} of {long}")


def chosen(some: Sequence[Mapping[str, bool]], every: Sequence[Mapping[str, bool]]) -> Value:
    """Return the condition that the flags are those of one of some choices."""

    def all_of(flags: Mapping[str, bool]) -> Value:
        terms = [field(k) if v else negate(field(k)) for k, v in flags.items()]
        return reduce(both, terms, True)

    common = {k: v for k, v in some[0].items() if all(one[k] is v for one in some)}
    if len(some) == sum(common.items() <= one.items() for one in every):
        return all_of(common)
    return reduce(either, map(all_of, some))


def tree(places: Mapping[Place, Value], lists: Mapping[str, Value]) -> Entries:
    """Return the modules of tensors by their paths."""
    modules: dict[str, Any] = {}
    for number, (place, condition) in enumerate(places.items()):
        *path, name = place.path.split(".")
        inside, turns = modules, ()
        if place.list:
            for one in place.list.split("."):
                inside = inside.setdefault(one, {})
            inside, turns = inside.setdefault(None, {}), (term("turn", 0),)
        for one in path:
            inside = inside.setdefault(one, {})
        tensor = Tensor(place.shape, "parameter", True, (number, *turns))
        inside.setdefault(name, []).append((both(condition, place.kept), tensor))

    def entries(inside: Mapping[str | None, Any], path: str) -> Iterator[Entry]:
        for name, what in inside.items():
            if isinstance(what, list):
                yield from (Entry(name, condition, tensor) for condition, tensor in what)
            elif name is None:
                layer = Entry(None, True, tuple(entries(what, path)))
                yield Entry(None, True, Loop(0, term("range", 0, lists[path], 1), True, (layer,)))
            else:
                inner = tuple(entries(what, f"{path}.{name}".strip(".")))
                yield Entry(name, True, inner)

    return tuple(entries(modules, ""))


# Terms


def field(key: str) -> Term:
    return term("field", SELF, key)


def term_of(size: Expression) -> Value:
    """Return an expression over keys as a term over fields."""
    total: Value = 0
    for powers, number in size.terms.items():
        found: Value = abs(number)
        for atom, power in powers:
            one: Value = field(atom) if isinstance(atom, str) else None
            if pair := sides(atom):
                one = term("//", *(term_of(side) for side in pair))
            if one is None or power < 1 or type(number) is not int:
                raise DerivationError(f"{size} is not a size in terms of keys")
            for _ in range(power):
                found = one if found == 1 else term("*", found, one)
        if total == 0 and number > 0:
            total = found
        else:
            total = term("+" if number > 0 else "-", total, found)
    return total


def condition_term(one: Condition) -> Value:
    """Return whether a condition is met, as a term."""
    left, right = (term_of(side) for side in (one.left, one.right))
    match one.relation:
        case Relation.DIVIDES:
            found = term("==", term("%", right, left), 0)
        case Relation.EQUAL:
            found = term("==", left, right)
        case _:
            found = term("<" if one.relation is Relation.LESS else ">", left, right)
    return found if one.holds else negate(found)


def fields_of(model: Model) -> set[str]:
    """Return the fields that a model depends on."""
    return {one.args[1] for one in terms_in([model_term(model)]) if one.op == "field"}
