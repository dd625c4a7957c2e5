"""What the catalogue has no entry for, as one line."""

from __future__ import annotations

INSTALL = 'pip install "paramproof[transformers]"'
"""What derives on the spot whatever transformers can build."""


class OutsideCatalogueError(ValueError):
    """A configuration that no entry was derived for; the message names the key."""

    def __init__(self, why: str) -> None:
        super().__init__(f"{why}; to derive it: {INSTALL}")
