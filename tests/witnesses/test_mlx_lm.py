"""mlx-lm's models agree with what is stored: each difference has a name and a formula."""

from collections import Counter
from math import prod
from zlib import crc32

import pytest

from paramproof.catalogue import entry
from sweep.witnesses import comparison
from sweep.witnesses.__main__ import EXAMPLES, RESULTS, known, main, mistake, tally
from sweep.witnesses.comparison import Group, Refused, causes_of
from sweep.witnesses.mlx_configs import compare_entry, compare_public, compare_random, types_of_both
from sweep.witnesses.mlx_lm import MissingKeys, build, versions
from tests.configs import DEEPSEEK_V3, LLAMA_3_1_8B, MIXTRAL_8X7B
from tests.sessions import run_python

DATA = known()["mlx-lm"]
TYPES = list(DATA["types"])

FEW = 8
"""Random configurations of each type in a run; ``python -m sweep.witnesses`` takes more."""

DIGEST, PARTS = crc32(RESULTS.read_bytes()), 16
"""The data's digest: it selects the same types for all configurations until the data change."""


def compare(config, groups=None):
    return compare_entry(config, entry(config), groups or build(config))


@pytest.fixture
def without_cause(monkeypatch):
    """Return a function that takes a cause away."""

    def remove(name):
        kept = {
            case: tuple(one for one in causes_of(case) if one.name != name)
            for case in ("deepseek_v3", "llama")
        }
        monkeypatch.setattr(comparison, "causes_of", kept.__getitem__)

    return remove


def test_types_and_versions():
    assert DATA["versions"].items() >= versions().items()
    assert types_of_both() == TYPES
    assert len(TYPES) >= 90


@pytest.mark.shared("models of every type that both libraries have")
@pytest.mark.parametrize("name", TYPES)
def test_random_configurations(name):
    """They are the first of those in the data, and have the same causes and formulas."""
    (found, unexplained), data = tally(compare_random(name, FEW)), DATA["types"][name]
    assert (found["built"], unexplained) == (FEW, [])
    for cause, formulas in found["causes"].items():
        assert Counter(formulas) <= Counter(data["causes"][cause])
    assert found["equal"] <= data["equal"]


@pytest.mark.shared("models of some types at many sizes")
@pytest.mark.parametrize("name", TYPES[DIGEST % PARTS :: PARTS])
def test_all_random_configurations_of_some_types(name):
    assert tally(compare_random(name, EXAMPLES["mlx-lm"])) == (DATA["types"][name], [])


def test_public_configurations():
    assert [*compare_public()] == DATA["files"]


@pytest.mark.parametrize("name", DATA["mistakes"])
def test_a_mistake_of_mlx_lm(name):
    said = DATA["mistakes"][name]
    before = repr(said["config"])
    assert mistake(said["config"]) == said
    assert name in said["causes"]
    assert repr(said["config"]) == before, "building does not change a configuration"


def test_published_counts():
    """mlx-lm builds all weights of these models; tied or buffered ones are in no count."""
    assert sum(prod(one.shape) * n for one, n in build(LLAMA_3_1_8B).items()) == 8_030_261_248
    assert sum(prod(one.shape) * n for one, n in build(MIXTRAL_8X7B).items()) == 46_702_792_704


def test_only_a_named_cause_explains(without_cause):
    found = compare(DEEPSEEK_V3)
    assert found.causes == {"router bias is a parameter": "L·E − D·E"}
    assert found.theirs - found.ours == (61 - 3) * 256
    without_cause("router bias is a parameter")
    found = compare(DEEPSEEK_V3)
    bias = "model.layers.*.mlp.gate.e_score_correction_bias"
    assert (found.unexplained, found.causes) == ({bias: (0, 58 * 256)}, {})


def test_other_tensors_are_not_explained_even_if_they_cancel():
    more = build(LLAMA_3_1_8B) + Counter({Group("model.layers.*.gate.weight", (8,)): 32})
    assert compare(LLAMA_3_1_8B, more).unexplained == {"model.layers.*.gate.weight": (0, 256)}
    other = build(LLAMA_3_1_8B)
    other[Group("model.norm.weight", (4096,))] -= 1
    other[Group("model.scale", (4096,))] += 1
    found = compare(LLAMA_3_1_8B, other)
    assert found.ours == found.theirs
    assert found.unexplained == {"model.norm.weight": (4096, 0), "model.scale": (0, 4096)}


def test_the_command_fails_for_a_difference(without_cause, capsys):
    assert main(["mlx-lm", "llama", "--examples", "6"]) == 0
    assert "llama: 6 built" in capsys.readouterr().out
    without_cause("tied by default")
    assert main(["mlx-lm", "llama", "--examples", "6"]) == 1
    assert "unexplained: {'lm_head.weight': " in capsys.readouterr().out
    assert main(["mlx-lm", "poems"]) == 2
    assert "not a model of both libraries: poems" in capsys.readouterr().err


def test_what_mlx_lm_requires():
    with pytest.raises(MissingKeys, match="ModelArgs requires hidden_size") as caught:
        build({"model_type": "llama"})
    assert "num_hidden_layers" in caught.value.keys
    with pytest.raises(Refused, match="'eps' must be positive"):
        build({**LLAMA_3_1_8B, "rms_norm_eps": 0.0})


def test_neither_pytorch_nor_transformers_is_imported():
    code = (
        "import sys; from sweep.witnesses.__main__ import main; "
        "main(['mlx-lm', 'llama', '--examples', '1']); "
        "assert not {'torch', 'transformers'} & sys.modules.keys()"
    )
    done = run_python("-c", code)
    assert done.returncode == 0, done.stderr
