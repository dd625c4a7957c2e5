"""PyTorch: ``nn.TransformerEncoderLayer``, with q, k and v fused in one projection.

Built on the meta device, where a parameter has a shape and no storage. PyTorch stores a
kernel as (out, in) and calls it, as everything else, a weight.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from builders.protocol import Array, DType, Outputs, require_allocated, require_arrays
from formulas.spec import EncoderSpec, Numerics
from formulas.weight import Weight

FRAMEWORKS = {"torch": {"extra": "torch", "distributions": ("torch",)}}

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": functional.gelu,
    "gelu_new": partial(functional.gelu, approximate="tanh"),
    "relu": functional.relu,
}

# Native name: the canonical tensors in it, and how they are stored.
Canonical = tuple[tuple[str, ...], tuple[str, ...]]
PLAIN: tuple[str, ...] = ()
TRANSPOSED = ("transposed",)

OUTSIDE_LAYERS: dict[str, Canonical] = {
    "word_embeddings.weight": (("embeddings.word_embeddings.weight",), PLAIN),
    "position_embeddings.weight": (("embeddings.position_embeddings.weight",), PLAIN),
    "token_type_embeddings.weight": (("embeddings.token_type_embeddings.weight",), PLAIN),
    "embeddings_norm.weight": (("embeddings.layer_norm.scale",), PLAIN),
    "embeddings_norm.bias": (("embeddings.layer_norm.bias",), PLAIN),
    "pooler.weight": (("pooler.kernel",), TRANSPOSED),
    "pooler.bias": (("pooler.bias",), PLAIN),
    "mlm_dense.weight": (("mlm_head.dense.kernel",), TRANSPOSED),
    "mlm_dense.bias": (("mlm_head.dense.bias",), PLAIN),
    "mlm_norm.weight": (("mlm_head.layer_norm.scale",), PLAIN),
    "mlm_norm.bias": (("mlm_head.layer_norm.bias",), PLAIN),
    "mlm_decoder.weight": (("mlm_head.decoder.weight",), PLAIN),
    "mlm_decoder.bias": (("mlm_head.decoder.bias",), PLAIN),
    "nsp.weight": (("nsp_head.classifier.kernel",), TRANSPOSED),
    "nsp.bias": (("nsp_head.classifier.bias",), PLAIN),
}

QKV = ("attention.query", "attention.key", "attention.value")
IN_LAYER: dict[str, Canonical] = {
    "self_attn.in_proj_weight": (tuple(f"{name}.kernel" for name in QKV), TRANSPOSED),
    "self_attn.in_proj_bias": (tuple(f"{name}.bias" for name in QKV), PLAIN),
    "self_attn.out_proj.weight": (("attention.output.kernel",), TRANSPOSED),
    "self_attn.out_proj.bias": (("attention.output.bias",), PLAIN),
    "linear1.weight": (("feed_forward.intermediate.kernel",), TRANSPOSED),
    "linear1.bias": (("feed_forward.intermediate.bias",), PLAIN),
    "linear2.weight": (("feed_forward.output.kernel",), TRANSPOSED),
    "linear2.bias": (("feed_forward.output.bias",), PLAIN),
    "norm1.weight": (("attention_layer_norm.scale",), PLAIN),
    "norm1.bias": (("attention_layer_norm.bias",), PLAIN),
    "norm2.weight": (("feed_forward_layer_norm.scale",), PLAIN),
    "norm2.bias": (("feed_forward_layer_norm.bias",), PLAIN),
}


def supports(spec: EncoderSpec) -> Literal[True]:
    """Every encoder can be expressed."""
    return True


def build(
    spec: EncoderSpec,
    numerics: Numerics | None = None,
    *,
    allocate: bool = False,
    dtype: DType = "float32",
) -> TorchModel:
    """The encoder on the meta device, or on the CPU where it is to be allocated."""
    with torch.device("cpu" if allocate else "meta"):
        encoder = Encoder(spec, numerics or Numerics())
    return TorchModel(encoder.to(getattr(torch, dtype)))


class Encoder(nn.Module):
    """BERT, post-norm, from PyTorch's own layers."""

    def __init__(self, spec: EncoderSpec, numerics: Numerics) -> None:
        super().__init__()
        hidden, eps = spec.hidden_size, numerics.layer_norm_eps
        self.activation = ACTIVATIONS[numerics.hidden_act]
        self.word_embeddings = nn.Embedding(spec.vocab_size, hidden)
        self.position_embeddings = nn.Embedding(spec.max_position_embeddings, hidden)
        self.token_type_embeddings = nn.Embedding(spec.type_vocab_size, hidden)
        self.embeddings_norm = nn.LayerNorm(hidden, eps)
        # Not nn.TransformerEncoder: its forward raises where there are no layers.
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                hidden,
                spec.num_attention_heads,
                spec.intermediate_size,
                dropout=0.0,
                activation=self.activation,
                layer_norm_eps=eps,
                batch_first=True,
            )
            for _ in range(spec.num_hidden_layers)
        )
        self.pooler = nn.Linear(hidden, hidden) if spec.pooler else None
        self.mlm_decoder = None
        if spec.mlm_head:
            self.mlm_dense = nn.Linear(hidden, hidden)
            self.mlm_norm = nn.LayerNorm(hidden, eps)
            self.mlm_decoder = nn.Linear(hidden, spec.vocab_size)
            if spec.tie_word_embeddings:
                self.mlm_decoder.weight = self.word_embeddings.weight
        self.nsp = nn.Linear(hidden, 2) if spec.nsp_head else None

    def forward(self, ids: Tensor, types: Tensor, mask: Tensor) -> dict[str, Tensor | None]:
        positions = torch.arange(ids.shape[1], device=ids.device)
        x = self.word_embeddings(ids) + self.position_embeddings(positions)
        x = self.embeddings_norm(x + self.token_type_embeddings(types))
        for layer in self.layers:
            # PyTorch's mask is True where a key is to be ignored.
            x = layer(x, src_key_padding_mask=~mask)
        pooled = mlm = nsp = None
        if self.pooler is not None:
            pooled = torch.tanh(self.pooler(x[:, 0]))
        if self.mlm_decoder is not None:
            hidden = self.mlm_norm(self.activation(self.mlm_dense(x)))
            mlm = self.mlm_decoder(hidden).softmax(-1)
        if self.nsp is not None:
            nsp = self.nsp(pooled).softmax(-1)
        return {"sequence": x, "pooled": pooled, "mlm": mlm, "nsp": nsp}


