"""Random specs for the tests, as Hypothesis strategies and from a seed.

``paramproof.formulas.spec.draw``, which does not need Hypothesis, constructs both.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from paramproof.builders.protocol import Builder
from paramproof.formulas import FAMILIES
from paramproof.formulas.spec import draw as draw_spec
from paramproof.verify.cases import random_spec, random_specs

__all__ = ["encoder_specs", "random_spec", "random_specs", "specs", "supported_specs"]


@st.composite
def specs(draw: st.DrawFn, family: str, **fixed: Any) -> Any:
    """Draw models of ``family`` of any shape; the fields in ``fixed`` keep their values."""

    def choose(name: str, low: int, high: int) -> int:
        return draw(st.integers(low, high), label=name)

    return draw_spec(FAMILIES[family].spec, choose, fixed)


def encoder_specs(**fixed: Any) -> st.SearchStrategy[Any]:
    return specs("encoder", **fixed)


def supported_specs(
    builder: Builder, family: str = "encoder", **fixed: Any
) -> st.SearchStrategy[Any]:
    """Draw models of ``family`` that ``builder`` supports; ``fixed`` is what it cannot vary.

    The filter only rejects rare combinations: fields that a builder never varies are in
    ``fixed``.
    """
    return specs(family, **fixed).filter(lambda spec: builder.supports(spec) is True)
