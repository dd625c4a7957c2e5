"""Numerical settings, which change a model's outputs but never its count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from paramproof.formulas.spec.validation import require

Activation: TypeAlias = Literal["gelu", "gelu_new", "relu", "silu"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Numerics:
    """Numerical settings, which change a model's outputs but never its count.

    ``layer_norm_eps`` is added to the variance, or to the mean square in an RMSNorm.
    ``hidden_act`` is named as in ``config.json``: ``gelu`` (with the error function), ``gelu_new``
    (its tanh approximation), ``relu`` or ``silu``. ``rope_theta`` is the base of rotary positions.
    Dropout is always off. The defaults are BERT's.

    Raises ``ValueError`` for a number out of range and for an unknown activation.
    """

    layer_norm_eps: float = 1e-12
    hidden_act: Activation = "gelu"
    rope_theta: float = 10000.0

    def __post_init__(self) -> None:
        eps, theta = self.layer_norm_eps, self.rope_theta
        require(type(eps) is float and 0 <= eps < 1, "layer_norm_eps", eps, "a float in [0, 1)")
        known = get_args(Activation)
        require(self.hidden_act in known, "hidden_act", self.hidden_act, " or ".join(known))
        finite = type(theta) is float and 1 < theta < float("inf")
        require(finite, "rope_theta", theta, "a float above 1")
