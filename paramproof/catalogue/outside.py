"""What the catalogue has no entry for, as one line."""

from __future__ import annotations

from paramproof.formulas.installation import install_command


class OutsideCatalogueError(ValueError):
    """A configuration that no entry was derived for; ``why`` names the key or the condition."""

    def __init__(self, why: str) -> None:
        super().__init__(f"{why}; to derive it: {install_command('transformers')}")
        self.why = why
