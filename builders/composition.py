"""How the models of each family are composed: which layers they have, and in which order they run.

PyTorch, Paddle, MLX, linen, nnx and Equinox differ in their layers, and in nothing else that
matters here. A framework adds two things. Its ``Parts`` make its own layers, and with them all
shapes of parameters. Its ``Module`` has the operations that these classes call, and runs a stack of
layers under a mask. ``families`` makes classes of both: a framework's models.

A mistake here would be one mistake in six frameworks, so it cannot hide a mistake of a formula only
if others compose for themselves: Keras does so in its own file, and the authors of keras-bert and
transformers did.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache, partial
from types import new_class
from typing import Any

import numpy as np

from paramproof.builders.names import NameTable
from paramproof.builders.protocol import Array
from paramproof.formulas.spec import (
    EncoderDecoderSpec,
    EncoderSpec,
    GPTSpec,
    LlamaSpec,
    Numerics,
    Spec,
)


class Operations:
    """What these classes call of a framework's module, as most frameworks have it."""

    arange: Callable[[int], Any]
    tanh: Callable[[Any], Any]
    softmax: Callable[[Any], Any]
    constant: Callable[[Array, Any], Any]
    """Returns an array with the dtype of another."""
    attend: Callable[[Any, Any], Any]
    """Returns a score for each of V tokens: (…, H) times the token table, transposed."""
    so_far: Callable[[Any], Any]
    """Returns the mask of layers in which a position attends to none after it."""

    @staticmethod
    def attributes(kind: type) -> dict[str, Any]:
        """Return what the framework needs in the body of a class composed as ``kind`` is."""
        return {}

    def visible(self, mask: Any, x: Any) -> Any:
        """Return the mask of layers in which every position of ``x`` attends where ``mask`` is."""
        return mask[:, None, None, :]

    def run_layers(self, layers: Any, x: Any, *seen_by_all: Any, **options: Any) -> Any:
        for layer in layers:
            x = layer(x, *seen_by_all, **options)
        return x

    def run_encoder(self, layers: Any, x: Any, mask: Any) -> Any:
        return self.run_layers(layers, x, self.visible(mask, x))

    def run_causal(self, layers: Any, x: Any) -> Any:
        return self.run_layers(layers, x, self.so_far(x))

    def run_decoder(self, layers: Any, x: Any, memory: Any, mask: Any) -> Any:
        return self.run_layers(layers, x, memory, self.so_far(x), self.visible(mask, x))


class Parts:
    """Makes the layers of one model, as frameworks do whose ``nn`` has these layers.

    ``module`` is the framework's base class, which has ``Operations``. A framework that has no
    layer of attention and feed-forward network gets it from this file.
    """

    module: Any
    nn: Any
    activations: Mapping[str, Any]

    def __init__(self, spec: Any, numerics: Numerics) -> None:
        self.spec = spec
        self.eps = numerics.layer_norm_eps
        self.theta = numerics.rope_theta
        self.activation = self.activations[numerics.hidden_act]
        self.attention_bias = getattr(spec, "attention_bias", True)

    def made(self, kind: Any) -> Any:
        return on(self.module, kind)(self)

    def stack(self, layers: int, make: Callable[[], Any]) -> Any:
        return [make() for _ in range(layers)]

    def table(self, rows: int) -> Any:
        return self.nn.Embedding(rows, self.spec.hidden_size)

    def norm(self) -> Any:
        return self.nn.LayerNorm(self.spec.hidden_size, self.eps)

    def rms_norm(self) -> Any:
        return self.nn.RMSNorm(self.spec.hidden_size, self.eps)

    def linear(self, inputs: int, outputs: int, bias: bool = True) -> Any:
        return self.nn.Linear(inputs, outputs, bias)

    def positions(self) -> Any:
        """Return a table of learned positions, or None for sinusoids that no table stores."""
        spec = self.spec
        return self.table(spec.max_position_embeddings) if spec.learned_positions else None

    def share(self, model: Any, name: str, layer: Any) -> None:
        """Give ``model`` a second name for a layer that it has."""
        setattr(model, name, layer)

    def lm_head(self, words: Any, vocab_size: int) -> Any:
        """Return the language head, or None if the model multiplies by the token table."""
        if self.spec.tie_word_embeddings:
            return None
        return self.linear(self.spec.hidden_size, vocab_size, bias=False)

    def mlm_head(self) -> Any:
        return self.made(MlmHead)

    def encoder_layer(self) -> Any:
        return self.made(EncoderLayer)

    def gpt_layer(self) -> Any:
        return self.made(GPTLayer)

    def decoder_layer(self) -> Any:
        return self.made(DecoderLayer)

    def gated_feed_forward(self) -> Any:
        return self.made(GatedFeedForward)


