"""Tensors of an entry and their other paths are written and parsed."""

from dataclasses import replace

from paramproof.formulas.derivation import DerivedTensor
from paramproof.formulas.derivation_data import (
    parse_tensors,
    tensors_data,
    ties_data,
    with_ties,
)
from paramproof.formulas.expression import expression, letter

V, H, L = map(letter, "VHL")


def tensor(path, times, *aliases):
    return DerivedTensor(path, (V, H), times, "trainable", aliases, True, True)


def read_back(tensors):
    plain = [replace(one, aliases=()) for one in tensors]
    read = list(parse_tensors(tensors_data(plain)))
    assert read == plain
    return list(with_ties(read, ties_data(tensors)))


def test_a_tie_of_all_tensors():
    tensors = [tensor("embed.weight", expression(1), "head.weight"), tensor("other", L)]
    assert ties_data(tensors) == {"embed.weight": ["head.weight"]}
    assert read_back(tensors) == tensors


def test_a_tie_of_some_layers():
    """Bark's fine model predicts all codes but the first, and ties each head to a table."""
    tensors = [
        tensor("tables.*.weight", expression(1)),
        tensor("tables.*.weight", L - 1, "heads.*.weight"),
    ]
    assert ties_data(tensors) == {"tables.*.weight": [[], ["heads.*.weight"]]}
    assert read_back(tensors) == tensors
