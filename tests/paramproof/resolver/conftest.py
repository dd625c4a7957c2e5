"""A resolver without transformers, whatever is installed."""

import pytest

from paramproof.builders.registry import Framework


@pytest.fixture(autouse=True)
def without_transformers(monkeypatch):
    """Derive nothing: a configuration that the catalogue does not have is refused."""
    monkeypatch.setattr(Framework, "missing", ("transformers",))
