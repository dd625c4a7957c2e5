import pytest

from paramproof.pages.sizing import at_sizes, choices
from paramproof.pages.viewing import fields_of
from paramproof.resolver import resolve

FIELDS = {
    "bert-base": "L num_hidden_layers, H hidden_size, A num_attention_heads, F intermediate_size, "
    "V vocab_size, P max_position_embeddings, T type_vocab_size",
    "llama-3-8b": "L num_hidden_layers, H hidden_size, A num_attention_heads, "
    "G num_key_value_heads, K head_dim, F intermediate_size, V vocab_size",
    "transformer-base": "N num_encoder_layers, M num_decoder_layers, H hidden_size, "
    "A num_attention_heads, F intermediate_size, V vocab_size, U target_vocab_size, "
    "P max_position_embeddings",
    "gpt2": "L num_hidden_layers, H hidden_size, A num_attention_heads, F intermediate_size, "
    "V vocab_size, P max_position_embeddings",
}


@pytest.mark.parametrize("name", FIELDS)
def test_the_fields_of_letters(name):
    found = fields_of(resolve(name))
    assert ", ".join(f"{letter} {field}" for letter, field in found.items()) == FIELDS[name]


def test_the_fields_of_a_derived_formula_affect_it_or_its_guards():
    fields = fields_of(resolve("deepseek-v3"))
    assert fields["nept"] == "num_experts_per_tok"
    assert fields["dr"] == "qk_rope_head_dim"
    # Positions have no table, and no guard depends on them.
    assert "max_position_embeddings" not in fields.values()


@pytest.mark.parametrize("name", ["bert-base", "llama-3-8b", "deepseek-v3"])
def test_every_choice_is_possible_and_includes_the_current_size(name):
    model = resolve(name)
    for letter, values in choices(model, model).items():
        assert model.sizes[letter] in values
        assert values == sorted(set(values))
        for value in values:
            assert at_sizes(model, {letter: str(value)}).inventory().total() > 0


def test_choices_follow_the_other_letters():
    model = resolve("bert-base")
    found = choices(model, at_sizes(model, {"A": "16"}))
    assert all(value % 16 == 0 for value in found["H"])
    assert 96 not in choices(model, at_sizes(model, {"A": "64"}))["H"]


def test_other_sizes_are_not_the_named_model():
    assert at_sizes(resolve("bert-base"), {"L": "13"}).named is None
    assert at_sizes(resolve("deepseek-v3"), {"L": "62"}).named is None


@pytest.mark.parametrize(
    "written", ["0", "-1", "1.5", "", "\N{ARABIC-INDIC DIGIT ONE}", "1" * 13, "0x10", "012"]
)
def test_invalid_sizes_are_refused(written):
    with pytest.raises(ValueError, match="is not a positive whole number"):
        at_sizes(resolve("gpt2"), {"L": written})


def test_sizes_outside_the_conditions_are_refused():
    with pytest.raises(ValueError, match="the formula holds where D ≤ L"):
        at_sizes(resolve("deepseek-v3"), {"D": "62"})
    with pytest.raises(ValueError, match="a divisor of hidden_size=768"):
        at_sizes(resolve("gpt2"), {"A": "5"})
