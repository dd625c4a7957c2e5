"""The registry of families: what it finds, and what it refuses."""

from dataclasses import asdict

import pytest

from paramproof.formulas import FAMILIES, closed_form, inventory
from paramproof.formulas.families import family_of, spec_fields, spec_from
from tests.specs import SPECS


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_is_found_by_its_spec_and_by_its_letters(name):
    family, spec = FAMILIES[name], SPECS[name]
    assert family.name == name
    assert family_of(spec) is family_of(spec.letters()) is family
    assert inventory(spec.letters()) == family.inventory(spec.letters())
    assert closed_form(spec.letters()) == family.closed_form(spec.letters())


@pytest.mark.parametrize("given", [tuple(SPECS["gpt"].letters()), 7, None])
def test_what_is_no_model_has_no_family(given):
    for derivation in (inventory, closed_form):
        with pytest.raises(TypeError, match=r"^no family has .*: give it spec\.letters\(\)$"):
            derivation(given)


def test_the_fields_of_a_spec():
    assert spec_fields(SPECS["gpt"]) == {"family": "gpt", **asdict(SPECS["gpt"])}
    assert next(iter(spec_fields(SPECS["gpt"]))) == "family"


def test_without_a_family_a_spec_is_an_encoders():
    assert spec_from(asdict(SPECS["encoder"])) == SPECS["encoder"]
    fields = spec_fields(SPECS["llama"])
    assert spec_from(fields) == SPECS["llama"]
    # What it is given is not used up.
    assert fields["family"] == "llama"


REFUSED = [
    ({"family": "bert"}, "no family is named 'bert'; there are: encoder, encoder-decoder, gpt, "),
    ({"family": ["gpt"]}, r"no family is named \['gpt'\]; there are: "),
    ({"type_vocab_size": 2}, "the spec got an unexpected keyword argument 'type_vocab_size'; "),
    ({"family": "llama"}, "the spec got an unexpected keyword argument 'max_position_embeddings'"),
]


@pytest.mark.parametrize(("change", "message"), REFUSED)
def test_what_is_refused(change, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        spec_from(spec_fields(SPECS["gpt"]) | change)


def test_a_field_too_few_is_named():
    fields = spec_fields(SPECS["gpt"])
    del fields["hidden_size"]
    message = (
        "the spec missing 1 required keyword-only argument: 'hidden_size'; its fields are "
        "vocab_size, hidden_size, num_hidden_layers, num_attention_heads, "
        "intermediate_size, max_position_embeddings, tie_word_embeddings"
    )
    with pytest.raises(ValueError, match="missing") as refusal:
        spec_from(fields)
    assert str(refusal.value) == message


def test_a_field_that_nobody_knows_is_named_whole():
    name = "a_field_of_" + "x" * 100
    with pytest.raises(ValueError, match=f"unexpected keyword argument '{name}'; its fields are "):
        spec_from(spec_fields(SPECS["gpt"]) | {name: 1})
