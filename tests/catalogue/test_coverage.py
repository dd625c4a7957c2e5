"""The measurement of how many configurations are counted."""

from random import Random

import pytest

pytestmark = pytest.mark.framework("transformers")

transformers = pytest.importorskip("transformers")

from sweep.library.verdict import Verdict
from sweep.samples import coverage
from sweep.samples.coverage import judge


@pytest.mark.parametrize(
    ("config", "outcome", "key"),
    [
        ({"model_type": "bert", "num_hidden_layers": 1}, Verdict.EQUAL, ""),
        ({"model_type": "bert", "architectures": ["BertModel"]}, Verdict.EQUAL, ""),
        (
            {"model_type": "llama", "num_layers": 1},
            Verdict.NOT_COUNTED,
            "num_layers",
        ),
        ({"model_type": "bert", "hidden_act": "none"}, Verdict.NOT_BUILT, "hidden_act"),
        ({"model_type": "no such type"}, Verdict.NOT_BUILT, "model_type"),
        ({"model_type": "mimo", "rms_norm_eps": 1e-5}, Verdict.NOT_BUILT, "model_type"),
        ({"model_type": "pp_doclayout_v3"}, Verdict.NOT_COUNTED, "model_type"),
    ],
)
def test_a_configuration_is_judged(config, outcome, key):
    found = judge(config)
    assert (found.verdict, found.key) == (outcome, key)


def test_an_edit_changes_sizes_and_flags():
    saved = {"a": 4, "b": True, "c": "x", "d": None, "part": {"model_type": "y", "e": 2}}
    edited = [coverage.edit(saved, Random(seed)) for seed in range(40)]
    assert all(one != saved for one in edited)
    changed = {key for one in edited for key in saved if one[key] != saved[key]}
    assert changed == {"a", "b", "part"}
    assert saved["part"] == {"model_type": "y", "e": 2}
