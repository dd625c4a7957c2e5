"""Derivations as data: they read back unchanged, and count only where they hold."""

import json
from dataclasses import replace

import pytest

from paramproof.formulas.architecture import Evidence
from paramproof.formulas.condition import Condition, Consequence, Outcome, Relation, StatedCondition
from paramproof.formulas.derivation import Derivation, DerivedTensor, Kind
from paramproof.formulas.derivation_data import (
    all_tensors_data,
    all_tensors_from,
    derivation_data,
    derivation_from,
    format_tensor,
    parse_tensor,
    with_ties,
)
from paramproof.formulas.expression import expression, floor, letter
from paramproof.formulas.notation import expression_in
from paramproof.tracing.tensor_groups import Stored, expected

A, H, L, V = map(letter, "AHLV")
HEADS = floor(H, A)
DIVIDES = Condition(Relation.DIVIDES, A, H, True)
PLACES = ("a.py", 3), ("b.py", 4)
SMALL = Condition(Relation.LESS, H, expression(25_000), True)


GROUP = DerivedTensor("größe", (expression(2), letter("ß")), H, "trainable", (), True, True)


def derivation(**changes):
    fields = {
        "name": "somebody:model",
        "sizes": {"H": 12, "A": 3, "L": 4},
        "fields": {"H": "hidden_size", "A": "heads", "L": "layers"},
        "tensors": (
            DerivedTensor("h.*.weight", (A * HEADS, H), L - 1, "trainable", (), True, True),
            DerivedTensor("h.*.bias", (H,), expression(1), "frozen", ("b",), True, True),
            DerivedTensor("h.*.ids", (expression(1), H), L, "buffer", (), False, False),
        ),
        "conditions": (StatedCondition(DIVIDES, Consequence(Outcome.REFUSED, "no"), PLACES),),
        "fixed": (),
        "inert": (),
        "unexplained": ("ids of (3) (buffer)",),
        "irrelevant_guards": (SMALL,),
        "caveats": (),
        "evidence": Evidence(5, 30, 21, 0.25, {"torch": "2"}),
    }
    return Derivation(**fields | changes)


def test_every_part_is_text(snapshot):
    assert derivation_data(derivation(validated={"H": (12, 9000)})) == snapshot


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"fixed": ("A",), "caveats": ("H was looked up (a.py:3)",)},
        {"conditions": (StatedCondition(SMALL, Consequence(Outcome.NOT_TRIED)),)},
        {"validated": {"H": (12, 9000), "L": (0, 9)}},
        {"inert": ("A", "L")},
        {"tensors": (GROUP,), "sizes": {"H": 12, "A": 3, "L": 4, "ß": 5}},
        {"tensors": (replace(GROUP, shape=(), role="frozen", aliases=("t", "u"), traced=False),)},
    ],
)
def test_round_trip(changes):
    one = derivation(**changes)
    data = json.loads(json.dumps(derivation_data(one)))
    again = derivation_from({key: value for key, value in data.items() if value})
    assert again == one
    assert derivation_data(again) == derivation_data(one)


def test_the_normal_form_is_what_is_read_back():
    """Tensors of one path stand together and buffers last; a condition is as it is printed."""
    weight, bias, ids = derivation().tensors
    other = replace(weight, shape=(H,), aliases=("c",))
    positive = Condition(Relation.MORE, L - A, expression(0), True)
    one = derivation(
        tensors=(ids, weight, bias, other),
        conditions=tuple(
            StatedCondition(condition, Consequence(Outcome.OTHERS))
            for condition in (positive, replace(positive, left=L, right=A), DIVIDES)
        ),
        irrelevant_guards=(Condition(Relation.LESS, L - H, expression(1), False), SMALL, SMALL),
    )
    data = json.loads(json.dumps(derivation_data(one)))
    normal = derivation_from(data)
    assert normal.tensors == (weight, other, bias, ids)
    assert [str(stated.condition) for stated in normal.conditions] == ["L > A", "A divides H"]
    assert normal.conditions[0].condition.right == A
    assert [*map(str, normal.irrelevant_guards)] == ["L > H", "H < 25000"]
    assert derivation_from(derivation_data(normal)) == normal != one


def test_only_name_sizes_fields_and_evidence_are_required():
    whole = derivation_data(derivation())
    data = {key: whole[key] for key in ("name", "sizes", "fields", "evidence")}
    nothing = dict.fromkeys(("tensors", "conditions", "unexplained", "irrelevant_guards"), ())
    assert derivation_from(data) == derivation(**nothing)
    data |= {"conditions": {"A divides H": "others"}, "tensors": {"h.*.bias": "H [frozen]"}}
    found = derivation_from(data)
    assert found.conditions == (StatedCondition(DIVIDES, Consequence(Outcome.OTHERS)),)
    assert found.tensors == (replace(derivation().tensors[1], aliases=()),)


def test_tensors_that_are_given_replace_those_of_the_data():
    weight, bias, ids = derivation().tensors
    given = [ids, weight, replace(bias, aliases=())]
    found = derivation_from(derivation_data(derivation()), given)
    assert found == derivation(tensors=(weight, bias, ids)), "buffers are last"


