"""The cases that the benchmarks time: ways to count a framework's encoder, models and sizes.

A way's ``prepare`` imports what it needs and returns a function of no arguments that goes
from the sizes to the number: it builds the model and counts it. No framework is imported
before that.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias

from paramproof.builders.registry import frameworks
from paramproof.checks.model import check
from paramproof.formulas import EncoderSpec
from paramproof.formulas.models import named_model

Count: TypeAlias = Callable[[], int]
Prepare: TypeAlias = Callable[[Any, EncoderSpec], Count]
ABSTRACT = "build, read, compare (abstract)"
PLAIN = "build for real, count"


@dataclass(frozen=True, slots=True)
class Case:
    """One way to count one framework's encoder; ``allocates`` if it creates real weights."""

    framework: str
    way: str
    prepare: Prepare
    allocates: bool

    @property
    def name(self) -> str:
        """The argument of ``bench.measure``."""
        return f"{self.framework}: {self.way}"


def abstract(builder: Any, spec: EncoderSpec) -> Count:
    """Check shapes only, as ``verify`` does."""
    return lambda: check(builder, spec).actual


def plain(builder: Any, spec: EncoderSpec) -> Count:
    """Build with ``allocate=True`` and count, without a formula."""

    def count() -> int:
        model = builder.build(spec, allocate=True)
        _wait()
        return sum(weight.size for weight in model.weights())

    return count


def torchinfo_summary(allocate: bool) -> Prepare:
    """Count by torchinfo's summary, on real or on meta weights."""

    def prepare(builder: Any, spec: EncoderSpec) -> Count:
        import torchinfo

        def count() -> int:
            module = builder.build(spec, allocate=allocate).module
            total: int = torchinfo.summary(module, verbose=0).total_params
            return total

        return count

    return prepare


def num_parameters(device: str) -> Prepare:
    """Count by Hugging Face's ``num_parameters``, on this device."""

    def prepare(builder: Any, spec: EncoderSpec) -> Count:
        import torch
        from transformers import BertConfig, BertModel

        def count() -> int:
            with torch.device(device):
                total: int = BertModel(BertConfig(**_sizes(spec))).num_parameters()
            return total

        return count

    return prepare


def keras_count_params(builder: Any, spec: EncoderSpec) -> Count:
    """Count by the built model's ``count_params``."""

    def count() -> int:
        model = builder.build(spec, allocate=True).model
        _wait()
        total: int = model.count_params()
        return total

    return count


def keras_bert_count_params(builder: Any, spec: EncoderSpec) -> Count:
    """As keras-bert's own README does it: eager, without heads, so also without a pooler."""
    from keras_bert import get_model
    from tensorflow import keras

    def count() -> int:
        inputs, output = get_model(
            token_num=spec.vocab_size,
            pos_num=spec.max_position_embeddings,
            seq_len=None,
            embed_dim=spec.hidden_size,
            transformer_num=spec.num_hidden_layers,
            head_num=spec.num_attention_heads,
            feed_forward_dim=spec.intermediate_size,
            training=False,
            trainable=True,
        )
        total: int = keras.Model(inputs, output).count_params()
        return total

    return count


def linen_tabulate(builder: Any, spec: EncoderSpec) -> Count:
    """Add up what linen's ``tabulate`` prints."""
    import jax
    import jax.numpy as jnp

    from paramproof.formulas.spec import Numerics

    key, ids = jax.random.key(0), jnp.zeros((1, 1), jnp.int32)

    def count() -> int:
        encoder = builder.Encoder(spec, Numerics(), jnp.float32)
        return _total(encoder.tabulate(key, ids, ids, ids == 0))

    return count


