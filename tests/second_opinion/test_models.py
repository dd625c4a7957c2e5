"""mlx-lm's models agree with docs/second-opinion.json: each difference has a name and a formula."""

import subprocess
import sys
from collections import Counter
from math import prod
from zlib import crc32

import pytest

from docs.writers.second_opinion_page import RESULTS, known
from paramproof.catalogue import entry, read_type
from paramproof.catalogue.entries import usual_class
from sweep.second_opinion import comparison
from sweep.second_opinion.__main__ import main
from sweep.second_opinion.causes import causes_of
from sweep.second_opinion.comparison import compare
from sweep.second_opinion.examples import compare_config
from sweep.second_opinion.mlx_models import Group, MissingKeys, Refused, build, versions
from sweep.second_opinion.random_models import compare_random, types_of_both
from sweep.second_opinion.results import EXAMPLES, mistake_data, public_data, type_data
from tests.public_configs import DEEPSEEK_V3, LLAMA_3_1_8B, MIXTRAL_8X7B

DATA = known()
TYPES = list(DATA["types"])

FEW = 8
"""Random configurations of each type in a run; ``python -m sweep.second_opinion`` takes more."""

DIGEST, PARTS = crc32(RESULTS.read_bytes()), 16
"""The data's digest: it selects the same types for all configurations until the data change."""


def without_cause(name):
    return lambda model_type: tuple(one for one in causes_of(model_type) if one.name != name)


def test_versions():
    assert DATA["versions"].items() >= versions().items()


def test_types():
    assert types_of_both() == TYPES
    assert len(TYPES) >= 90


@pytest.mark.shared("models of every type that both libraries have")
@pytest.mark.parametrize("name", TYPES)
def test_random_configurations(name):
    """They are the first of those in the data, and have the same causes and formulas."""
    found = compare_random(name, FEW)
    assert found.unexplained == []
    assert found.built == FEW
    data = DATA["types"][name]
    for cause, formulas in found.causes.items():
        assert formulas <= Counter(data["causes"][cause])
    assert found.equal <= data["equal"]


@pytest.mark.shared("models of some types at many sizes")
@pytest.mark.parametrize("name", TYPES[DIGEST % PARTS :: PARTS])
def test_all_random_configurations_of_some_types(name):
    assert type_data(compare_random(name, EXAMPLES)) == DATA["types"][name]


def test_public_configurations():
    assert public_data() == DATA["files"]


@pytest.mark.parametrize("name", DATA["mistakes"])
def test_a_mistake_of_mlx_lm(name):
    said = DATA["mistakes"][name]
    file, config = read_type(said["config"]["model_type"]), said["config"]
    assert mistake_data(config, compare_config(file, config)) == said
    assert name in said["causes"]


def test_published_counts():
    """mlx-lm builds all weights of these models; tied or buffered ones are in no count."""
    assert sum(prod(one.shape) * n for one, n in build(LLAMA_3_1_8B).items()) == 8_030_261_248
    assert sum(prod(one.shape) * n for one, n in build(MIXTRAL_8X7B).items()) == 46_702_792_704


def test_the_bias_of_a_router():
    found = compare("deepseek_v3", DEEPSEEK_V3, entry(DEEPSEEK_V3), build(DEEPSEEK_V3))
    assert found.causes == {"router bias is a parameter": "L·E − D·E"}
    assert found.theirs - found.ours == (61 - 3) * 256


def test_an_unnamed_difference_is_not_explained(monkeypatch):
    monkeypatch.setattr(comparison, "causes_of", without_cause("router bias is a parameter"))
    found = compare("deepseek_v3", DEEPSEEK_V3, entry(DEEPSEEK_V3), build(DEEPSEEK_V3))
    bias = "model.layers.*.mlp.gate.e_score_correction_bias"
    assert found.unexplained == {bias: (0, 58 * 256)}
    assert found.causes == {}


def test_one_tensor_more_is_not_explained():
    groups = build(LLAMA_3_1_8B) + Counter({Group("model.layers.*.gate.weight", (8,)): 32})
    found = compare("llama", LLAMA_3_1_8B, entry(LLAMA_3_1_8B), groups)
    assert found.unexplained == {"model.layers.*.gate.weight": (0, 256)}


def test_tensors_that_cancel_are_not_explained():
    groups = build(LLAMA_3_1_8B)
    groups[Group("model.norm.weight", (4096,))] -= 1
    groups[Group("model.scale", (4096,))] += 1
    found = compare("llama", LLAMA_3_1_8B, entry(LLAMA_3_1_8B), groups)
    assert found.ours == found.theirs
    assert found.unexplained == {"model.norm.weight": (4096, 0), "model.scale": (0, 4096)}


def test_the_command_fails_for_a_difference(monkeypatch, capsys):
    assert main(["llama", "--examples", "6"]) == 0
    assert "llama: 6 built" in capsys.readouterr().out
    monkeypatch.setattr(comparison, "causes_of", without_cause("tied by default"))
    assert main(["llama", "--examples", "6"]) == 1
    assert "unexplained: {'lm_head.weight': " in capsys.readouterr().out
    assert main(["poems"]) == 2
    assert "not a model type of both libraries: poems" in capsys.readouterr().err


def test_what_mlx_lm_requires():
    with pytest.raises(MissingKeys, match="ModelArgs requires hidden_size") as caught:
        build({"model_type": "llama"})
    assert "num_hidden_layers" in caught.value.keys
    broken = {**LLAMA_3_1_8B, "rms_norm_eps": 0.0}
    with pytest.raises(Refused, match="'eps' must be positive"):
        build(broken)


def test_neither_pytorch_nor_transformers_is_imported():
    code = (
        "import sys; from sweep.second_opinion.__main__ import main; "
        "main(['llama', '--examples', '1']); "
        "assert not {'torch', 'transformers'} & sys.modules.keys()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_configuration_is_not_changed_by_building_it():
    config = DATA["mistakes"]["vocabulary at top level"]["config"]
    before = repr(config)
    build(config)
    assert repr(config) == before
    assert entry(config, usual_class(read_type("gemma3"))).count > 0
