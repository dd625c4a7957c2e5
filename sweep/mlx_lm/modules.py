"""The modules of a fitted model: its tensors at each choice of flags, as one term each.

A group of tensors is placed where a built model has it: in a module, or in the first or last layers
of a list, which becomes a loop. What holds only at some choices has the flags as its condition.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from random import Random
from typing import Any, NamedTuple

from paramproof.derivation.pipeline import DerivationError
from paramproof.derivation.sampling import sample_inside
from paramproof.formulas.condition import Condition, Relation
from paramproof.formulas.derivation import Derivation, DerivedTensor
from paramproof.formulas.expression import Expression, expression, letter, sides
from paramproof.formulas.path import starred
from paramproof.tracing.configuration.nodes import terms_in
from paramproof.tracing.configuration.reader_terms import Model, Row, model_term, module_of
from paramproof.tracing.configuration.terms import Term, Value, both, either, negate, term
from sweep.library.keys import Keys
from sweep.witnesses.mlx_lm import Arrays, arrays

MORE_POINTS = 60
"""Sizes at which models are looked for: heads wider than the model are refused in most."""

SELF, INDEX = term("self"), term("item", 0)


class Fitted(NamedTuple):
    """The derivations fitted to a class, one for each choice of its flags."""

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
    found_refusals: dict[Any, str | None] = {
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
    found = re.fullmatch(r"(.+?)\.(\d+)\.(.+)", path)
    return (found[1], int(found[2]), found[3]) if found else ("", 0, path)


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


def tree(places: Mapping[Place, Value], lists: Mapping[str, Value]) -> Term:
    """Return the modules of tensors by their paths."""
    modules: dict[str | None, Any] = {}
    for place, condition in places.items():
        *path, name = place.path.split(".")
        inside = modules
        for one in [*place.list.split("."), None, *path] if place.list else path:
            inside = inside.setdefault(one, {})
        tensor = term("tensor", "trainable", term("list", *place.shape))
        inside.setdefault(name, []).append((both(condition, place.kept), tensor))

    def rows(inside: Mapping[str | None, Any], path: str) -> Iterator[Row]:
        for name, what in inside.items():
            if isinstance(what, list):
                yield from ((name, condition, tensor) for condition, tensor in what)
            elif name is None:
                layer = module_of([(None, True, module_of(rows(what, path)))])
                yield "", True, term("comp", 0, term("range", 0, lists[path], 1), layer, True)
            else:
                yield name, True, module_of(rows(what, f"{path}.{name}".strip(".")))

    return module_of(rows(modules, ""))


# Terms

OPERATIONS = dict(zip(Relation, ("==", "<", ">", "=="), strict=True))


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
        is_first = total == 0 and number > 0
        total = found if is_first else term("+" if number > 0 else "-", total, found)
    return total


def condition_term(one: Condition) -> Value:
    """Return whether a condition is met, as a term."""
    left, right = (term_of(side) for side in (one.left, one.right))
    if one.relation is Relation.DIVIDES:
        left, right = term("%", right, left), 0
    found = term(OPERATIONS[one.relation], left, right)
    return found if one.holds else negate(found)


def fields_of(model: Model) -> set[str]:
    """Return the fields that a model depends on."""
    return {one.args[1] for one in terms_in([model_term(model)]) if one.op == "field"}
