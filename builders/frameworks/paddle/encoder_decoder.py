"""The Transformer of 2017 from ``nn.TransformerEncoderLayer`` and ``…DecoderLayer``.

Not from ``nn.Transformer``, which puts a norm at the end of either stack.
"""

from __future__ import annotations

import math

import numpy as np
import paddle
from paddle import Tensor, nn

from paramproof.builders.frameworks.paddle.layers import LanguageHead, causal, layer
from paramproof.builders.frameworks.paddle.names import names
from paramproof.formulas.spec import EncoderDecoderSpec, Numerics

NAMES = {
    **names.table("source.word_embeddings", "encoder.embeddings.word_embeddings"),
    **names.table("source.position_embeddings", "encoder.embeddings.position_embeddings"),
    **names.layer("encoder.*", "encoder.layers.*"),
    **names.table("target.word_embeddings", "decoder.embeddings.word_embeddings"),
    **names.table("target.position_embeddings", "decoder.embeddings.position_embeddings"),
    **names.decoder_layer("decoder.*", "decoder.layers.*"),
    **names.decoder("lm_head.projection", "lm_head"),
}


class EncoderDecoder(nn.Layer):
    """The Transformer, post-norm, from Paddle's own layers."""

    names = NAMES

    def __init__(self, spec: EncoderDecoderSpec, numerics: Numerics) -> None:
        super().__init__()
        self.source = Embeddings(spec, spec.vocab_size)
        self.target = Embeddings(spec, spec.target_vocab_size)
        if spec.share_embeddings:
            self.target.word_embeddings = self.source.word_embeddings
        attention = None if spec.attention_bias else False
        self.encoder = nn.LayerList(
            layer(nn.TransformerEncoderLayer, spec, numerics, [attention, None])
            for _ in range(spec.num_encoder_layers)
        )
        self.decoder = nn.LayerList(
            layer(nn.TransformerDecoderLayer, spec, numerics, [attention, attention, None])
            for _ in range(spec.num_decoder_layers)
        )
        tied = spec.tie_word_embeddings
        self.lm_head = LanguageHead(spec.target_vocab_size, spec.hidden_size, tied)

    def forward(self, source: Tensor, mask: Tensor, target: Tensor) -> dict[str, Tensor]:
        visible = mask[:, None, None, :]
        memory = self.source(source)
        for encoder in self.encoder:
            memory = encoder(memory, src_mask=visible)
        x, so_far = self.target(target), causal(target.shape[1])
        for decoder in self.decoder:
            x = decoder(x, memory, tgt_mask=so_far, memory_mask=visible)
        return {"sequence": x, "lm": self.lm_head(x, self.target.word_embeddings)}


class Embeddings(nn.Layer):
    """Tokens times √H, and positions: learned, or sinusoids in a table that is frozen."""

    def __init__(self, spec: EncoderDecoderSpec, vocab_size: int) -> None:
        super().__init__()
        shape = spec.max_position_embeddings, spec.hidden_size
        self.scale = math.sqrt(spec.hidden_size)
        self.word_embeddings = nn.Embedding(vocab_size, spec.hidden_size)
        learned = spec.learned_positions
        attr = None if learned else paddle.ParamAttr(trainable=False, initializer=Sinusoids())
        self.position_embeddings = nn.Embedding(*shape, weight_attr=attr)

    def forward(self, ids: Tensor) -> Tensor:
        positions = self.position_embeddings(paddle.arange(ids.shape[1]))
        return self.word_embeddings(ids) * self.scale + positions


class Sinusoids(nn.initializer.Initializer):
    """Fill a table (positions, H) with sines at even features and cosines at odd ones.

    Paddle does not call an initializer under ``LazyGuard``.

    Source: Vaswani et al. 2017, section 3.5. (Their code, tensor2tensor, has all sines first.)
    """

    def forward(self, var: Tensor, block: object = None) -> None:
        positions, width = var.shape
        rates = 10000.0 ** (-np.arange(0, width, 2) / width)
        angles = np.outer(np.arange(positions), rates)
        pairs = np.stack((np.sin(angles), np.cos(angles)), axis=-1)
        # An odd width ends in a sine that has no cosine.
        table = pairs.reshape(positions, -1)[:, :width]
        nn.initializer.Assign(table)(var, block)
