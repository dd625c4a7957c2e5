"""A resolver without transformers, whatever is installed."""

import pytest

from paramproof.builders.registry import Framework


@pytest.fixture(autouse=True)
def without_transformers(monkeypatch):
    """Disable derivation, so that a configuration outside the catalogue is refused."""
    monkeypatch.setattr(Framework, "missing", ("transformers",))