class Composed:
    """A module that ``compose`` gives its layers, and ``run`` runs."""

    def __init__(self: Any, own: Any) -> None:
        super().__init__()
        self.compose(own)


class Family(Composed):
    """A model of a family, and how it ends in a language head if it has one."""

    parts: Any

    def __init__(self, spec: Any, numerics: Numerics, **how: Any) -> None:
        super().__init__(self.parts(spec, numerics, **how))

    def decoded(self: Any, x: Any, words: Any) -> dict[str, Any]:
        """Return ``x`` and the probabilities of every token, from the token table or a kernel."""
        scores = self.attend(words, x) if self.lm_head is None else self.lm_head(x)
        return {"sequence": x, "lm": self.softmax(scores)}


class Encoder(Family):
    """BERT, post-norm, with its heads. Source: Devlin et al. 2018, section 3."""

    word_embeddings: Any
    position_embeddings: Any
    token_type_embeddings: Any
    embeddings_norm: Any
    layers: Any
    pooler: Any
    has_mlm_head: bool
    mlm_head: Any
    nsp: Any

    def compose(self, own: Any) -> None:
        spec, hidden = own.spec, own.spec.hidden_size
        self.word_embeddings = own.table(spec.vocab_size)
        self.position_embeddings = own.table(spec.max_position_embeddings)
        self.token_type_embeddings = own.table(spec.type_vocab_size)
        self.embeddings_norm = own.norm()
        self.layers = own.stack(spec.num_hidden_layers, own.encoder_layer)
        self.pooler = own.linear(hidden, hidden) if spec.pooler else None
        self.has_mlm_head = spec.mlm_head
        self.add_mlm_head(own)
        self.nsp = own.linear(hidden, 2) if spec.nsp_head else None

    def add_mlm_head(self, own: Any) -> None:
        self.mlm_head = own.mlm_head() if self.has_mlm_head else None

    def mlm_scores(self, x: Any) -> Any:
        return self.mlm_head(x, self.word_embeddings)

    def run(self: Any, ids: Any, types: Any, mask: Any) -> dict[str, Any]:
        x = self.word_embeddings(ids) + self.position_embeddings(self.arange(ids.shape[-1]))
        x = self.embeddings_norm(x + self.token_type_embeddings(types))
        x = self.run_encoder(self.layers, x, mask)
        pooled = mlm = nsp = None
        if self.pooler is not None:
            pooled = self.tanh(self.pooler(x[..., 0, :]))
        if self.has_mlm_head:
            mlm = self.softmax(self.mlm_scores(x))
        if self.nsp is not None:
            nsp = self.softmax(self.nsp(pooled))
        return {"sequence": x, "pooled": pooled, "mlm": mlm, "nsp": nsp}


class MlmHead(Composed):
    """Scores for every token; tied, it multiplies by the token table and adds its own bias."""

    def compose(self, own: Any) -> None:
        hidden, vocab_size = own.spec.hidden_size, own.spec.vocab_size
        self.activation = own.activation
        self.dense = own.linear(hidden, hidden)
        self.norm = own.norm()
        self.is_tied = own.spec.tie_word_embeddings
        if self.is_tied:
            self.bias = own.bias(self, vocab_size)
        else:
            self.decoder = own.linear(hidden, vocab_size)

    def run(self: Any, x: Any, words: Any) -> Any:
        x = self.norm(self.activation(self.dense(x)))
        return self.attend(words, x) + self.bias if self.is_tied else self.decoder(x)