def nnx_tabulate(builder: Any, spec: EncoderSpec) -> Count:
    """Add up what nnx's ``tabulate`` prints."""
    import jax.numpy as jnp
    from flax import nnx

    from paramproof.formulas.spec import Numerics

    ids = jnp.zeros((1, 1), jnp.int32)

    def count() -> int:
        encoder = builder.Encoder(spec, Numerics(), jnp.float32, nnx.Rngs(0))
        return _total(nnx.tabulate(encoder, ids, ids, ids == 0))

    return count


def paddle_summary(builder: Any, spec: EncoderSpec) -> Count:
    """Count by ``paddle.summary``, which runs the model and prints a table."""
    import contextlib
    import io

    import paddle

    sizes, dtypes = [(1, 1)] * 3, ["int64", "int64", "bool"]

    def count() -> int:
        module = builder.build(spec, allocate=True).module
        with contextlib.redirect_stdout(io.StringIO()):
            summary = paddle.summary(module, sizes, dtypes)
        return int(summary["total_params"])

    return count


def _wait() -> None:
    """Wait for arrays that JAX returned before it computed them."""
    jax = sys.modules.get("jax")
    if jax:
        jax.block_until_ready(jax.live_arrays())


def _total(table: str) -> int:
    """Return the total at the end of Flax's table."""
    return int(re.findall(r"Total Parameters: ([\d,]+)", table)[-1].replace(",", ""))


def _sizes(spec: EncoderSpec) -> dict[str, int]:
    return {field.name: getattr(spec, field.name) for field in fields(spec) if field.type == "int"}


# What people use, by framework: the way's name, its function, whether it allocates.
USED: dict[str, list[tuple[str, Prepare, bool]]] = {
    "torch": [
        ("torchinfo.summary", torchinfo_summary(True), True),
        ("torchinfo.summary, on meta", torchinfo_summary(False), False),
    ],
    "transformers": [
        ("num_parameters", num_parameters("cpu"), True),
        ("num_parameters, on meta", num_parameters("meta"), False),
    ],
    "keras-jax": [("count_params", keras_count_params, True)],
    "keras-tensorflow": [("count_params", keras_count_params, True)],
    "keras-torch": [("count_params", keras_count_params, True)],
    "keras-bert": [("get_model, count_params", keras_bert_count_params, True)],
    "flax-linen": [("tabulate", linen_tabulate, False)],
    "flax-nnx": [("tabulate", nnx_tabulate, True)],
    "paddle": [("paddle.summary", paddle_summary, True)],
}


def cases() -> list[Case]:
    """Return every case: for each framework abstract and plain, then the ways that people use."""
    own: list[tuple[str, Prepare, bool]] = [(ABSTRACT, abstract, False), (PLAIN, plain, True)]
    return [Case(name, *way) for name in frameworks() for way in [*own, *USED.get(name, [])]]


def case(name: str) -> Case:
    """Return the case of this name. Raises ``StopIteration`` if there is none."""
    return next(case for case in cases() if case.name == name)


BASE, LARGE = "bert-base-uncased", "encoder-175b"

# The sizes of BERT-base, of which one varies; with H, as in real models, A = H/64 and F = 4H.
SWEEPS = {
    "num_hidden_layers": (1, 2, 4, 8, 16, 32, 64, 96),
    "hidden_size": (64, 256, 768, 2048, 12288),
    "vocab_size": (100, 1_000, 10_000, 100_000, 1_000_000),
}


def encoder(name: str) -> EncoderSpec:
    """Return the spec of a named model. Raises ``TypeError`` if it is not an encoder's."""
    spec = named_model(name).spec
    if not isinstance(spec, EncoderSpec):
        raise TypeError(f"{name} is not an encoder")
    return spec


def swept(axis: str, size: int) -> EncoderSpec:
    """Return the spec at one point of a curve, with two layers unless their number varies."""
    sizes: dict[str, Any] = {"num_hidden_layers": 2, axis: size}
    if axis == "hidden_size":
        sizes |= {"num_attention_heads": size // 64, "intermediate_size": 4 * size}
    return replace(encoder(BASE), **sizes)
