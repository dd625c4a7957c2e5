"""The catalogue is compared with transformers' models of random configurations."""

import os
import subprocess
import sys
from dataclasses import fields
from random import Random

import pytest

from paramproof.catalogue import entry, read_type
from paramproof.catalogue.derivations import derivation_of, kept_variants, variants
from paramproof.catalogue.entries import own_sizes
from paramproof.catalogue.names import transformers_entries
from paramproof.catalogue.value_kinds import ACTIVATIONS

pytestmark = pytest.mark.framework("transformers")

pytest.importorskip("transformers")

from sweep.library.mismatch import MismatchKind, find_mismatch  # noqa: E402
from sweep.library.model_types import types_to_check  # noqa: E402
from sweep.library.most_used import MOST_USED  # noqa: E402
from sweep.samples.fuzz import MismatchError, check_variant  # noqa: E402
from sweep.samples.random_configs import random_config  # noqa: E402
from sweep.samples.spot_check import compare_random  # noqa: E402
from sweep.store import data_digest  # noqa: E402

DIGEST = data_digest()
"""Of the catalogue's data: the same configurations are drawn until the data change."""

TYPES, CONFIGURATIONS = 60, 300


@pytest.mark.parametrize("name", types_to_check(transformers_entries(), DIGEST))
def test_random_configurations_equal_transformers_models(name):
    """The sizes satisfy the guards; some keys are absent or null, and others have accepted values.

    Each class is checked with its first variant and another one.
    """
    import transformers

    file, random = read_type(name), Random(DIGEST)
    config_class = transformers.CONFIG_MAPPING[file.model_type]
    held, refusals = 0, []
    for of_class in file.classes:
        there = kept_variants(file, of_class)
        for written in {
            id(one): one for one in (*there[:1], *random.sample(there, k=min(1, len(there))))
        }.values():
            model_class = getattr(transformers, of_class)
            held += check_variant(file, written, config_class, model_class, random, refusals)
    # A refusal is not a wrong count, but there should be few.
    assert len(refusals) <= 2 + held / 2
    assert held


def test_required_values_vary():
    """DBRX needs a rotary base, for which its configuration has no default."""
    file, random = read_type("dbrx"), Random(0)
    variant = kept_variants(file, "DbrxModel")[0]
    derivation = derivation_of(file, variant, own_sizes(file, ()))
    drawn = [random_config(file, variant, derivation, random) for _ in range(20)]
    bases = [config["attn_config"]["rope_theta"] for config in drawn]
    assert 500_000.0 in bases
    assert any(type(base) is int for base in bases)


def test_computed_fields_are_given_in_some():
    """They have the values that transformers would write for other sizes."""
    file, random = read_type("mamba"), Random(0)
    variant = kept_variants(file, "MambaModel")[0]
    derivation = derivation_of(file, variant, own_sizes(file, ()))
    drawn = [random_config(file, variant, derivation, random) for _ in range(20)]
    given = [config for config in drawn if "intermediate_size" in config]
    assert 0 < len(given) < 20
    for config in given:
        wide = config.get("hidden_size", 768) * config.get("expand", 2)
        assert config["intermediate_size"] == wide


def test_a_part_is_flat_in_some():
    file = read_type("qwen2_vl")
    variant = variants(file, "Qwen2VLModel")[0]
    derivation = derivation_of(file, variant, own_sizes(file, variant.data.get("absent", ())))
    random = Random(0)
    drawn = [random_config(file, variant, derivation, random) for _ in range(40)]
    flat = [one for one in drawn if one and "text_config" not in one and "hidden_size" in one]
    assert flat
    assert len(flat) < len(drawn)


def test_keys_share_no_object():
    """As in any file; transformers writes into the objects of some keys."""
    file, random = read_type("qwen3_5_moe"), Random(0)
    variant = variants(file, "Qwen3_5MoeModel")[0]
    derivation = derivation_of(file, variant, own_sizes(file, variant.data.get("absent", ())))
    for _ in range(60):
        drawn = random_config(file, variant, derivation, random)
        found = [id(one) for one in _objects(drawn)]
        assert len(found) == len(set(found))


def _objects(value):
    if isinstance(value, dict | list):
        yield value
        for one in value.values() if isinstance(value, dict) else value:
            yield from _objects(one)


