"""What the catalogue has no entry for, as one line."""

from __future__ import annotations

INSTALL = 'python -m pip install ".[transformers]"'
"""What derives on the spot whatever transformers can build."""


class OutsideCatalogueError(ValueError):
    """A configuration that no entry was derived for; ``why`` names the key or the condition."""

    def __init__(self, why: str) -> None:
        super().__init__(f"{why}; to derive it: {INSTALL}")
        self.why = why
