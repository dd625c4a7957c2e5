"""Random specs by a seed, for ``paramproof verify``.

``tests.strategies`` has the same specs as Hypothesis strategies.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from paramproof.builders.protocol import Builder
from paramproof.formulas import FAMILIES, Spec
from paramproof.formulas.spec.drawing import Choose, draw


def constructed(family: str, choose: Choose, fixed: Mapping[str, Any]) -> Spec:
    """A spec of ``family`` with the fields in ``fixed``, and the others as ``choose`` says."""
    return draw(FAMILIES[family].spec, choose, fixed)


def random_spec(random: Random, family: str = "encoder", **fixed: Any) -> Any:
    """One model of ``family``, of any shape, with the fields in ``fixed`` at their values."""
    return constructed(family, lambda name, low, high: random.randint(low, high), fixed)


def random_specs(
    builder: Builder, number: int, seed: int, family: str = "encoder", **fixed: Any
) -> list[Any]:
    """``number`` models of ``family`` that ``builder`` can express: the same for a seed.

    Not drawn by Hypothesis, whose examples also depend on its version and on which modules
    it finds in the working directory. Raises ``ValueError`` where hardly any is expressible.
    """
    random = Random(seed)
    specs: list[Spec] = []
    tries = 1000 * number
    while len(specs) < number:
        spec = random_spec(random, family, **fixed)
        supported = builder.supports(spec)
        if supported is True:
            specs.append(spec)
        tries -= 1
        if not tries:
            raise ValueError(f"hardly any random spec can be expressed: {supported}")
    return specs


def refusal(builder: Builder, family: str) -> str:
    """Why ``builder`` can express no model of ``family``; empty where it can express some."""
    random = Random(0)
    reason = ""
    for _ in range(100):
        supported = builder.supports(random_spec(random, family))
        if supported is True:
            return ""
        reason = reason or supported
    return reason


def fixed_in(family: str, fixed: Mapping[str, Any]) -> Mapping[str, Any]:
    """A framework's fixed fields, which are an encoder's, as far as they are about ``family``."""
    return fixed if family == "encoder" else {}
