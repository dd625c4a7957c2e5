"""Random specs from a seed, for ``paramproof verify``.

``tests.strategies`` generates the same specs with Hypothesis.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from paramproof.builders.protocol import Builder
from paramproof.formulas import FAMILIES, Spec
from paramproof.formulas.spec import draw


def random_spec(random: Random, family: str = "encoder", **fixed: Any) -> Any:
    return draw(FAMILIES[family].spec, lambda name, *range_: random.randint(*range_), fixed)


def random_specs(
    builder: Builder, number: int, seed: int, family: str = "encoder", **fixed: Any
) -> list[Any]:
    """Return ``number`` specs of ``family`` that ``builder`` can express, the same for each seed.

    They do not come from Hypothesis, whose examples also depend on its version and on the modules
    in the working directory.
    """
    random = Random(seed)
    specs: list[Spec] = []
    tries = 1000 * number
    while len(specs) < number:
        spec = random_spec(random, family, **fixed)
        supported = builder.supports(spec)
        specs += [spec] if supported is True else []
        tries -= 1
        if not tries:
            raise ValueError(f"hardly any random spec can be expressed: {supported}")
    return specs


def refusal(builder: Builder, family: str) -> str:
    """Return why ``builder`` cannot express any model of ``family``, or "" if it can."""
    random = Random(0)
    reasons = [builder.supports(random_spec(random, family)) for _ in range(100)]
    return "" if True in reasons else str(reasons[0])


def fixed_in(family: str, fixed: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a framework's fixed fields, which apply only to encoders, for ``family``."""
    return fixed if family == "encoder" else {}
