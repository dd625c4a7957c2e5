"""Public configurations: the catalogue counts what transformers builds."""

import json
import re

import pytest

pytestmark = pytest.mark.framework("transformers")

pytest.importorskip("transformers")

from docs.writers import counts
from docs.writers.blocks import AGAIN, content, places
from sweep.library.verdict import WRONG, Verdict
from sweep.samples import adversary, coverage
from sweep.samples.coverage import judge
from tests.catalogue.test_built import DIGEST


def test_a_tenth_equals_transformers_models():
    """The tenth changes with the catalogue's data; ``python -m sweep --public`` builds all."""
    tenth = [one["config"] for one in coverage.read_configs()[DIGEST % 10 :: 10]]
    found = [judge(one) for one in tenth]
    assert [str(one) for one in found if one.verdict in WRONG] == []
    assert sum(one.verdict is Verdict.EQUAL for one in found) > len(found) / 4


def test_the_page_is_up_to_date():
    own = [one for one in places() if one[0] == "public"]
    assert len(own) == 4
    found = [one.parameters is not None for one in counts.public()]
    assert len(found) == len(coverage.read_configs()) >= 475
    assert sum(found) > len(found) / 3
    assert all(content(*one) == one[2] for one in own), AGAIN


def test_configurations_are_distinct_and_have_a_source():
    found = coverage.read_configs()
    assert len({json.dumps(one["config"], sort_keys=True) for one in found}) == len(found)
    assert all(re.fullmatch(r"[\w.-]+/[\w.-]+: \S.*", one["source"]) for one in found)
    assert all(one["config"]["architectures"] for one in found)


def test_a_wrong_count_is_printed(monkeypatch, capsys):
    from sweep.__main__ import main

    config = {"model_type": "bert", "architectures": ["BertModel"], "hidden_size": 24}
    config |= {"num_attention_heads": 3, "num_hidden_layers": 1, "vocab_size": 99}
    other = config | {"num_hidden_layers": 2}
    monkeypatch.setattr(coverage, "read_configs", lambda _: [{"config": config}])
    assert main(["--public"]) == 0
    read = adversary.entry(other)
    monkeypatch.setattr(adversary, "entry", lambda *_: read)
    assert main(["--public"]) == 1
    assert "counted, but built differently: " in capsys.readouterr().out
