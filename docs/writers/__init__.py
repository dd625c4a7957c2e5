"""What writes the pages of ``docs/`` and the samples in the README: ``python -m docs.writers``."""