WEIGHT = derivation().tensors[0]
FOUR = Condition(Relation.EQUAL, L, expression(4), True)
VALIDATED = {"validated": {"H": (12, 9000), "A": (1, 30), "L": (1, 9)}}
FITTED = VALIDATED | {"caveats": ("H was looked up (a.py:3)",)}
ANYWHERE = {"irrelevant_guards": ()}
REASONS = {
    "proved": ({}, {}),
    "at the guard": ({}, {"H": 24_999}),
    "beyond the guard": ({}, {"H": 25_002}),
    "beyond two guards": ({"irrelevant_guards": (SMALL, FOUR)}, {"H": 25_002, "L": 5}),
    "proved anywhere": (ANYWHERE, {"H": 25_002}),
    "did not vary": ({"fixed": ("A", "H")}, {}),
    "fitted shape": ({"tensors": (replace(WEIGHT, traced=False),)}, {}),
    "fitted count": ({"tensors": (replace(WEIGHT, looped=False),)}, {}),
    "fitted counts": ({"tensors": (replace(WEIGHT, looped=False),) * 2}, {}),
    "fitted": (FITTED, {"H": 12, "L": 9}),
    "fitted, too small": (FITTED, {"H": 9}),
    "fitted, too large": (FITTED, {"H": 9003, "L": 10}),
    "fitted, without effect": (FITTED | {"inert": ("H",)}, {"H": 9003}),
    # A proof covers sizes that were not tried. Beyond a guard, those that were tried matter.
    "proved, validated": (VALIDATED, {"H": 20_001}),
    "beyond the guard, validated": (VALIDATED, {"H": 30_000}),
}


def test_reasons(snapshot):
    found = {}
    for name, (changes, sizes) in REASONS.items():
        one = derivation(**changes)
        there = replace(one, sizes=one.sizes | sizes)
        assert one.reasons_at(there.sizes) == there.reasons_at(there.sizes)
        assert one.is_proved is (one.proved_where is not None)
        data = derivation_data(there)
        found[name] = [data[key] for key in ("status", "proved_where", "reasons", "parameters")]
    assert found == snapshot


def test_tensors_with_multiplicities():
    weight, bias, ids = derivation().tensors
    more = replace(ids, path="more")
    summands = derivation(tensors=(weight, bias, ids, more)).summands()
    assert summands == {L - 1: [weight], expression(1): [bias], L: [ids, more]}


def test_renaming_letters_reaches_every_expression():
    validated = {"H": (2, 30), "L": (1, 9)}
    moving = derivation(fixed=("A",), inert=("H", "L"), validated=validated)
    swapped = moving.renamed({"H": "A", "A": "H", "L": "N"})
    assert swapped.sizes == {"A": 12, "H": 3, "N": 4}
    assert swapped.fields == {"A": "hidden_size", "H": "heads", "N": "layers"}
    assert str(swapped.conditions[0].condition) == "H divides A"
    assert str(swapped.irrelevant_guards[0]) == "A < 25000"
    assert (swapped.fixed, swapped.inert) == (("H",), ("A", "N"))
    assert swapped.validated == {"A": (2, 30), "N": (1, 9)}
    assert swapped.formula == (letter("N") - 1) * H * floor(A, H) * A


def test_expected_tensors_with_their_numbers():
    found = expected(derivation().tensors, {"H": 12, "A": 3, "L": 4})
    assert found[Stored(Kind("h.*.weight", "trainable", (), 2), (12, 12))] == 3
    assert found[Stored(Kind("h.*.bias", "frozen", ("b",), 1), (12,))] == 1
    twice = expected([derivation().tensors[1]] * 2, {"H": 12})
    assert list(twice.values()) == [2]
    assert not expected([replace(GROUP, shape=(H - 5,))], {"H": 5, "L": 4})
    with pytest.raises(ValueError, match="5/2 is not a whole number"):
        expected([replace(GROUP, shape=(H / 2,))], {"H": 5})


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


TIES = [
    ([("a", 2, "x"), ("a", 3, "y"), ("a", 4, "z")], {"a": [["x"], ["y"], ["z"]]}),
    ([("embed.weight", 1, "head.weight"), ("other", L)], {"embed.weight": ["head.weight"]}),
    # Bark's fine model predicts all codes but the first, and ties each head to a table.
    ([("t.*", 1), ("t.*", L - 1, "heads.*.weight")], {"t.*": [[], ["heads.*.weight"]]}),
]


@pytest.mark.parametrize(("groups", "ties"), TIES)
def test_tensors_of_one_path_and_their_ties(groups, ties):
    tensors = [
        replace(GROUP, path=path, shape=(V, H), times=expression(times), aliases=tuple(aliases))
        for path, times, *aliases in groups
    ]
    data = all_tensors_data(tensors)
    assert data["ties"] == ties
    read = all_tensors_from(data)
    assert read == [replace(one, aliases=()) for one in tensors]
    assert list(with_ties(read, ties)) == tensors
