"""The difference of two models in letters, by component."""

import pytest

from paramproof.algebra.difference import components, in_letters_of
from paramproof.algebra.terms import Lettered
from paramproof.counting.difference import difference_of
from paramproof.counting.letters import in_letters
from paramproof.formulas.expression import letter
from paramproof.resolver import resolve
from tests.derivations import MIXTURE, H, L, V, tensor, with_tensors

D, E, F, K = map(letter, "DEFK")


def with_letters(derivation=MIXTURE):
    return Lettered(derivation.inventory(), derivation.sizes, fields=derivation.fields)


def differences(first, other):
    found = components(first, in_letters_of(first, other))
    return {one.path: one.difference for one in found if one.difference != 0}


def test_equal_models_do_not_differ():
    assert not differences(with_letters(), with_letters())


def test_by_component():
    """A further norm of keys in each layer, a pooler, and no scores; kinds are added up."""
    more = (tensor("model.layers.*.attention.k_norm", H, times=L), tensor("pooler.weight", H, H))
    other = with_letters(with_tensors(*MIXTURE.tensors[:-1], *more))
    found = components(with_letters(), in_letters_of(with_letters(), other))
    by_path = {one.path: one for one in found}
    assert differences(with_letters(), other) == {
        "model.layers.*.attention": L * H,
        "score": -letter("k") * H,
        "pooler": H**2,
    }
    assert by_path["score"].other is None
    assert by_path["pooler"].first is None
    total = other.named.total() - with_letters().named.total()
    assert sum(one.difference for one in found) == total


def test_families():
    one, two = (in_letters(resolve(name)) for name in ("bert-base", "gpt2"))
    assert differences(one, two) == {
        "embeddings.token_type_embeddings": -letter("T") * H,
        "embeddings.layer_norm": -2 * H,
        "pooler": -(H**2) - H,
        "final_layer_norm": 2 * H,
    }


@pytest.mark.parametrize(
    ("family", "derived", "more"),
    [("bert-base", "bert", {}), ("gpt2", "gpt2", {"n_inner": 3072}), ("llama-3-8b", "llama", {})],
    ids=["bert", "gpt2", "llama"],
)
def test_a_family_and_a_derivation_of_one_model_do_not_differ(family, derived, more):
    """Hugging Face's names are read as the family's canonical ones."""
    one = in_letters(resolve(family))
    two = in_letters(resolve({"model_type": derived, **more}))
    found = components(one, in_letters_of(one, two))
    assert len(found) > 6
    assert all(component.difference == 0 for component in found)
    assert all(component.first is not None for component in found)


def test_names_that_a_family_does_not_have_stay_native():
    """Qwen 3 has LLaMA's tensors, and two norms in each attention."""
    llama, qwen = (in_letters(resolve(name)) for name in ("llama-3-8b", "qwen3"))
    found = {one.path: one for one in components(llama, in_letters_of(llama, qwen))}
    assert found["layers.*.attention"].difference == 0
    assert found["model.layers.*.self_attn"].first is None
    assert found["model.layers.*.self_attn"].difference == 2 * L * K


def test_names_with_nothing_in_common_are_grouped():
    llama, t5 = (in_letters(resolve(name)) for name in ("llama-3-8b", "t5"))
    found = {one.path: one for one in components(llama, in_letters_of(llama, t5))}
    assert list(found) == ["embeddings", "layers", "outside the layers", "heads"]
    assert found["embeddings"].difference == 0
    assert found["heads"].difference == -V * H
    assert found["outside the layers"].difference == H


def test_a_letter_for_another_field_gets_a_prime():
    """A family has no letter D for this field, so it gets a prime; H is the same in both."""
    fields = {**MIXTURE.fields, "D": "depth", "H": "d_model"}
    other = with_letters(with_tensors(*MIXTURE.tensors, fields=fields))
    again = in_letters_of(with_letters(), other)
    assert again.sizes["D'"] == 2
    assert again.fields["D'"] == "depth"
    assert "D" not in again.sizes
    assert again.named.total() == with_letters().named.total().substitute({"D": letter("D'")})
    assert "H'" not in again.sizes
    assert set(differences(with_letters(), other)) == {"model.layers.*.mlp"}
    assert in_letters_of(with_letters(), with_letters()).sizes == MIXTURE.sizes


@pytest.mark.parametrize(
    ("one", "two", "fields"),
    [
        ("qwen3_moe", "mixtral", {"E": ("num_experts", "num_local_experts")}),
        ("llava", "blip-2", {"H_text": ("text_config.hidden_size",)}),
        ("deepseek_v3", "vit", {"C": ("kv_lora_rank",), "C'": ("num_channels",)}),
        ("llama", "qwen2_vl", {"L": ("num_hidden_layers",)}),
        ("llava", "qwen2_vl", {"H_vision": ("vision_config.hidden_size",)}),
    ],
)
def test_one_size_has_one_letter(one, two, fields):
    """Fields are the same size by name or by custom; one letter may stand for two customs."""
    found = difference_of(resolve(one), resolve(two))
    shown = {size.letter: size.fields for size in found.sizes}
    assert {letter: shown[letter] for letter in fields} == fields


def test_a_letter_that_is_taken_is_not_given_twice():
    """The other model's H2 is the first one's H, and its own H is another size."""
    other = with_letters(
        with_tensors(
            *MIXTURE.tensors,
            tensor("extra.weight", letter("H2")),
            sizes={**MIXTURE.sizes, "H2": 5},
            fields={**MIXTURE.fields, "H2": MIXTURE.fields["H"], "H": "d_model"},
        )
    )
    again = in_letters_of(with_letters(), other)
    assert again.fields["H"] == MIXTURE.fields["H"]
    assert again.fields["H'"] == "d_model"
    assert (again.sizes["H"], again.sizes["H'"]) == (5, MIXTURE.sizes["H"])
    assert again.named.total().substitute({"H": letter("H2"), "H'": H}) == other.named.total()