class EncoderDecoder(Family):
    """The Transformer, post-norm. Source: Vaswani et al. 2017, section 3."""

    hidden_size: int
    source_words: Any
    source_positions: Any
    target_words: Any
    target_positions: Any
    encoder_layers: Any
    decoder_layers: Any
    lm_head: Any

    def compose(self, own: Any) -> None:
        spec = own.spec
        self.hidden_size = spec.hidden_size
        self.source_words = own.table(spec.vocab_size)
        self.source_positions = own.positions()
        if spec.share_embeddings:
            own.share(self, "target_words", self.source_words)
        else:
            self.target_words = own.table(spec.target_vocab_size)
        self.target_positions = own.positions()
        self.encoder_layers = own.stack(spec.num_encoder_layers, own.encoder_layer)
        self.decoder_layers = own.stack(spec.num_decoder_layers, own.decoder_layer)
        self.lm_head = own.lm_head(self.target_words, spec.target_vocab_size)

    def run(self: Any, source: Any, mask: Any, target: Any) -> Any:
        memory = self.embedded(source, self.source_words, self.source_positions)
        memory = self.run_encoder(self.encoder_layers, memory, mask)
        x = self.embedded(target, self.target_words, self.target_positions)
        x = self.run_decoder(self.decoder_layers, x, memory, mask)
        return self.decoded(x, self.target_words)

    def embedded(self: Any, ids: Any, words: Any, positions: Any) -> Any:
        """Return tokens times √H (section 3.4) plus positions, from a table or by sinusoids."""
        x, length = words(ids) * math.sqrt(self.hidden_size), ids.shape[-1]
        if positions is None:
            return x + self.constant(sinusoids(length, self.hidden_size), x)
        return x + positions(self.arange(length))


class GPT(Family):
    """GPT-2, pre-norm. Source: Radford et al. 2019, section 2.3."""

    word_embeddings: Any
    position_embeddings: Any
    layers: Any
    final_norm: Any
    lm_head: Any

    def compose(self, own: Any) -> None:
        spec = own.spec
        self.word_embeddings = own.table(spec.vocab_size)
        self.position_embeddings = own.table(spec.max_position_embeddings)
        self.layers = own.stack(spec.num_hidden_layers, own.gpt_layer)
        self.final_norm = own.norm()
        self.lm_head = own.lm_head(self.word_embeddings, spec.vocab_size)

    def run(self: Any, ids: Any) -> Any:
        x = self.word_embeddings(ids) + self.position_embeddings(self.arange(ids.shape[-1]))
        x = self.final_norm(self.run_causal(self.layers, x))
        return self.decoded(x, self.word_embeddings)


class Llama(Family):
    """LLaMA, pre-norm, without a bias anywhere. Source: Touvron et al. 2023, section 2.2."""

    word_embeddings: Any
    layers: Any
    final_norm: Any
    lm_head: Any

    def compose(self, own: Any) -> None:
        spec = own.spec
        self.word_embeddings = own.table(spec.vocab_size)
        self.layers = own.stack(spec.num_hidden_layers, partial(own.made, LlamaLayer))
        self.final_norm = own.rms_norm()
        self.lm_head = own.lm_head(self.word_embeddings, spec.vocab_size)

    def run(self: Any, ids: Any) -> Any:
        x = self.final_norm(self.run_layers(self.layers, self.word_embeddings(ids)))
        return self.decoded(x, self.word_embeddings)


class EncoderLayer(Composed):
    """Each sublayer's output is added to its input, and the sum is normalised.

    Frameworks that have such a layer of their own use that one.
    """

    attention: Any
    attention_norm: Any
    intermediate: Any
    output: Any
    feed_forward_norm: Any
    activation: Any

    def compose(self, own: Any) -> None:
        hidden, inner = own.spec.hidden_size, own.spec.intermediate_size
        self.activation = own.activation
        self.attention = own.attention()
        self.attention_norm = own.norm()
        self.intermediate = own.linear(hidden, inner)
        self.output = own.linear(inner, hidden)
        self.feed_forward_norm = own.norm()

    def feed_forward(self, x: Any) -> Any:
        return self.output(self.activation(self.intermediate(x)))

    def run(self: Any, x: Any, mask: Any) -> Any:
        x = self.attention_norm(x + self.attention(x, x, mask=mask))
        return self.feed_forward_norm(x + self.feed_forward(x))


