"""What comes out of each constructor. ``python -m tests.foolers --record`` writes it anew."""

FOOLERS: dict[str, str] = {}

HARMLESS: dict[str, str] = {}
