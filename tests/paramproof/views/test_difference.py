"""The difference of two models in letters, by component."""

import random
from contextlib import suppress

import pytest

from paramproof.catalogue import model_types
from paramproof.formulas.errors import NotInCatalogue
from paramproof.formulas.expression import letter
from paramproof.formulas.models import model_names
from paramproof.resolver import resolve
from paramproof.views.difference import components, difference_of, in_letters_of, paired
from paramproof.views.formula import Lettered, in_letters
from tests.derivations import MIXTURE, H, L, V, tensor, with_tensors
from tests.notation import value

D, E, F, K = map(letter, "DEFK")


def with_letters(derivation=MIXTURE):
    return Lettered(derivation.inventory(), derivation.sizes, fields=derivation.fields)


def pairs(first, other):
    """Return both counts of each component, in the letters of the first model."""
    models = first, in_letters_of(first, other)
    return components(paired([one.named for one in models], [one.family for one in models]))


def differences(first, other):
    found = {path: (b or 0) - (a or 0) for path, (a, b) in pairs(first, other).items()}
    return {path: difference for path, difference in found.items() if difference != 0}


def test_equal_models_do_not_differ():
    assert not differences(with_letters(), with_letters())


def test_by_component():
    """A further norm of keys in each layer, a pooler, and no scores; kinds are added up."""
    more = (tensor("model.layers.*.attention.k_norm", H, times=L), tensor("pooler.weight", H, H))
    other = with_letters(with_tensors(*MIXTURE.tensors[:-1], *more))
    by_path = pairs(with_letters(), other)
    assert differences(with_letters(), other) == {
        "model.layers.*.attention": L * H,
        "score": -letter("k") * H,
        "pooler": H**2,
    }
    assert by_path["score"] == [letter("k") * H, None]
    assert by_path["pooler"] == [None, H**2]
    total = other.named.total() - with_letters().named.total()
    assert sum(differences(with_letters(), other).values()) == total


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
    found = pairs(one, two)
    assert len(found) > 6
    assert all(first == other for first, other in found.values())


def test_names_that_a_family_does_not_have_stand_beside_those_that_it_has():
    """Qwen 3 has LLaMA's tensors, and two norms in each attention."""
    llama, qwen = (in_letters(resolve(name)) for name in ("llama-3-8b", "qwen3"))
    assert differences(llama, qwen) == {"layers.*.attention": 2 * L * K}


@pytest.mark.parametrize(
    ("one", "two", "shared"),
    [
        ("llama", "falcon", "model.layers.*.input_layernorm"),
        ("LlamaModel", "Qwen3ForCausalLM", "layers.*.self_attn"),
        ("BertForMaskedLM", "RobertaForMaskedLM", "bert.encoder.layer.*.intermediate"),
        ("qwen3", "qwen2_vl", "model.layers.*.self_attn"),
    ],
)
def test_layers_are_paired_however_their_names_begin(one, two, shared):
    found = pairs(*(in_letters(resolve(name)) for name in (one, two)))
    assert None not in found[shared]


@pytest.mark.parametrize("one", ["llama-3-8b", "llama"])
def test_layers_with_nothing_in_common_are_grouped(one):
    found = pairs(*(in_letters(resolve(name)) for name in (one, "t5")))
    assert list(found) == ["embeddings", "layers", "outside the layers", "heads"]
    assert found["heads"] == [V * H, None]
    assert found["outside the layers"] == [H, 2 * H]


def test_the_structure_and_the_sizes_add_up_to_the_difference():
    """For random pairs: in each row, in the total, and as the printed letters are read."""
    names, draw, split = [*model_names(), *model_types()], random.Random(0), 0
    for _ in range(60):
        with suppress(NotInCatalogue):
            first, other = (resolve(draw.choice(names)) for _ in range(2))
            found = difference_of(first, other)
            own = in_letters(first).sizes if found.split_of == first.title else {}
            assert found.split_at.items() <= {**found.split_at, **own}.items()
            rows, total = found.to_dict()["rows"], found.to_dict()["total"]
            for row in (*rows, total):
                assert row["difference"] == (row["other"] or 0) - (row["first"] or 0)
                assert row["structure"] + row["sizes"] == row["difference"]
                assert value(row["formula"], found.split_at) == row["structure"]
            for part in ("structure", "sizes", "difference"):
                assert sum(row[part] for row in rows) == total[part]
            split += bool(total["structure"] and total["sizes"])
    assert split > 20


def test_a_difference_without_common_sizes_is_not_split():
    """H/2 is no number of parameters at H = 3, nor H/3 at H = 2."""
    fields = {"H": "hidden_size"}
    halved = [
        with_tensors(tensor("a.weight", H / n), sizes={"H": n}, fields=fields, conditions=())
        for n in (2, 3)
    ]
    found = difference_of(*(resolve(one) for one in halved))
    assert (found.split_of, found.total.structure, found.total.sizes) == ("", None, None)
    assert list(found.causes()) == [
        "not split into structure and sizes: the formulas have no sizes in common"
    ]


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
