"""Released configurations are models of a family if they have the same tensors."""

from dataclasses import replace

import pytest

from paramproof.catalogue import entry
from paramproof.formulas.models import named_model
from paramproof.resolver import resolve
from paramproof.resolver.models import described_types, spec_of
from tests.configs import ALL, BAIDU, BERT, ERNIE, GOOGLE, GPT2, LLAMA, ROBERTA, without

BASE = named_model("bert-base").spec
CLASSES = [(kind, name) for kind, one in described_types().items() for name in one["classes"]]


def spec_in(keys):
    """Return the spec of a configuration from its catalogue entry, None if the tensors differ."""
    found = entry(keys)
    return spec_of(found.derivation, keys)


@pytest.mark.parametrize(
    ("config", "spec"),
    [
        (GOOGLE, named_model("bert-base-chinese").spec),
        (BAIDU, named_model("ernie-1.0").spec),
        (BERT, replace(BASE, pooler=False, mlm_head=True)),
        (ERNIE, replace(named_model("ernie-1.0").spec, mlm_head=True, nsp_head=True)),
        (ROBERTA, replace(named_model("roberta-base").spec, pooler=False, mlm_head=True)),
        (GPT2, named_model("gpt2").spec),
        (LLAMA, named_model("llama-3-8b").spec),
    ],
    ids=ALL,
)
def test_a_released_file(config, spec):
    assert resolve(config).names.spec == spec
    assert config is not GOOGLE or resolve(config).reading.unknown == ()


@pytest.mark.parametrize(
    ("architecture", "pooler", "mlm", "nsp"),
    [
        ("BertModel", True, False, False),
        ("BertForMaskedLM", False, True, False),
        ("BertForNextSentencePrediction", True, False, True),
        ("BertForPreTraining", True, True, True),
    ],
)
def test_heads_follow_the_class(architecture, pooler, mlm, nsp):
    expected = replace(BASE, pooler=pooler, mlm_head=mlm, nsp_head=nsp)
    assert resolve(BERT | {"architectures": [architecture]}).names.spec == expected
    found = resolve(BERT, architecture)
    assert found.names.spec == expected
    assert (found.reading.class_name, found.reading.is_class_named) == (architecture, True)


@pytest.mark.parametrize(("kind", "name"), CLASSES)
def test_every_class_that_a_family_describes(kind, name):
    """At default sizes, the family agrees with the catalogue; the names shown stay the class's."""
    found = resolve({"model_type": kind, "architectures": [name]})
    assert found.names
    assert (found.family, found.class_name) == (described_types()[kind]["family"], name)
    own, canonical = found.inventory(), found.canonical.inventory(found.canonical.sizes)
    assert own.total() == canonical.total()
    assert {tensor.path for tensor in own} != {tensor.path for tensor in canonical}


def test_a_decoder_without_a_head_has_no_untied_head():
    for config, name in ((GPT2, "GPT2Model"), (LLAMA, "LlamaModel")):
        bare = resolve(config | {"architectures": [name], "tie_word_embeddings": False}).names.spec
        tied = resolve(config | {"tie_word_embeddings": True}).names.spec
        own = resolve(config | {"tie_word_embeddings": False}).names.spec
        assert bare == tied == replace(own, tie_word_embeddings=True)


def test_missing_keys_follow_from_others():
    assert resolve(GPT2 | {"n_inner": None}).names.spec.intermediate_size == 4 * 768
    assert resolve(GPT2 | {"n_inner": 100}).names.spec.intermediate_size == 100
    # Three times as wide as the model: the width of the stacked projections.
    assert resolve(GPT2 | {"n_inner": 3 * 768}).names.spec.intermediate_size == 3 * 768
    assert resolve(GPT2).names.spec.tie_word_embeddings is True
    absent = {"num_key_value_heads": None, "tie_word_embeddings": None}
    old = resolve(without(LLAMA, *absent)).names.spec
    assert (old.num_key_value_heads, old.head_dim, old.tie_word_embeddings) == (32, 128, False)
    assert resolve(LLAMA | {"head_dim": 64}).names.spec.head_dim == 64


def test_other_names_of_a_size():
    renamed = without(GPT2, "n_embd", "n_layer") | {"hidden_size": 768, "num_hidden_layers": 12}
    assert resolve(renamed).names.spec == resolve(GPT2).names.spec


@pytest.mark.parametrize(
    ("config", "change", "more"),
    [
        (BERT, {"tie_word_embeddings": False}, 768 * 30_522 + 30_522),
        (ROBERTA, {"tie_word_embeddings": False}, 768 * 50_265 + 50_265),
        (ERNIE, {"use_task_id": True}, 3 * 768),
        (GPT2, {"add_cross_attention": True}, 12 * (4 * 768 * 768 + 4 * 768 + 2 * 768)),
        (LLAMA, {"attention_bias": True}, 32 * (2 * 4096 + 2 * 1024)),
        (LLAMA, {"mlp_bias": True}, 32 * (2 * 14_336 + 4096)),
    ],
    ids=["bert-untied", "roberta-untied", "ernie-tasks", "gpt2-cross", "llama-bias", "llama-mlp"],
)
def test_a_model_with_other_tensors_is_not_of_the_family(config, change, more):
    assert spec_in(config) == resolve(config).names.spec
    assert spec_in(config | change) is None
    found = resolve(config | change)
    assert found.names is None
    assert found.inventory().total() == resolve(config).inventory().total() + more


def test_a_class_that_no_family_describes():
    labelled = BERT | {"architectures": ["BertForTokenClassification"]}
    assert resolve(labelled).names is None
    assert spec_in(labelled) is None
    assert spec_in({"model_type": "mixtral"}) is None
