"""The conversions are transformers' own, and files that it saves are compared as stored."""

import json

import pytest

pytestmark = [
    pytest.mark.framework("transformers"),
    pytest.mark.shared("models are built and saved"),
]

transformers = pytest.importorskip("transformers")

from paramproof import compare
from paramproof.catalogue.configurations import entry
from paramproof.catalogue.conversions import FILE
from paramproof.sources.checkpoints import checkpoint
from paramproof.tracing.constructors.model_class import build_model
from sweep.conversions import class_data, classes_of_catalogue, mappings
from sweep.library.keys import set_key
from tests.checkpoints import write

SINGLY = """
    MixtralForCausalLM Qwen2MoeForCausalLM Qwen3MoeForCausalLM DeepseekV2ForCausalLM
    DeepseekV3ForCausalLM PhimoeForCausalLM JambaForCausalLM Glm4MoeForCausalLM MiniMaxForCausalLM
    Ernie4_5_MoeForCausalLM Qwen3NextForCausalLM Dots1ForCausalLM AfmoeForCausalLM
"""
"""Classes whose experts are stored one by one."""

OTHERS = """
    GptOssForCausalLM GraniteMoeForCausalLM ViTModel CLIPModel
    LlavaForConditionalGeneration Qwen2VLForConditionalGeneration Molmo2ForConditionalGeneration
    HrmTextForCausalLM Gemma3ForConditionalGeneration Qwen3VLMoeForConditionalGeneration
    JinaEmbeddingsV3ForMaskedLM DINOv3ViTModel
"""
"""Classes with other conversions, or with experts that are stored as they are in memory."""

TINY = {
    "vocab_size": 199,
    "num_labels": 2,
    "key_value_heads": 2,
    "per_tok": 2,
    "topk_group": 1,
    "n_group": 2,
    "shared_experts": 1,
    "experts": 4,
    "heads": 4,
    "head": 4,
    "layers": 2,
    "layer": 2,
    "depth": 2,
    "head_dim": 8,
    "hidden_size": 32,
    "embed_dim": 32,
    "intermediate_size": 24,
    "positions": 64,
    "embeddings": 64,
    "image_size": 32,
    "patch_size": 8,
}
"""Sizes by the end of the field's name."""

START = {"Dots1ForCausalLM": {"n_routed_experts": 8, "n_shared_experts": 2}}
"""Keys without which a class cannot build a model from its defaults."""

TYPES = dict(classes_of_catalogue())


def tiny(name, layers=1):
    keys = {"model_type": TYPES[name], "architectures": [name]}
    for path, part in entry({**keys, **START.get(name, {})}).parts.items():
        for field in part.program.types:
            end = next((end for end in TINY if field.endswith(end)), "")
            value = part.get(field)
            is_size = type(value) is int and value > 1 and not field.endswith("token_id")
            is_depth = end.startswith("layer")
            if is_size and not (is_depth and layers is None):
                size = TINY.get(end, min(value, 8)) * (layers if is_depth else 1)
                set_key(keys, f"{path}.{field}".lstrip("."), size)
    return keys


def built(name, part=""):
    """Return a tiny model of a class that has such a part, and the keys of its configuration.

    Some classes have experts only from the third layer on, and some accept only their own number of
    layers.
    """
    for layers in (1, 2, 4, None):
        keys = tiny(name, layers)
        try:
            assert entry(keys).count < 10**7
            on_meta = build_model(keys)
        except ValueError as error:
            refused = error
            continue
        if any(part in path for path, _ in on_meta.named_parameters()):
            return type(on_meta)(on_meta.config), keys
    raise refused


@pytest.fixture(scope="module", params=[*SINGLY.split(), *OTHERS.split()])
def saved(request, tmp_path_factory):
    model, keys = built(request.param)
    folder = tmp_path_factory.mktemp("saved")
    model.save_pretrained(folder)
    return request.param, model, keys, folder / "model.safetensors"


def test_the_mappings_equal_those_of_transformers():
    data = json.loads(FILE.read_text("utf-8"))
    assert data["mappings"] == mappings()
    assert data["transformers"] == transformers.__version__


def test_every_class_of_the_catalogue_has_conversions():
    data = json.loads(FILE.read_text("utf-8"))
    assert {*data["classes"]} <= {*TYPES}
    for name in TYPES.keys() - data["classes"].keys():
        if TYPES[name] == "dinat":  # It is built with a library of its own only.
            continue
        # Others that could not be built have no count at their defaults, either.
        with pytest.raises(ValueError, match=r"there is no formula|refuses|has no default"):
            entry({"model_type": TYPES[name]}, name)
    used = {name for one in data["classes"].values() for _, name in one.get("scopes", ())}
    assert used <= {*data["mappings"]}


def test_a_saved_file_equals_the_formula(saved):
    name, model, keys, file = saved
    assert json.loads(FILE.read_text("utf-8"))["classes"][name] == class_data(model)
    found = compare(file, keys)
    assert found.equal, found.render()
    assert found.actual == found.formula == model.num_parameters(only_trainable=True)


def test_a_file_with_names_in_memory_equals_the_formula(saved, tmp_path):
    _, model, keys, _ = saved
    shapes = {name: tuple(value.shape) for name, value in model.named_parameters()}
    file = write(tmp_path / "model.safetensors", shapes)
    found = compare(file, keys)
    assert found.equal, found.render()


@pytest.fixture(scope="module", params=SINGLY.split())
def experts(request, tmp_path_factory):
    model, keys = built(request.param, ".experts.")
    folder = tmp_path_factory.mktemp("experts")
    model.save_pretrained(folder)
    shapes = {one.name: one.shape for one in checkpoint(folder / "model.safetensors").tensors}
    expert = max(name for name in shapes if ".experts.2." in name)
    return shapes, expert, keys


@pytest.mark.parametrize("other", ["", ".experts.7.", ".experts.two."])
def test_a_missing_or_renamed_expert_is_reported(experts, other, tmp_path):
    shapes, expert, keys = experts
    name = expert.replace(".experts.2.", other)
    changed = {one: shape for one, shape in shapes.items() if one != expert}
    changed |= {name: shapes[expert]} if other else {}
    found = compare(write(tmp_path / "model.safetensors", changed), keys)
    rows = {(row.kind, row.path, row.expected or row.observed) for row in found.rows}
    due = {("missing", expert, shapes[expert])}
    assert rows == due | ({("unexpected", name, shapes[expert])} if other else set())


def test_a_transposed_expert_is_reported(experts, tmp_path):
    shapes, expert, keys = experts
    turned = shapes[expert][::-1]
    file = write(tmp_path / "model.safetensors", shapes | {expert: turned})
    (row,) = compare(file, keys).rows
    assert (row.kind, row.path) == ("wrong shape", expert)
    assert (row.expected, row.observed) == (shapes[expert], turned)
