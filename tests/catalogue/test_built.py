"""What the catalogue counts is what transformers builds, tensor by tensor.

Single cases and published models are data, with their counts. Other configurations are drawn:
within an entry's guards, without any knowledge of the entries, and at random sizes of random types.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from paramproof.catalogue import entry, read_type
from paramproof.catalogue.derivations import derivation_of, kept_variants, variants
from paramproof.catalogue.entries import own_sizes, type_named
from paramproof.catalogue.files import type_of
from paramproof.catalogue.names import has_type, transformers_entries
from paramproof.catalogue.value_kinds import ACTIVATIONS

pytestmark = pytest.mark.framework("transformers")

transformers = pytest.importorskip("transformers")

from sweep.library.model import MismatchKind, find_mismatch
from sweep.library.model_types import MOST_USED, types_to_check
from sweep.samples import adversary
from sweep.samples.adversary import judge, judge_random
from sweep.samples.fuzz import MismatchError, check_variant, compare_random
from sweep.samples.random_configs import Verdict, random_config
from sweep.store import data_digest
from tests.answers import CASES, RELEASED, read

DIGEST = data_digest()
"""Of the catalogue's data: the same configurations are drawn until the data change."""

BUILT = [
    {**one["config"], **({"architectures": [one["class"]]} if "class" in one else {})}
    for one in read(CASES)
    if "count" in one and (has_type(one["config"]["model_type"]) or type_named(one["config"]))
]


NEED_A_KEY = {"dbrx", "emu3", "rwkv7", "t5gemma2_encoder"}
"""Types that transformers builds only with a key that cannot change the count."""


@pytest.mark.shared("a model is built for each of some 300 cases")
@pytest.mark.parametrize("config", BUILT, ids=lambda config: config["model_type"])
def test_a_case_is_counted_as_it_is_built(config):
    found = judge(config)
    lacks_a_key = config["model_type"] in NEED_A_KEY and found.verdict is Verdict.REFUSED
    assert lacks_a_key or found.verdict is Verdict.EQUAL, found.problem


@pytest.mark.shared("a model is built for each of 139 released models")
@pytest.mark.parametrize("line", read(RELEASED), ids=lambda line: line["source"])
def test_a_released_model_is_counted_as_it_is_built(line):
    """The settings were written down by hand, so single keys may differ from those of the file."""
    found = judge(line["config"])
    assert found.verdict is Verdict.EQUAL, found.problem


def test_no_count_of_the_adversary_is_wrong(share):
    number = share.of_examples(1200)
    known = [one for one in transformers_entries() if type_of(one) in transformers.CONFIG_MAPPING]
    found = list(judge_random(known, number, seed=share.number))
    verdicts = Counter(one.verdict for one in found)
    assert [str(one) for one in found if one.verdict is Verdict.OTHER] == []
    assert verdicts[Verdict.EQUAL] >= number // 4
    assert verdicts[Verdict.NOT_COUNTED] < 3 * number // 4


@pytest.mark.shared("models are built for each of some 110 types")
@pytest.mark.parametrize("name", types_to_check(transformers_entries(), DIGEST))
def test_configurations_within_the_guards(name):
    """Some keys are absent or null, and others have accepted values.

    Each class is checked with its first variant and another one.
    """
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


def test_random_sizes_of_random_types(share):
    number, types = share.of_examples(320), share.of_examples(80)
    found = list(compare_random(transformers_entries(), number, types, seed=share.number))
    assert not [one for one in found if one.mismatch]
    assert (len(found), len({one.model_type for one in found})) == (number, types)
    assert len({one.parameters for one in found}) > number * 0.8


def test_types_to_check():
    """The most used types come each time, and each of the others for some digest."""
    known = transformers_entries()
    assert len(MOST_USED) == 40
    assert set(MOST_USED) <= set(known)
    each = [types_to_check(known, number) for number in range(10)]
    assert all(one[:40] == list(MOST_USED) for one in each)
    assert sorted(name for one in each for name in one[40:]) == sorted(set(known) - set(MOST_USED))


# Wrong counts are reported.


def test_a_wrong_entry_is_found(monkeypatch):
    """T5 was once counted like this, with its late alias read as a plain one."""
    config = {"model_type": "t5", "num_hidden_layers": 7, "_name_or_path": "long" * 100}
    real = adversary.entry
    monkeypatch.setattr(adversary, "entry", lambda _: real({"model_type": "t5", "num_layers": 7}))
    found = judge(config)
    assert found.verdict is Verdict.OTHER
    assert str(found).startswith("t5: decoder.block.*")
    assert str(found).endswith(json.dumps(config))


