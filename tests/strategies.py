"""Random specs for the tests: as Hypothesis strategies, and by a seed.

Both are constructed in ``paramproof.random_specs``, which needs no Hypothesis.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from paramproof.builders.protocol import Builder
from paramproof.random_specs import constructed, random_spec, random_specs

__all__ = ["encoder_specs", "random_spec", "random_specs", "specs", "supported_specs"]


@st.composite
def specs(draw: st.DrawFn, family: str, **fixed: Any) -> Any:
    """Models of ``family`` of every shape, with the fields in ``fixed`` at their values."""
    return constructed(
        family, lambda name, low, high: draw(st.integers(low, high), label=name), fixed
    )


def encoder_specs(**fixed: Any) -> st.SearchStrategy[Any]:
    """Encoders of every shape, with the fields in ``fixed`` held at their values."""
    return specs("encoder", **fixed)


def supported_specs(
    builder: Builder, family: str = "encoder", **fixed: Any
) -> st.SearchStrategy[Any]:
    """Models of ``family`` that ``builder`` can express; ``fixed`` is what it cannot vary.

    The filter meets only rare combinations: what a builder refuses throughout is in
    ``fixed`` and constructed.
    """
    return specs(family, **fixed).filter(lambda spec: builder.supports(spec) is True)
