"""Random specs from a seed, for ``paramproof verify``.

``tests.strategies`` generates the same specs with Hypothesis.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from paramproof.builders.protocol import Builder
from paramproof.formulas import FAMILIES, Spec
from paramproof.formulas.spec import Choose, draw


def constructed(family: str, choose: Choose, fixed: Mapping[str, Any]) -> Spec:
    """Return a spec of ``family`` with the ``fixed`` fields; ``choose`` sets the others."""
    return draw(FAMILIES[family].spec, choose, fixed)


def random_spec(random: Random, family: str = "encoder", **fixed: Any) -> Any:
    return constructed(family, lambda name, low, high: random.randint(low, high), fixed)


def random_specs(
    builder: Builder, number: int, seed: int, family: str = "encoder", **fixed: Any
) -> list[Any]:
    """Return ``number`` specs of ``family`` that ``builder`` can express, the same for each seed.

    They do not come from Hypothesis, whose examples also depend on its version and on the modules
    in the working directory. Raises ``ValueError`` if hardly any spec can be expressed.
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
    """Return why ``builder`` cannot express any model of ``family``, or "" if it can."""
    random = Random(0)
    reason = ""
    for _ in range(100):
        supported = builder.supports(random_spec(random, family))
        if supported is True:
            return ""
        reason = reason or supported
    return reason


def fixed_in(family: str, fixed: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a framework's fixed fields, which apply only to encoders, for ``family``."""
    return fixed if family == "encoder" else {}
