"""Whether a configuration says that embeddings are not tied."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from paramproof.sources.strict_json import object_in_file, object_in_text

TIED = "tie_word_embeddings"

MAX_BYTES = 2**26
"""Bytes of a configuration; the resolver, which reads it before, allows fewer."""


def says_untied(source: str) -> bool:
    """Return whether the config.json or the JSON text ``source`` sets ``TIED`` to false.

    Some classes of transformers tie the head when they are built, whatever the file says, and
    untie it when they load a file in which it has values of its own. T5 is one.
    """
    keys: Mapping[str, Any] = {}
    if source.lstrip().startswith("{"):
        keys = object_in_text(source, "the configuration")
    elif os.path.isfile(source):
        keys = object_in_file(Path(source), largest=MAX_BYTES)
    return keys.get(TIED) is False