def test_a_count_that_is_not_that_of_the_entry_is_found(monkeypatch):
    """A family once counted configurations that the catalogue refuses."""

    class Wrong:
        def inventory(self):
            return self

        def total(self):
            return 7

    monkeypatch.setattr(adversary, "resolve", lambda *_, **__: Wrong())
    found = judge({"model_type": "bert"})
    assert found.verdict is Verdict.OTHER
    assert str(found).startswith("bert: counted as 7, and the entry has 109482240")


def test_a_wrong_variant_is_found():
    file = read_type("bert")
    variant, *_ = variants(file, "BertModel")
    tensors = dict(variant.data["tensors"], **{"pooler.dense.bias": "F"})
    broken = variant.__class__(variant.name, {}, (), {**variant.data, "tensors": tensors})
    file = replace(file, classes={"BertModel": dict(broken.data)})
    with pytest.raises(MismatchError, match=r"pooler\.dense\.bias"):
        check_variant(file, broken, transformers.BertConfig, transformers.BertModel, Random(0))


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
    found = entry({"model_type": "llama", "vocab_size": 99}, "LlamaModel")
    problem = find_mismatch(found, transformers.LlamaConfig, transformers.LlamaModel, keys)
    assert (problem and problem.fault) == fault
    assert problem is None or problem.is_refusal == (fault is not MismatchKind.OTHER_TENSORS)


# What is drawn.


def test_a_seed_draws_the_same_configurations():
    names = ["bert", "llama", "clip"]
    one, other = (list(judge_random(names, 6, seed=3)) for _ in range(2))
    assert [each.config for each in one] == [each.config for each in other]
    assert {each.config["model_type"] for each in one} == set(names)


def test_published_files_are_drawn_too():
    """A wrong count of labels was found only in changed files of published models."""
    published = adversary.published_configs()
    assert {"mobilenet_v1", "glm4_moe", "minimax_m2"} <= published.keys()
    drawn = [adversary.draw_config("laguna", Random(seed)) for seed in range(20)]
    starts = [one.keys() & {"gating_types", "use_bidirectional_attention"} for one in drawn]
    assert 0 < sum(map(bool, starts)) < len(drawn)


def draws(model_type, of_class, number):
    file, random = read_type(model_type), Random(0)
    variant = variants(file, of_class)[0]
    derivation = derivation_of(file, variant, own_sizes(file, variant.data.get("absent", ())))
    return [random_config(file, variant, derivation, random) for _ in range(number)]


def test_required_values_vary():
    """DBRX needs a rotary base, for which its configuration has no default."""
    bases = [one["attn_config"]["rope_theta"] for one in draws("dbrx", "DbrxModel", 20)]
    assert 500_000.0 in bases
    assert any(type(base) is int for base in bases)


def test_computed_fields_are_given_in_some():
    """They have the values that transformers would write for other sizes."""
    given = [one for one in draws("mamba", "MambaModel", 20) if "intermediate_size" in one]
    assert 0 < len(given) < 20
    for one in given:
        assert one["intermediate_size"] == one.get("hidden_size", 768) * one.get("expand", 2)


def test_a_part_is_flat_in_some():
    drawn = draws("qwen2_vl", "Qwen2VLModel", 40)
    flat = [one for one in drawn if one and "text_config" not in one and "hidden_size" in one]
    assert 0 < len(flat) < len(drawn)


def test_keys_share_no_object():
    """As in any file; transformers writes into the objects of some keys."""
    for drawn in draws("qwen3_5_moe", "Qwen3_5MoeModel", 60):
        found = [id(one) for one in _objects(drawn)]
        assert len(found) == len(set(found))


def _objects(value):
    if isinstance(value, dict | list):
        yield value
        for one in value.values() if isinstance(value, dict) else value:
            yield from _objects(one)


@pytest.mark.shared("starts processes")
def test_what_is_drawn_does_not_depend_on_the_order_of_sets():
    """A variant of this type counts the kinds of two lists, whose names are a set."""
    program = (
        "from random import Random\nfrom paramproof.catalogue import read_type\n"
        "from sweep.samples.random_configs import draw_entry\n"
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
        for seed in range(2)
    }
    assert len(drawn) == 1


def test_accepted_activations_have_no_parameters():
    from transformers.activations import ACT2FN

    bare = {name for name in ACT2FN if name not in ("prelu", "xielu")}
    assert bare == ACTIVATIONS
    assert not [name for name in ACTIVATIONS if list(ACT2FN[name].parameters())]
    assert list(ACT2FN["prelu"].parameters())
