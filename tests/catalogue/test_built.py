"""The catalogue counts the tensors that transformers builds, path by path.

Single cases and published models are data, with their counts. Other configurations are drawn
without any knowledge of how the catalogue counts them.
"""

import json
from collections import Counter
from dataclasses import replace
from random import Random
from zlib import crc32

import pytest

from paramproof.catalogue import entry, model_types
from paramproof.catalogue.configurations import with_known_types
from paramproof.catalogue.names import HERE, classes_of, has_type

pytestmark = pytest.mark.framework("transformers")

transformers = pytest.importorskip("transformers")

from sweep.library.keys import with_other_sizes
from sweep.library.model import judge_entry
from sweep.library.verdict import Verdict
from sweep.samples import adversary, coverage
from sweep.samples.adversary import judge, judge_random
from tests.answers import CASES, RELEASED, read

DIGEST = crc32(b"".join(one.read_bytes() for one in sorted(HERE.glob("programs/*.json"))))
"""The same sizes are drawn until the data change."""

LIMITED = {
    *("bark", "edgetam", "edgetam_vision_model", "fast_vlm", "granite_swa", "granitemoe_swa"),
    *("levit", "pp_chart2table", "zamba", "zamba2"),
}
"""Types whose models transformers builds at the defaults, and whose programs refuse them."""

BROKEN = {"timm_wrapper", "vitmatte"}
"""Types that are counted at the defaults, and whose models are not built."""

TYPES = [name for name in model_types() if has_type(name)]

BUILT = [
    {**one["config"], **({"architectures": [one["class"]]} if "class" in one else {})}
    for one in read(CASES)
    if "count" in one and has_type(with_known_types(one["config"])[0]["model_type"])
]


@pytest.mark.shared("a model is built for each of some 300 cases")
@pytest.mark.parametrize("config", BUILT, ids=lambda config: config["model_type"])
def test_a_case_is_counted_as_it_is_built(config):
    found = judge(config)
    assert found.verdict is Verdict.EQUAL, found.problem


@pytest.mark.shared("a model is built for each of 139 released models")
@pytest.mark.parametrize("line", read(RELEASED), ids=lambda line: line["source"])
def test_a_released_model_is_counted_as_it_is_built(line):
    """The settings were written down by hand, so single keys may differ from those of the file."""
    found = judge(line["config"])
    limited = line["config"]["model_type"] in LIMITED
    assert found.verdict is (Verdict.NOT_COUNTED if limited else Verdict.EQUAL), found.problem


@pytest.mark.shared("models are built for each type")
@pytest.mark.parametrize("name", TYPES)
def test_each_class_at_its_defaults_and_at_other_sizes(name):
    """A refusal is not a wrong count, but some class of a type is built."""
    random, found = Random(f"{DIGEST} {name}"), []
    for one in classes_of(name):
        config = {"model_type": name, "architectures": [one]}
        found += [judge(config)]
        if sized := with_other_sizes(config, random):
            found += [judge(sized)]
    assert [str(one) for one in found if one.verdict is Verdict.OTHER] == []
    is_counted = any(one.verdict is Verdict.EQUAL for one in found)
    known = [one for one in found if not is_counted and "ImportError" not in str(one.problem)]
    own = {coverage.judge(one.config).verdict for one in known}
    assert is_counted == (name not in LIMITED | BROKEN) or own <= {Verdict.NOT_BUILT}


def test_no_count_of_the_adversary_is_wrong(share):
    number = share.of_examples(1200)
    found = list(judge_random(TYPES, number, seed=share.number))
    verdicts = Counter(one.verdict for one in found)
    assert [str(one) for one in found if one.verdict is Verdict.OTHER] == []
    assert verdicts[Verdict.EQUAL] >= number // 4
    assert verdicts[Verdict.NOT_COUNTED] < 3 * number // 4


# Wrong counts are reported.


def test_a_wrong_entry_is_found(monkeypatch):
    """T5 was once counted like this, with its late alias read as a plain one."""
    config = {"model_type": "t5", "num_hidden_layers": 7, "_name_or_path": "long" * 100}
    real = adversary.entry
    monkeypatch.setattr(adversary, "entry", lambda _: real({"model_type": "t5", "num_layers": 7}))
    found = judge(config)
    assert found.verdict is Verdict.OTHER
    assert str(found).startswith("t5: decoder.block.")
    assert str(found).endswith(json.dumps(config))


def test_a_count_that_is_not_that_of_the_entry_is_found(monkeypatch):
    other = adversary.resolve({"model_type": "gpt2"})
    monkeypatch.setattr(adversary, "resolve", lambda _: other)
    found = judge({"model_type": "bert"})
    assert found.verdict is Verdict.OTHER
    assert str(found).startswith("bert: counted as 124439808, and the entry has 109482240")


@pytest.mark.parametrize(
    ("keys", "verdict", "why"),
    [
        ({"vocab_size": 99}, Verdict.EQUAL, ""),
        ({"hidden_size": "wide"}, Verdict.REFUSED, "refused by transformers"),
        ({"num_attention_heads": 0, "head_dim": None}, Verdict.REFUSED, "ZeroDivisionError"),
        ({"vocab_size": 98}, Verdict.OTHER, "embed_tokens.weight: ((99, 4096), True) expected, (("),
    ],
)
def test_kinds_of_mismatches(keys, verdict, why):
    """The entry is that of a LLaMA with a vocabulary of 99."""
    found = entry({"model_type": "llama", "vocab_size": 99}, "LlamaModel")
    judged = judge_entry(found, keys)
    assert judged.verdict is verdict
    assert why in str(judged.problem)


def test_other_ties_are_a_mismatch():
    """All paths and shapes are those of the model, but a tensor is counted twice."""
    found = entry({"model_type": "gpt2"}, "GPT2LMHeadModel")
    wrong = replace(found, count=found.count + 768 * 50257)
    problem = judge_entry(wrong, {"model_type": "gpt2"}).problem
    assert problem == "163037184 expected, 124439808 built: other weights are tied"


# Random configurations.


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


def test_other_sizes_meet_the_conditions():
    config = {"model_type": "bert"}
    drawn = [with_other_sizes(config, Random(seed)) for seed in range(8)]
    assert len({one["hidden_size"] for one in drawn}) > 4
    assert all(judge(one).verdict is Verdict.EQUAL for one in drawn)
    assert config == {"model_type": "bert"}
