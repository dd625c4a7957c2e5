"""Configurations drawn without the entries are counted as transformers builds them, or refused."""

import json
from collections import Counter
from random import Random

import pytest

from paramproof.catalogue.entries import Entry
from paramproof.catalogue.names import transformers_entries

pytestmark = pytest.mark.framework("transformers")

transformers = pytest.importorskip("transformers")

from paramproof.catalogue.files import type_of  # noqa: E402
from sweep.samples import adversary  # noqa: E402
from sweep.samples.adversary import judge, judge_random  # noqa: E402
from sweep.samples.verdict import Verdict  # noqa: E402

CONFIGURATIONS = 300


def test_no_count_is_wrong():
    known = [one for one in transformers_entries() if _is_there(one)]
    found = list(judge_random(known, CONFIGURATIONS, seed=0))
    verdicts = Counter(one.verdict for one in found)
    assert [str(one) for one in found if one.verdict is Verdict.OTHER] == []
    assert verdicts[Verdict.EQUAL] >= CONFIGURATIONS // 3
    assert verdicts[Verdict.NOT_COUNTED] < 2 * CONFIGURATIONS // 3


def _is_there(name):
    return type_of(name) in transformers.CONFIG_MAPPING


def test_a_seed_draws_the_same_configurations():
    names = ["bert", "llama", "clip"]
    one, other = (list(judge_random(names, 6, seed=3)) for _ in range(2))
    assert [each.config for each in one] == [each.config for each in other]
    assert {each.config["model_type"] for each in one} == set(names)


def test_a_wrong_count_is_reported(monkeypatch):
    """T5 was once counted like this, with its late alias read as a plain one."""
    config = {"model_type": "t5", "num_hidden_layers": 7, "_name_or_path": "long" * 100}
    assert judge(config).verdict is Verdict.EQUAL

    def wrong_entry(given):
        found = adversary_entry({"model_type": "t5", "num_layers": given["num_hidden_layers"]})
        assert isinstance(found, Entry)
        return found

    adversary_entry = adversary.entry
    monkeypatch.setattr(adversary, "entry", wrong_entry)
    found = judge(config)
    assert found.verdict is Verdict.OTHER
    assert str(found).startswith("t5: decoder.block.*")
    assert str(found).endswith(json.dumps(config))


def test_a_count_that_is_not_that_of_the_entry_is_reported(monkeypatch):
    """A family once counted configurations that the catalogue refuses."""

    class Wrong:
        def inventory(self):
            return self

        def total(self):
            return 7

    monkeypatch.setattr(adversary, "resolve_request", lambda *_, **__: Wrong())
    found = judge({"model_type": "bert"})
    assert found.verdict is Verdict.OTHER
    assert str(found).startswith("bert: counted as 7, and the entry has 109482240")


def test_why_a_long_configuration_is_refused_is_short():
    found = judge({"model_type": "bert", "rope_scaling": 1, "_name_or_path": "long" * 1000})
    assert len(str(found)) < 1000


def test_refused_configurations_are_not_counted():
    assert judge({"model_type": "bert", "rope_scaling": 1}).verdict is Verdict.NOT_COUNTED
    refused = judge({"model_type": "bert", "pad_token_id": 0, "hidden_act": "no such activation"})
    assert refused.verdict is Verdict.NOT_COUNTED


def test_published_files_are_drawn_too():
    """A wrong count of labels was found only in changed files of published models."""
    published = adversary.published_configs()
    assert {"mobilenet_v1", "glm4_moe", "minimax_m2"} <= published.keys()
    names = {key for one in published["laguna"] for key in one}
    drawn = [adversary.draw_config("laguna", Random(seed)) for seed in range(20)]
    starts = [one.keys() & {"gating_types", "use_bidirectional_attention"} for one in drawn]
    assert {"gating_types", "use_bidirectional_attention"} <= names
    assert 0 < sum(map(bool, starts)) < len(drawn)


@pytest.mark.parametrize(
    ("model_type", "keys"),
    [
        ("gemma", {"num_hidden_layers": 1}),
        ("deepseek_v3", {"num_hidden_layers": 4, "n_routed_experts": 8}),
        ("rembert", {"num_hidden_layers": 1}),
    ],
)
def test_a_padding_index_is_in_a_large_vocabulary(model_type, keys):
    """The vocabularies at which it was probed were larger than any index that was tried once."""
    config = {"model_type": model_type, "vocab_size": 200_000, **keys}
    assert judge({**config, "pad_token_id": 199_999}).verdict is Verdict.EQUAL
    assert judge({**config, "pad_token_id": 200_000}).verdict is Verdict.NOT_COUNTED