@pytest.mark.parametrize(
    ("model_type", "key", "listed"),
    [
        ("axk1", "first_k_dense_replace", "mlp_layer_types"),
        ("axk2", "first_k_dense_replace", "mlp_layer_types"),
        ("cohere2_moe", "first_k_dense_replace", "mlp_layer_types"),
        ("kimi_linear", "first_k_dense_replace", "mlp_layer_types"),
        ("axk2", "moe_layer_freq", "mlp_layer_types"),
        ("glm_moe_dsa", "index_topk_freq", "indexer_types"),
        ("qwen3_5_moe_text", "full_attention_interval", "layer_types"),
        ("qwen3_5_text", "full_attention_interval", "layer_types"),
        ("qwen3_next", "full_attention_interval", "layer_types"),
    ],
)
def test_a_list_that_is_given_decides_over_what_computes_it(model_type, key, listed):
    """The type's own list beside another value of the key, which transformers ignores then."""
    import transformers

    config_class = transformers.CONFIG_MAPPING[model_type]
    own = getattr(config_class(), listed)
    assert getattr(config_class(**{key: 2}), listed) != own
    config = {"model_type": model_type, key: 2, listed: own}
    found = entry(config)
    model_class = getattr(transformers, found.derivation.name)
    assert find_mismatch(found, config_class, model_class, config) is None


def test_types_to_check():
    """The most used types come each time, and each of the others for some digest."""
    known = transformers_entries()
    assert len(MOST_USED) == 40
    assert set(MOST_USED) <= set(known)
    each = [types_to_check(known, number) for number in range(10)]
    assert all(one[:40] == list(MOST_USED) for one in each)
    assert sorted(name for one in each for name in one[40:]) == sorted(set(known) - set(MOST_USED))


def test_random_configurations_of_random_types_are_equal(capsys):
    found = list(compare_random(transformers_entries(), CONFIGURATIONS, TYPES, seed=0))
    equal = sum(not one.mismatch for one in found)
    types = len({one.model_type for one in found})
    with capsys.disabled():
        print(f"\n{equal} of {len(found)} random configurations of {types} types are equal")
    assert not [one for one in found if one.mismatch]
    assert (len(found), types) == (CONFIGURATIONS, TYPES)
    assert len({one.parameters for one in found}) > CONFIGURATIONS * 0.9


def test_a_wrong_entry_is_found():
    import transformers

    file = read_type("bert")
    variant, *_ = variants(file, "BertModel")
    tensors = dict(variant.data["tensors"], **{"pooler.dense.bias": "F"})
    broken = variant.__class__(variant.name, {}, (), {**variant.data, "tensors": tensors})
    config_class, model_class = transformers.BertConfig, transformers.BertModel
    file = file.__class__(**{**_fields(file), "classes": {"BertModel": dict(broken.data)}})
    with pytest.raises(MismatchError, match=r"pooler\.dense\.bias"):
        check_variant(file, broken, config_class, model_class, Random(0))


@pytest.mark.parametrize(
    ("keys", "fault"),
    [
        ({"vocab_size": 99}, None),
        ({"hidden_size": 7, "num_attention_heads": 3}, MismatchKind.INVALID),
        ({"hidden_size": "wide"}, MismatchKind.REFUSED),
        ({"num_attention_heads": 0, "head_dim": None}, MismatchKind.DIVIDES_BY_ZERO),
        ({"hidden_size": 64, "vocab_size": 98}, MismatchKind.OTHER_TENSORS),
    ],
)
def test_kinds_of_mismatches(keys, fault):
    """The entry is that of a LLaMA with a vocabulary of 99."""
    import transformers

    found = entry({"model_type": "llama", "vocab_size": 99}, "LlamaModel")
    problem = find_mismatch(found, transformers.LlamaConfig, transformers.LlamaModel, keys)
    assert (problem and problem.fault) == fault
    if problem:
        assert problem.is_refusal == (fault is not MismatchKind.OTHER_TENSORS)
        assert problem.may_be_of_sizes == (
            fault in (MismatchKind.INVALID, MismatchKind.DIVIDES_BY_ZERO)
        )


def test_what_is_drawn_does_not_depend_on_the_order_of_sets():
    """A variant of this type counts the kinds of two lists, whose names are a set."""
    program = (
        "from random import Random\nfrom paramproof.catalogue import read_type\n"
        "from sweep.samples.random_entries import draw_entry\n"
        "print([draw_entry(read_type('mimo_v2_flash'), Random(i)).config for i in range(8)])"
    )
    path = os.pathsep.join(map(os.path.abspath, sys.path))
    drawn = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in range(4)
    }
    assert len(drawn) == 1


def _fields(file):
    return {field.name: getattr(file, field.name) for field in fields(file)}


def test_accepted_activations_have_no_parameters():
    from transformers.activations import ACT2FN

    bare = {name for name in ACT2FN if name not in ("prelu", "xielu")}
    assert bare == ACTIVATIONS
    assert not [name for name in ACTIVATIONS if list(ACT2FN[name].parameters())]
    assert list(ACT2FN["prelu"].parameters())