class TorchModel:
    """Any module whose parameters bear the names of ``Encoder``."""

    def __init__(self, module: nn.Module) -> None:
        self.module = module.eval()

    def weights(self) -> list[Weight]:
        """Every parameter once, by identity; further names of the same one are aliases.

        Buffers are no parameters and are left out. A frozen parameter (``requires_grad``
        False) is listed as not trainable.
        """
        names: dict[int, list[str]] = {}
        parameters: dict[int, nn.Parameter] = {}
        for name, parameter in self.module.named_parameters(remove_duplicate=False):
            names.setdefault(id(parameter), []).append(name)
            parameters[id(parameter)] = parameter
        return [_weight(parameters[key], *paths) for key, paths in names.items()]

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
        """A forward pass, evaluating."""
        with torch.no_grad():
            outputs = self._forward(ids, types, mask)
        return Outputs(**{k: None if v is None else v.numpy() for k, v in outputs.items()})

    def gradients(
        self, ids: Array, types: Array, mask: Array, cotangents: Outputs
    ) -> dict[str, Array]:
        """The gradient of the sum of outputs times ``cotangents``."""
        outputs = self._forward(ids, types, mask)
        wanted = {k: torch.as_tensor(v) for k, v in cotangents._asdict().items() if v is not None}
        loss = sum((outputs[name] * cotangent).sum() for name, cotangent in wanted.items())
        trainable = {k: v for k, v in self.module.named_parameters() if v.requires_grad}
        gradients = torch.autograd.grad(loss, list(trainable.values()), allow_unused=True)
        reached = zip(trainable, gradients, strict=True)
        return {name: gradient.numpy() for name, gradient in reached if gradient is not None}

    def _forward(self, *arrays: Array) -> dict[str, Any]:
        self._require_allocated()
        return self.module(*map(_tensor, arrays))

    def _require_allocated(self) -> None:
        require_allocated(not any(p.is_meta for p in self.module.parameters()))


def _tensor(array: Array) -> Tensor:
    """PyTorch takes no array that is read-only or has a negative stride."""
    return torch.as_tensor(array.copy())


def _weight(parameter: nn.Parameter, path: str, *others: str) -> Weight:
    parts, layout = _canonical(path)
    aliases = tuple(part for other in others for part in _canonical(other)[0] or (other,))
    shape = tuple(parameter.shape)
    return Weight(path, shape, parameter.requires_grad, parts, layout, aliases)


def _canonical(path: str) -> Canonical:
    """The canonical parts and layout of a parameter; no parts for a name unknown here."""
    if not path.startswith("layers."):
        return OUTSIDE_LAYERS.get(path, ((), PLAIN))
    _, index, name = path.split(".", 2)
    parts, layout = IN_LAYER.get(name, ((), PLAIN))
    return tuple(f"layers.{index}.{part}" for part in parts), layout
