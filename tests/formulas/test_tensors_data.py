"""Tensors of an entry and their other paths are written and parsed."""

from dataclasses import replace

import pytest

from paramproof.formulas.derivation import DerivedTensor
from paramproof.formulas.derivation_data import (
    format_tensor,
    parse_tensor,
    parse_tensors,
    tensors_data,
    ties_data,
    with_ties,
)
from paramproof.formulas.expression import expression, letter
from paramproof.formulas.parsing import expression_in

V, H, L = map(letter, "VHL")


def tensor(path, times, *aliases):
    return DerivedTensor(path, (V, H), times, "trainable", aliases, True, True)


def read_back(tensors):
    plain = [replace(one, aliases=()) for one in tensors]
    read = list(parse_tensors(tensors_data(plain)))
    assert read == plain
    return list(with_ties(read, ties_data(tensors)))


@pytest.mark.parametrize(
    ("written", "times", "shape"),
    [
        ("scalar", "1", ()),
        ("L × scalar", "L", ()),
        ("X, H", "1", ("X", "H")),
        ("X × X, H", "X", ("X", "H")),
        ("int(H × 0.7) × H", "int(H × 0.7)", ("H",)),
        ("int(int(H × 0.5) × 0.7), H", "1", ("int(int(H × 0.5) × 0.7)", "H")),
        ("⌊(H + ⌊H/2⌋)/2⌋ × H", "⌊(H + ⌊H/2⌋)/2⌋", ("H",)),
    ],
)
def test_number_and_shape_are_split_outside_brackets(written, times, shape):
    found = parse_tensor("a.weight", written)
    assert found.times == expression_in(times)
    assert found.shape == tuple(map(expression_in, shape))
    assert (format_tensor(found), found.role) == (written, "trainable")


def test_an_unknown_mark_is_named():
    with pytest.raises(ValueError, match=r"^a\.weight has the unknown mark 'odd'$"):
        parse_tensor("a.weight", "H [frozen, odd]")


def test_several_tensors_of_one_path():
    tensors = [tensor("a", expression(number), *ties) for number, ties in enumerate("xyz", 2)]
    assert tensors_data(tensors) == {"a": ["2 × V, H", "3 × V, H", "4 × V, H"]}
    assert ties_data(tensors) == {"a": [["x"], ["y"], ["z"]]}
    assert read_back(tensors) == tensors


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
