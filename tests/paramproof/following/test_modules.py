"""Which module owns a tensor: rows that single types need, and refusals."""

import pytest

from paramproof.following import modules
from paramproof.following.dtypes import ELEMENT_BYTES
from paramproof.following.modules import Module, buffer_dtype, module_of
from paramproof.formulas.errors import InvalidInput


@pytest.mark.parametrize(
    ("model_type", "path", "kind", "dtype"),
    [
        ("llama", "model.layers.*.self_attn.q_proj.weight", "linear", ""),
        ("LlamaForCausalLM", "model.layers.31.self_attn.q_proj.bias", "linear", ""),
        ("gpt2", "transformer.h.0.attn.c_attn.weight", "conv1d", ""),
        ("bert", "embeddings.word_embeddings.weight", "embedding", ""),
        ("ibert", "embeddings.word_embeddings.weight", "parameter", ""),
        ("deepseek_v3", "model.layers.3.mlp.gate.weight", "parameter", "float32"),
        ("mixtral", "model.layers.3.mlp.gate.weight", "parameter", ""),
        ("gpt_oss", "model.layers.*.mlp.experts.gate_up_proj_bias", "parameter", ""),
        ("dac", "encoder.conv1.weight", "conv", ""),
        ("hy_v4", "lm_head.weight", "linear", "float32"),
        ("rt_detr", "model.enc_output.0.weight", "linear", ""),
        ("rt_detr", "model.enc_output.1.weight", "norm", ""),
        ("lw_detr", "model.enc_output.1.weight", "linear", ""),
        ("nllb-moe", "model.encoder.layers.3.ffn.experts.expert_777.fc1.weight", "linear", ""),
    ],
)
def test_module(model_type, path, kind, dtype):
    assert module_of(model_type, path) == Module(kind, dtype)


def test_the_first_type_that_has_a_name_decides():
    path = "encoder.layer.0.attention.self.query.weight"
    assert module_of(["llava", "ibert", "bert"], path).kind == "parameter"
    assert module_of(["llava", "bert", "ibert"], path).kind == "linear"


UNDECIDED = {
    "llama": "model.layers.0.self_attn.zz_proj.weight",
    "no_such_type": "encoder.layer.0.attention.self.query.weight",
    "rt_detr": "model.enc_output.*.weight",
}


@pytest.mark.parametrize(("model_type", "path"), UNDECIDED.items())
def test_what_no_row_decides_is_refused(model_type, path):
    with pytest.raises(InvalidInput, match="it is not known which kind of module"):
        module_of(model_type, path)


def test_dtype_of_a_buffer():
    assert buffer_dtype("llama", "model.rotary_emb.inv_freq") == "float32"
    assert buffer_dtype("resnet", "embedder.embedder.normalization.num_batches_tracked") == "int64"
    assert buffer_dtype("resnet", "embedder.embedder.normalization.running_mean") == ""
    with pytest.raises(InvalidInput, match="the dtype of the buffer zz is not known"):
        buffer_dtype("llama", "zz")


def test_every_row_has_a_label_that_there_is():
    data = modules.read()
    for table, labels in (("modules", modules.KINDS), ("dtypes", ELEMENT_BYTES)):
        rows = [row if isinstance(row, dict) else {row: ""} for row in data[table].values()]
        assert {label for row in rows for label in row} <= {*labels}
    assert modules.FILE.stat().st_size < 150_000
