"""The form that every JSON of this project has: its version, its kind, and then what it says.

``schema.json`` beside this file is its JSON Schema. ``VERSION`` is another number once a key goes
or means something else; new keys may come at any time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

VERSION = 1


def document(kind: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``body`` as a document of a kind, such as ``count``."""
    return {"paramproof": VERSION, "kind": kind, **body}
