"""What holds of every answer of ``paramproof count``: sums, pairs, and the sources of a model."""

import json
import re
import subprocess
from math import prod

import pytest

import paramproof as package
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.families import spec_fields
from paramproof.formulas.models import named_model
from paramproof.formulas.path import leaf
from tests import literals
from tests.checkpoints import header, in_memory, write
from tests.configs import SMALL_MIXTRAL
from tests.printed import rows


@pytest.mark.parametrize("model", literals.TOTALS)
def test_the_leaves_add_up(paramproof, model):
    """The printed totals of all leaves add up to the printed total."""
    lines = paramproof("count", model).stdout.splitlines()
    leaves = [re.split(r"  +", line.strip()) for line in lines if re.search(r"  \(\d", line)]
    totals = [int(row[-1 if "0" in row[-1:] else -2].replace(",", "")) for row in leaves]
    assert len(totals) >= 12
    assert sum(totals) == literals.TOTALS[model]


@pytest.mark.parametrize("model", ["bert-tiny", "transformer-one-layer", "llama-3-8b"])
def test_json_adds_up(paramproof, model):
    (data,) = json.loads(paramproof("count", model, "--json", "-").stdout)["models"]
    counted = [one for one in data["tensors"] if one["trainable"] and not one["tied_to"]]
    total = sum(one["times"] * prod(one["shape"]) for one in counted)
    assert total == data["total"] == literals.TOTALS[named_model(model).name]
    assert sum(one["total"] for one in data["components"] if one["depth"] == 1) == total


def test_models_are_paired_as_diff_pairs_them(paramproof):
    """LLaMA's spec has canonical names, and Qwen 3 those of transformers; T5 shares none."""
    for other, depth in (("qwen3", "3"), ("t5", "1")):
        beside = rows(paramproof("count", "llama-3-8b", other, "--depth", depth).stdout)
        for row in package.diff("llama-3-8b", other).rows:
            both = [f"{number or 0:,}" for number in (row.first, row.other)]
            if other == "t5" or row.path.startswith("layers"):
                assert [one.replace("-", "0") for one in beside[leaf(row.path)][:2]] == both
        assert not {"model", "encoder"} & beside.keys()


CONFIG = {
    **{"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "vocab_size": 50257},
    **{"n_embd": 768, "n_layer": 12, "n_head": 12, "n_positions": 1024},
}


@pytest.mark.parametrize("given", [CONFIG, spec_fields(named_model("gpt2").spec)])
def test_standard_input(invocation, given):
    """A configuration or a spec, beside a name."""
    asked = invocation("count", "gpt2", "-")
    done = subprocess.run(**asked, input=json.dumps(given), capture_output=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    assert rows(done.stdout)["total"] == ["124,439,808", "124,439,808", "0"]


def test_weights_are_counted_by_their_header(tmp_path):
    """From a file or its directory, as from the configuration; the snapshots have an index."""
    shapes = in_memory(SMALL_MIXTRAL)
    total = package.count(SMALL_MIXTRAL).total
    file = write(tmp_path / "model.safetensors", shapes, dtype="BF16", size=2)
    for path in (file, tmp_path):
        found = package.count(path)
        assert (found.total, found.status) == (total, "counted")
        (layer,) = (one for one in found.tensors if "q_proj" in one.path)
        assert (layer.path, layer.repeat) == ("model.layers.*.self_attn.q_proj.weight", 2)
        assert f"bytes as stored: {2 * total:,}" in found.to_dict()["notes"]


@pytest.mark.parametrize("name", ["", ".", ".weight"])
def test_a_name_without_a_component_is_refused(tmp_path, name):
    """The tree begins with the first component of each name."""
    write(tmp_path / "a.safetensors", {name: (2, 3)})
    with pytest.raises(InvalidInput, match="is not the name of a tensor in a model"):
        package.count(tmp_path / "a.safetensors")


def test_integers_are_not_trained(tmp_path):
    """GPT-2's masks and the counters of a batch norm are buffers, and are listed as fixed."""
    start, end = header({"w": (2, 3), "mask": (4,)}, dtype="I64", size=8)
    (tmp_path / "a.safetensors").write_bytes(start.replace(b"I64", b"F64", 1) + b"\0" * end)
    found = package.count(tmp_path / "a.safetensors")
    trainable = {one.path: one.trainable for one in found.tensors}
    assert (found.total, trainable) == (6, {"mask": False, "w": True})