class GPTLayer(EncoderLayer):
    """Each sublayer is of the normalised input, and its output is added to the input."""

    def run(self: Any, x: Any, mask: Any) -> Any:
        normalised = self.attention_norm(x)
        x = x + self.attention(normalised, normalised, mask=mask)
        return x + self.feed_forward(self.feed_forward_norm(x))


class DecoderLayer(EncoderLayer):
    """Attention to the target so far, to the source, and a feed-forward network, post-norm."""

    cross_attention: Any
    cross_attention_norm: Any

    def compose(self, own: Any) -> None:
        super().compose(own)
        self.cross_attention = own.attention()
        self.cross_attention_norm = own.norm()

    def run(self: Any, x: Any, memory: Any, so_far: Any, mask: Any) -> Any:  # type: ignore[override]
        x = self.attention_norm(x + self.attention(x, x, mask=so_far))
        x = self.cross_attention_norm(x + self.cross_attention(x, memory, mask=mask))
        return self.feed_forward_norm(x + self.feed_forward(x))


class LlamaLayer(Composed):
    """Attention and feed-forward network, each of the norm of its input, and added to it."""

    attention_norm: Any
    attention: Any
    feed_forward_norm: Any
    feed_forward: Any

    def compose(self, own: Any) -> None:
        self.attention_norm = own.rms_norm()
        self.attention = own.grouped_attention()
        self.feed_forward_norm = own.rms_norm()
        self.feed_forward = own.gated_feed_forward()

    def run(self, x: Any) -> Any:
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.feed_forward_norm(x))


class GatedFeedForward(Composed):
    """SwiGLU: ``down(silu(gate(x)) · up(x))``."""

    activation: Any
    gate: Any
    up: Any
    down: Any

    def compose(self, own: Any) -> None:
        hidden, inner = own.spec.hidden_size, own.spec.intermediate_size
        self.activation = own.activation
        self.gate = own.linear(hidden, inner, bias=False)
        self.up = own.linear(hidden, inner, bias=False)
        self.down = own.linear(inner, hidden, bias=False)

    def run(self, x: Any) -> Any:
        return self.down(self.activation(self.gate(x)) * self.up(x))


@cache
def on(module: Any, kind: Any) -> Any:
    """Return the class of a framework's modules that are composed and run as ``kind`` is."""

    def body(namespace: dict[str, Any]) -> None:
        namespace.update(__module__=module.__module__, __doc__=kind.__doc__)
        namespace.update(module.attributes(kind))

    return new_class(kind.__name__, (kind, module), exec_body=body)


def families(parts: type[Parts], names: Mapping[type[Spec], NameTable]) -> dict[type[Spec], Any]:
    """Return a framework's models of all families, by spec class."""
    kinds: dict[type[Spec], Any] = {
        EncoderSpec: Encoder,
        EncoderDecoderSpec: EncoderDecoder,
        GPTSpec: GPT,
        LlamaSpec: Llama,
    }
    models = {spec: on(parts.module, kind) for spec, kind in kinds.items()}
    for spec, model in models.items():
        model.parts, model.names = parts, names[spec]
    return models


def sinusoids(length: int, width: int) -> Array:
    """Return fixed positions, (length, width), sines at even features and cosines at odd ones.

    Source: Vaswani et al. 2017, section 3.5. (Their code, tensor2tensor, has all sines first.)
    """
    angles = np.outer(np.arange(length), 10000.0 ** (-np.arange(0, width, 2) / width))
    pairs = np.stack((np.sin(angles), np.cos(angles)), axis=-1)
    # An odd width ends in a sine that has no cosine.
    return pairs.reshape(length, -1)[:, :width]


def rotary_angles(length: int, width: int, theta: float) -> Array:
    """Return by which angle each position turns each pair of features, (length, width / 2).

    The pair i turns by theta^(−2i/K) from one position to the next. Frameworks turn features i and
    i + K/2 as a pair, which is Hugging Face's order. The paper, and Meta's code, pair neighbours,
    under weights permuted to match.

    Source: Su et al. 2021, arXiv:2104.09864, section 3.4.2.
    """
    return np.outer(np.arange(length), theta ** (-np.arange(0, width, 2) / width))
