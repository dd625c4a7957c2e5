"""The registry of families: what it finds, and what it refuses."""

from dataclasses import asdict, dataclass
from typing import ClassVar, NamedTuple

import pytest

import paramproof
from paramproof import formulas
from paramproof.formulas import FAMILIES, Family, closed_form, inventory, spec
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.families import OURS, SpecFieldsError, family_of, spec_fields, spec_from
from paramproof.formulas.spec import GPTSpec, Width
from tests.specs import SPECS


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_is_found_by_its_spec_and_by_its_letters(name):
    family, spec = FAMILIES[name], SPECS[name]
    assert family.name == name
    assert family_of(spec) is family_of(spec.letters()) is family
    assert inventory(spec.letters()) == family.inventory(spec.letters())
    assert closed_form(spec.letters()) == family.closed_form(spec.letters())


def test_the_fields_of_a_spec_are_its_sizes_and_flags():
    assert FAMILIES["gpt"].field_names == tuple(asdict(SPECS["gpt"]))


def test_every_family_is_listed():
    assert len(FAMILIES) == 4
    assert list(FAMILIES) == ["encoder", "encoder-decoder", "gpt", "llama"]
    assert {family.name: family for family in OURS} == FAMILIES


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_is_exported_from_every_public_module(name):
    for kind in (FAMILIES[name].spec, FAMILIES[name].letters):
        for module in (formulas, spec):
            assert getattr(module, kind.__name__) is kind
            assert kind.__name__ in formulas.__all__
    assert FAMILIES[name].spec.__name__ in paramproof.__all__


class PlainLetters(NamedTuple):
    H: int


class NoSpec:
    family = "none"
    hidden_size = 1


class WidthOnly(NamedTuple):
    H: Width


@dataclass(frozen=True)
class FlatSpec:
    family: ClassVar[str] = "flat"
    ranges: ClassVar[dict[str, tuple[int, int]]] = {"hidden_size": (1, 3)}
    hidden_size: int

    def letters(self):
        return PlainLetters(self.hidden_size) if self.hidden_size > 2 else WidthOnly(1)


@dataclass(frozen=True)
class NamelessSpec:
    family: ClassVar[str] = "nameless"
    width: int


INCOMPLETE = [
    (NoSpec, WidthOnly, "NoSpec: its spec must be a dataclass with the field hidden_size"),
    (NamelessSpec, WidthOnly, "NamelessSpec: its spec must be a dataclass with the field hidd"),
    (
        GPTSpec,
        PlainLetters,
        "GPTSpec: its letter H has no kind: annotate it as Indicator, Layers, Rows or Width",
    ),
    (GPTSpec, WidthOnly, "GPTSpec: its letters are not of type WidthOnly: GPTLetters("),
    # Draws are checked at both ends of their ranges.
    (FlatSpec, WidthOnly, "FlatSpec: its letters are not of type WidthOnly: PlainLetters(H=3)"),
]


@pytest.mark.parametrize(("spec", "letters", "message"), INCOMPLETE)
def test_an_incomplete_family_is_refused(spec, letters, message):
    own = FAMILIES["gpt"]
    with pytest.raises(ValueError, match=r"^the family of .*: ") as refused:
        Family(spec, letters, own.inventory, own.closed_form)
    assert str(refused.value).startswith(f"the family of {message}")


@pytest.mark.parametrize("given", [tuple(SPECS["gpt"].letters()), 7, None])
def test_other_objects_have_no_family(given):
    for derivation in (inventory, closed_form):
        with pytest.raises(InvalidInput, match=r"belongs to no family; pass spec\.letters\(\)$"):
            derivation(given)


def test_the_fields_of_a_spec():
    assert spec_fields(SPECS["gpt"]) == {"family": "gpt", **asdict(SPECS["gpt"])}
    assert next(iter(spec_fields(SPECS["gpt"]))) == "family"


def test_a_spec_without_a_family_is_an_encoder():
    assert spec_from(asdict(SPECS["encoder"])) == SPECS["encoder"]
    fields = spec_fields(SPECS["llama"])
    assert spec_from(fields) == SPECS["llama"]
    # The argument is not modified.
    assert fields["family"] == "llama"


REFUSED = [
    ({"family": "bert"}, "no family is named 'bert'; there are: encoder, encoder-decoder, gpt, "),
    ({"family": ["gpt"]}, r"no family is named \['gpt'\]; there are: "),
    ({"hidden_size": "12"}, "hidden_size='12' is not possible: it must be an int"),
]


@pytest.mark.parametrize(("change", "message"), REFUSED)
def test_wrong_families_and_values_are_refused(change, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        spec_from(spec_fields(SPECS["gpt"]) | change)


@pytest.mark.parametrize(
    ("change", "unknown"),
    [
        ({"type_vocab_size": 2}, ("type_vocab_size",)),
        ({"family": "llama"}, ("max_position_embeddings",)),
        ({"self": 1, "kind": 2}, ("self", "kind")),
    ],
)
def test_an_unknown_field_is_refused(change, unknown):
    with pytest.raises(SpecFieldsError) as refusal:
        spec_from(spec_fields(SPECS["gpt"]) | change)
    assert refusal.value.unknown == unknown


def test_missing_fields_are_refused():
    fields = spec_fields(SPECS["gpt"])
    del fields["hidden_size"], fields["vocab_size"], fields["tie_word_embeddings"]
    with pytest.raises(SpecFieldsError) as refusal:
        spec_from(fields)
    assert (refusal.value.unknown, refusal.value.missing) == ((), ("vocab_size", "hidden_size"))
    assert str(refusal.value) == (
        "a spec of the family gpt needs vocab_size, hidden_size; its fields are "
        "vocab_size, hidden_size, num_hidden_layers, num_attention_heads, "
        "intermediate_size, max_position_embeddings, tie_word_embeddings"
    )


@pytest.mark.parametrize("name", ["a_field_of_" + "x" * 100, "y" * 1000])
def test_a_long_unknown_field_is_cut(name):
    with pytest.raises(SpecFieldsError) as refusal:
        spec_from(spec_fields(SPECS["gpt"]) | {name: 1})
    assert refusal.value.unknown == (name,)
    assert (name in str(refusal.value)) == (len(name) < 200)
    assert len(str(refusal.value)) < 500
