import pytest

from paramproof.pages.viewing import at_sizes, choices, fields_of
from paramproof.resolver import resolve

FIELDS = {"bert-base": "LHAFVPT", "llama-3-8b": "LHAGKFV", "transformer-base": "NMHAFVUP"}


def test_the_fields_affect_a_formula_or_its_guards():
    for name, letters in FIELDS.items():
        model = resolve(name)
        assert fields_of(model) == {one: model.architecture.fields[one] for one in letters}
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
    other = at_sizes(model, {"A": "16"})
    assert other.named is None
    found = choices(model, other)
    assert all(value % 16 == 0 for value in found["H"])
    assert 96 not in choices(model, at_sizes(model, {"A": "64"}))["H"]


@pytest.mark.parametrize(
    "written", ["0", "-1", "1.5", "", "\N{ARABIC-INDIC DIGIT ONE}", "1" * 13, "0x10", "012"]
)
def test_invalid_sizes_are_refused(written):
    with pytest.raises(ValueError, match="is not a positive whole number"):
        at_sizes(resolve("gpt2"), {"L": written})


def test_sizes_outside_the_conditions_are_refused():
    with pytest.raises(ValueError, match="the formula holds where L ≥ D"):
        at_sizes(resolve("deepseek-v3"), {"D": "62"})
    with pytest.raises(ValueError, match="a divisor of hidden_size=768"):
        at_sizes(resolve("gpt2"), {"A": "5"})
