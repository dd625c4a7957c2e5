"""A file with weights is counted by its header, without a configuration."""

import json

import pytest

import paramproof
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.models import named_configurations
from tests.checkpoints import header, in_memory, write

KEYS = named_configurations()["smollm-135m"].keys | {"num_hidden_layers": 2, "vocab_size": 10}
SMALL = in_memory(KEYS)
TOTAL = paramproof.count(KEYS).total


@pytest.fixture
def folder(tmp_path):
    """Return the working directory of the command, with weights in ``w`` and shards in ``s``."""
    for name in "ws":
        (tmp_path / name).mkdir()
    write(tmp_path / "w/model.safetensors", SMALL, dtype="BF16", size=2)
    shards = {name: f"model-0000{i % 2 + 1}-of-00002.safetensors" for i, name in enumerate(SMALL)}
    for shard in {*shards.values()}:
        own = {name: shape for name, shape in SMALL.items() if shards[name] == shard}
        write(tmp_path / "s" / shard, own, dtype="BF16", size=2)
    index = {"weight_map": shards}
    (tmp_path / "s/model.safetensors.index.json").write_text(json.dumps(index))
    return tmp_path


@pytest.mark.parametrize(
    "path", ["w", "w/model.safetensors", "s", "s/model.safetensors.index.json"]
)
def test_weights_are_counted_by_their_header(folder, path):
    found = paramproof.count(folder / path)
    assert (found.total, found.status) == (TOTAL, "counted")
    assert (
        found.by_component(2)["model.layers"]
        == paramproof.count(KEYS).by_component(2)["model.layers"]
    )
    (layer,) = (one for one in found.tensors if "q_proj" in one.path)
    assert (layer.path, layer.repeat) == ("model.layers.*.self_attn.q_proj.weight", 2)
    notes = " ".join(found.to_dict()["notes"])
    for words in (f"bytes as stored: {2 * TOTAL:,}", "BF16", "does not say which tensors are tied"):
        assert words in notes


def test_the_command(paramproof, folder):
    tree = paramproof("count", "w", "--depth", "2", "--dtype", "float32").stdout
    assert f"{TOTAL:,}" in tree
    assert f"{4 * TOTAL:,}" in tree
    assert f"bytes as stored: {2 * TOTAL:,}" in tree
    under = paramproof("count", "w", "--under", "without-embeddings").stdout
    assert f"{TOTAL - 10 * 576:,}" in under
    (folder / "config.json").write_text(json.dumps(KEYS))
    beside = paramproof("count", "w", "config.json", "--depth", "1")
    assert next(line for line in beside.stdout.splitlines() if "total" in line).split()[-1] == "0"
    data = paramproof("count", "w", "--json", "-").stdout
    assert json.loads(data)["models"][0]["total"] == TOTAL


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("count", "w", "--symbolic"), "w has weights, and no formula: --active, --symbolic"),
        (("count", "w", "--active"), "w has weights, and no formula"),
        (("count", "w", "--class", "LlamaModel"), "w: has weights, so it takes no class"),
        (("count", "w", "--html", "x.html"), "w: has weights, and no formula: give its config"),
        (("explain", "5", "w"), "w: has weights, and no formula"),
        (("diff", "gpt2", "w"), "w: has weights, and no formula"),
        (("count", "s/model-00001-of-00002.safetensors"), "is one of 2 shards: give their index"),
    ],
)
def test_what_weights_cannot_answer(refused, folder, arguments, words):
    assert words in refused(*arguments)


@pytest.mark.parametrize("name", ["", ".", ".weight"])
def test_a_name_without_a_component_is_refused(tmp_path, name):
    """The tree begins with the first component of each name."""
    write(tmp_path / "a.safetensors", {name: (2, 3)})
    with pytest.raises(InvalidInput, match="is not the name of a tensor in a model"):
        paramproof.count(tmp_path / "a.safetensors")


def test_integers_are_not_trained(tmp_path):
    """GPT-2's masks and the counters of a batch norm are buffers, and are listed as fixed."""
    start, end = header({"w": (2, 3), "mask": (4,)}, dtype="I64", size=8)
    (tmp_path / "a.safetensors").write_bytes(start.replace(b"I64", b"F64", 1) + b"\0" * end)
    found = paramproof.count(tmp_path / "a.safetensors")
    assert (found.total, {one.path: one.trainable for one in found.tensors}) == (
        6,
        {"mask": False, "w": True},
    )
    with pytest.raises(InvalidInput, match="no formula"):
        paramproof.diff("gpt2", tmp_path / "a.safetensors")
