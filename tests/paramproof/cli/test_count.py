"""What holds of every answer of ``paramproof count``: sums, pairs, and the sources of a model."""

import re

import pytest

import paramproof as package
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.path import leaf
from tests import literals
from tests.checkpoints import header, write
from tests.printed import rows


@pytest.mark.parametrize("model", literals.TOTALS)
def test_the_leaves_add_up(paramproof, model):
    """The printed totals of all leaves add up to the printed total."""
    lines = paramproof("count", model).stdout.splitlines()
    leaves = [re.split(r"  +", line.strip()) for line in lines if re.search(r"  \(\d", line)]
    totals = [int(row[-1 if "0" in row[-1:] else -2].replace(",", "")) for row in leaves]
    assert len(totals) >= 12
    assert sum(totals) == literals.TOTALS[model]


def test_models_are_paired_as_diff_pairs_them(paramproof):
    """LLaMA's spec has canonical names, and Qwen 3 those of transformers; T5 shares none."""
    for other, depth in (("qwen3", "3"), ("t5", "1")):
        beside = rows(paramproof("count", "llama-3-8b", other, "--depth", depth).stdout)
        for row in package.diff("llama-3-8b", other).rows:
            both = [f"{number or 0:,}" for number in (row.first, row.other)]
            if other == "t5" or row.path.startswith("layers"):
                assert [one.replace("-", "0") for one in beside[leaf(row.path)][:2]] == both
        assert not {"model", "encoder"} & beside.keys()


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
