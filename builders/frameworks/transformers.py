"""Hugging Face transformers: its BERT models, which nobody here wrote.

Made from a configuration, never downloaded, on the meta device, where a parameter has a
shape and no storage. Each combination of heads is a class of its own, and only those
combinations that have one can be built. A kernel is (out, in), as in PyTorch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import torch
from torch import Tensor, nn
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertForNextSentencePrediction,
    BertForPreTraining,
    BertModel,
    PreTrainedModel,
)

from builders.protocol import (
    Array,
    DType,
    Outputs,
    require,
    require_allocated,
    require_arrays,
)
from formulas.spec import EncoderSpec, Numerics
from formulas.weight import Weight

FRAMEWORKS = {
    "transformers": {
        "extra": "transformers",
        "distributions": ("transformers", "torch"),
        "fixed": {"tie_word_embeddings": True},
    }
}

# Native name: the canonical tensor, and how it is stored.
Canonical = tuple[str, tuple[str, ...]]
PLAIN: tuple[str, ...] = ()
TRANSPOSED = ("transposed",)

OUTSIDE_LAYERS: dict[str, Canonical] = {
    "embeddings.word_embeddings.weight": ("embeddings.word_embeddings.weight", PLAIN),
    "embeddings.position_embeddings.weight": ("embeddings.position_embeddings.weight", PLAIN),
    "embeddings.token_type_embeddings.weight": (
        "embeddings.token_type_embeddings.weight",
        PLAIN,
    ),
    "embeddings.LayerNorm.weight": ("embeddings.layer_norm.scale", PLAIN),
    "embeddings.LayerNorm.bias": ("embeddings.layer_norm.bias", PLAIN),
    "pooler.dense.weight": ("pooler.kernel", TRANSPOSED),
    "pooler.dense.bias": ("pooler.bias", PLAIN),
    "cls.predictions.transform.dense.weight": ("mlm_head.dense.kernel", TRANSPOSED),
    "cls.predictions.transform.dense.bias": ("mlm_head.dense.bias", PLAIN),
    "cls.predictions.transform.LayerNorm.weight": ("mlm_head.layer_norm.scale", PLAIN),
    "cls.predictions.transform.LayerNorm.bias": ("mlm_head.layer_norm.bias", PLAIN),
    "cls.predictions.decoder.weight": ("mlm_head.decoder.weight", PLAIN),
    # Two names, and where the head is tied one parameter.
    "cls.predictions.decoder.bias": ("mlm_head.decoder.bias", PLAIN),
    "cls.predictions.bias": ("mlm_head.decoder.bias", PLAIN),
    "cls.seq_relationship.weight": ("nsp_head.classifier.kernel", TRANSPOSED),
    "cls.seq_relationship.bias": ("nsp_head.classifier.bias", PLAIN),
}

IN_LAYER: dict[str, Canonical] = {
    "attention.self.query.weight": ("attention.query.kernel", TRANSPOSED),
    "attention.self.query.bias": ("attention.query.bias", PLAIN),
    "attention.self.key.weight": ("attention.key.kernel", TRANSPOSED),
    "attention.self.key.bias": ("attention.key.bias", PLAIN),
    "attention.self.value.weight": ("attention.value.kernel", TRANSPOSED),
    "attention.self.value.bias": ("attention.value.bias", PLAIN),
    "attention.output.dense.weight": ("attention.output.kernel", TRANSPOSED),
    "attention.output.dense.bias": ("attention.output.bias", PLAIN),
    "attention.output.LayerNorm.weight": ("attention_layer_norm.scale", PLAIN),
    "attention.output.LayerNorm.bias": ("attention_layer_norm.bias", PLAIN),
    "intermediate.dense.weight": ("feed_forward.intermediate.kernel", TRANSPOSED),
    "intermediate.dense.bias": ("feed_forward.intermediate.bias", PLAIN),
    "output.dense.weight": ("feed_forward.output.kernel", TRANSPOSED),
    "output.dense.bias": ("feed_forward.output.bias", PLAIN),
    "output.LayerNorm.weight": ("feed_forward_layer_norm.scale", PLAIN),
    "output.LayerNorm.bias": ("feed_forward_layer_norm.bias", PLAIN),
}


def supports(spec: EncoderSpec) -> Literal[True] | str:
    """True, or what Hugging Face has no class for."""
    if not spec.tie_word_embeddings:
        return (
            "Hugging Face's untied MLM head has two output biases, decoder.bias and "
            "predictions.bias, of which only the first is used"
        )
    if spec.mlm_head and spec.pooler != spec.nsp_head:
        return "Hugging Face has no BERT class with a pooler and an MLM head but no NSP head"
    return True


def build(
    spec: EncoderSpec,
    numerics: Numerics | None = None,
    *,
    allocate: bool = False,
    dtype: DType = "float32",
) -> HuggingFaceModel:
    """The model on the meta device, or on the CPU where it is to be allocated."""
    require(supports(spec))
    config = _config(spec, numerics or Numerics())
    with torch.device("cpu" if allocate else "meta"):
        module = _module(spec, config)
    return HuggingFaceModel(module.to(getattr(torch, dtype)))


def _config(spec: EncoderSpec, numerics: Numerics) -> BertConfig:
    return BertConfig(
        vocab_size=spec.vocab_size,
        hidden_size=spec.hidden_size,
        num_hidden_layers=spec.num_hidden_layers,
        num_attention_heads=spec.num_attention_heads,
        intermediate_size=spec.intermediate_size,
        max_position_embeddings=spec.max_position_embeddings,
        type_vocab_size=spec.type_vocab_size,
        hidden_act=numerics.hidden_act,
        layer_norm_eps=numerics.layer_norm_eps,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        # With an id, the default, that row of the token table starts at 0 and never trains.
        pad_token_id=None,
        # The paper's attention written out, in Hugging Face's own code, not PyTorch's kernel.
        attn_implementation="eager",
    )


def _module(spec: EncoderSpec, config: BertConfig) -> PreTrainedModel:
    """The class that has the heads of ``spec``, and no others."""
    if spec.mlm_head and spec.nsp_head:
        return BertForPreTraining(config)
    if spec.mlm_head:
        return BertForMaskedLM(config)
    if spec.nsp_head:
        return BertForNextSentencePrediction(config)
    return BertModel(config, add_pooling_layer=spec.pooler)


class HuggingFaceModel:
    """Any of Hugging Face's BERT models, or of those that share its names, as ERNIE's do."""

    def __init__(self, module: PreTrainedModel) -> None:
        self.module = module.eval()

    def weights(self) -> list[Weight]:
        """Every parameter once, by identity; further names of the same one are aliases.

        Buffers (``position_ids``, ``token_type_ids``) are no parameters and are left out. A
        frozen parameter (``requires_grad`` False) is listed as not trainable.
        """
        names: dict[int, list[str]] = {}
        parameters: dict[int, nn.Parameter] = {}
        for name, parameter in self.module.named_parameters(remove_duplicate=False):
            names.setdefault(id(parameter), []).append(name)
            parameters[id(parameter)] = parameter
        # The encoder within a model with heads is called bert, or ernie.
        prefix = f"{self.module.base_model_prefix}."
        return [_weight(parameters[key], prefix, *paths) for key, paths in names.items()]

    @property
    def dtype(self) -> DType:
        """That of the first parameter."""
        kind: Any = str(next(self.module.parameters()).dtype).removeprefix("torch.")
        return kind

    def read(self) -> dict[str, Array]:
        """A copy of every parameter."""
        self._require_allocated()
        return {k: v.detach().numpy().copy() for k, v in self.module.named_parameters()}

    def write(self, arrays: Mapping[str, Array]) -> None:
        """Copy ``arrays`` into the parameters, which keep their storage and so their ties."""
        self._require_allocated()
        require_arrays({w.path: w.shape for w in self.weights()}, self.dtype, arrays)
        with torch.no_grad():
            for name, parameter in self.module.named_parameters():
                parameter.copy_(_tensor(arrays[name]))

    def run(self, ids: Array, types: Array, mask: Array) -> Outputs:
        """A forward pass, evaluating.

        Encoder and heads are called one after the other, as the model's own forward does:
        that returns the heads' scores without the sequence and the pooled output.
        """
        with torch.no_grad():
            return Outputs(*map(_array, self._forward(ids, types, mask)))

    def gradients(
        self, ids: Array, types: Array, mask: Array, cotangents: Outputs
    ) -> dict[str, Array]:
        """The gradient of the sum of outputs times ``cotangents``."""
        pairs = zip(self._forward(ids, types, mask), cotangents, strict=True)
        loss = sum((out * torch.as_tensor(by)).sum() for out, by in pairs if by is not None)
        trainable = {k: v for k, v in self.module.named_parameters() if v.requires_grad}
        gradients = torch.autograd.grad(loss, list(trainable.values()), allow_unused=True)
        reached = zip(trainable, gradients, strict=True)
        return {name: gradient.numpy() for name, gradient in reached if gradient is not None}

    def _forward(self, ids: Array, types: Array, mask: Array) -> Outputs:
        self._require_allocated()
        heads: Any = getattr(self.module, "cls", None)
        inputs = {"input_ids": ids, "token_type_ids": types, "attention_mask": mask}
        encoded = self.module.base_model(**{k: _tensor(v) for k, v in inputs.items()})
        mlm = nsp = None
        if hasattr(heads, "predictions"):
            mlm = heads.predictions(encoded.last_hidden_state).softmax(-1)
        if hasattr(heads, "seq_relationship"):
            nsp = heads.seq_relationship(encoded.pooler_output).softmax(-1)
        return Outputs(encoded.last_hidden_state, encoded.pooler_output, mlm, nsp)

    def _require_allocated(self) -> None:
        require_allocated(not any(p.is_meta for p in self.module.parameters()))


def _tensor(array: Array) -> Tensor:
    """PyTorch takes no array that is read-only or has a negative stride."""
    return torch.as_tensor(array.copy())


def _array(tensor: Tensor | None) -> Array | None:
    return None if tensor is None else tensor.numpy()


def _weight(parameter: nn.Parameter, prefix: str, path: str, *others: str) -> Weight:
    part, layout = _canonical(path.removeprefix(prefix))
    further = [_canonical(other.removeprefix(prefix))[0] or other for other in others]
    # The second name of a tied bias stands for the same canonical tensor: no alias.
    aliases = tuple(alias for alias in further if alias != part)
    shape = tuple(parameter.shape)
    return Weight(path, shape, parameter.requires_grad, (part,) if part else (), layout, aliases)


def _canonical(path: str) -> Canonical:
    """The canonical tensor and layout of a parameter; no tensor for a name unknown here."""
    if not path.startswith("encoder.layer."):
        return OUTSIDE_LAYERS.get(path, ("", PLAIN))
    index, name = path.removeprefix("encoder.layer.").split(".", 1)
    part, layout = IN_LAYER.get(name, ("", PLAIN))
    return f"layers.{index}.{part}" if part else "", layout
