"""Targets for the cost of counting; the page says which of them are met."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """At least ``speedup`` over plain for BERT-base; encoder-175b warm in under ``seconds``."""

    speedup: float
    seconds: float


PEAK_MB = 1200
# Exponents of a power law: linear is 1, constant 0, and a tenth is left for noise.
EXPONENTS = {"num_hidden_layers": 1.1, "hidden_size": 0.1, "vocab_size": 0.1}
KERAS = Target(15, 1.5)
TARGETS = {
    "torch": Target(20, 0.3),
    "keras-jax": KERAS,
    "keras-tensorflow": KERAS,
    "keras-torch": KERAS,
    "equinox": Target(5, 2),
    "flax-linen": Target(5, 2),
    "flax-nnx": Target(10, 0.5),
    "keras-bert": Target(1.5, 25),
    "paddle": Target(20, 1),
}
