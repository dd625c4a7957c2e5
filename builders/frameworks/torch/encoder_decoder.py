"""The Transformer of 2017 from ``nn.TransformerEncoderLayer`` and ``…DecoderLayer``.

Not from ``nn.Transformer``, which puts a norm at the end of either stack.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn

from paramproof.builders.frameworks.torch.layers import ACTIVATIONS, LanguageHead, later
from paramproof.builders.frameworks.torch.names import names
from paramproof.formulas.spec import EncoderDecoderSpec, Numerics

NAMES = {
    **names.table("source.word_embeddings", "encoder.embeddings.word_embeddings"),
    **names.table("source.position_embeddings", "encoder.embeddings.position_embeddings"),
    **names.layer("encoder.*", "encoder.layers.*"),
    **names.table("target.word_embeddings", "decoder.embeddings.word_embeddings"),
    **names.table("target.position_embeddings", "decoder.embeddings.position_embeddings"),
    **names.decoder_layer("decoder.*", "decoder.layers.*"),
    **names.table("lm_head", "lm_head"),
}


class EncoderDecoder(nn.Module):
    """The Transformer, post-norm, from PyTorch's own layers."""

    names = NAMES

    def __init__(self, spec: EncoderDecoderSpec, numerics: Numerics) -> None:
        super().__init__()
        self.source = Embeddings(spec, spec.vocab_size)
        self.target = Embeddings(spec, spec.target_vocab_size)
        if spec.share_embeddings:
            self.target.word_embeddings = self.source.word_embeddings
        encoders, decoders = range(spec.num_encoder_layers), range(spec.num_decoder_layers)
        self.encoder = nn.ModuleList(EncoderLayer(spec, numerics) for _ in encoders)
        self.decoder = nn.ModuleList(DecoderLayer(spec, numerics) for _ in decoders)
        self.lm_head = LanguageHead(self.target.word_embeddings, spec.tie_word_embeddings)

    def forward(self, source: Tensor, mask: Tensor, target: Tensor) -> dict[str, Tensor]:
        memory = self.source(source)
        for encoder in self.encoder:
            # PyTorch's mask is True where a key is to be ignored.
            memory = encoder(memory, src_key_padding_mask=~mask)
        x, ahead = self.target(target), later(target.shape[1])
        for decoder in self.decoder:
            x = decoder(x, memory, tgt_mask=ahead, memory_key_padding_mask=~mask)
        return {"sequence": x, "lm": self.lm_head(x)}


class Embeddings(nn.Module):
    """Tokens times √H, and positions: learned, or sinusoids in a table that is frozen."""

    def __init__(self, spec: EncoderDecoderSpec, tokens: int) -> None:
        super().__init__()
        shape = spec.max_position_embeddings, spec.hidden_size
        self.word_embeddings = nn.Embedding(tokens, spec.hidden_size)
        if spec.learned_positions:
            self.position_embeddings = nn.Embedding(*shape)
        else:
            self.position_embeddings = nn.Embedding.from_pretrained(sinusoids(*shape))

    def forward(self, ids: Tensor) -> Tensor:
        scale = math.sqrt(self.word_embeddings.embedding_dim)
        positions = self.position_embeddings(torch.arange(ids.shape[1]))
        return self.word_embeddings(ids) * scale + positions


class EncoderLayer(nn.TransformerEncoderLayer):
    """PyTorch's, whose ``bias`` is that of everything, with or without the attention's."""

    def __init__(self, spec: EncoderDecoderSpec, numerics: Numerics) -> None:
        super().__init__(**_options(spec, numerics))
        self.self_attn = _attention(spec)


class DecoderLayer(nn.TransformerDecoderLayer):
    """PyTorch's, whose ``bias`` is that of everything, with or without the attention's."""

    def __init__(self, spec: EncoderDecoderSpec, numerics: Numerics) -> None:
        super().__init__(**_options(spec, numerics))
        self.self_attn, self.multihead_attn = _attention(spec), _attention(spec)


def _options(spec: EncoderDecoderSpec, numerics: Numerics) -> dict[str, Any]:
    return {
        "d_model": spec.hidden_size,
        "nhead": spec.num_attention_heads,
        "dim_feedforward": spec.intermediate_size,
        "dropout": 0.0,
        "activation": ACTIVATIONS[numerics.hidden_act],
        "layer_norm_eps": numerics.layer_norm_eps,
        "batch_first": True,
    }


def _attention(spec: EncoderDecoderSpec) -> nn.MultiheadAttention:
    return nn.MultiheadAttention(
        spec.hidden_size, spec.num_attention_heads, bias=spec.attention_bias, batch_first=True
    )


def sinusoids(positions: int, width: int) -> Tensor:
    """Return fixed positions, (positions, width), sines at even features and cosines at odd ones.

    Source: Vaswani et al. 2017, section 3.5. (Their code, tensor2tensor, has all sines first.)
    """
    table = torch.empty(positions, width)
    if table.is_meta:
        # Computing no values would take PyTorch seconds.
        return table
    even = torch.arange(0, width, 2, dtype=torch.float64)
    angles = torch.outer(torch.arange(positions, dtype=torch.float64), 10000 ** (-even / width))
    # As many as the width, though that be odd.
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1)[:, :width]
