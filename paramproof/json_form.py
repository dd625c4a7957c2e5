"""The JSON documents that this project writes for other programs.

The ``to_dict()`` of ``Count``, ``Difference`` and ``Explanations``, and every ``--json``, give a
document: an object with the version of the form under ``paramproof``, with its ``kind``, and with
the keys of that kind. ``count --jsonl`` writes a document on each line. ``schema.json`` beside this
file is the JSON Schema of all kinds.

The messages of workers do not have this form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

VERSION = 1
"""The version of the form.

It changes if a key is removed or renamed, if a kind is renamed, or if the type, the unit or the
meaning of a value changes; and if a text that is one of a list, an ``enum`` of the schema such as
``status``, can have a new value. It stays the same if a kind or a key is added: a program that
reads documents should ignore kinds and keys that it does not know.
"""

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def document(kind: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``body`` as a document of a kind, such as ``count``."""
    return {"paramproof": VERSION, "kind": kind, **body}


def json_text(data: Mapping[str, Any], **layout: Any) -> str:
    """Return ``data`` as JSON that can be encoded in UTF-8; ``layout`` is passed to ``json.dumps``.

    File names that are not UTF-8, and some JSON, have surrogates without a partner, which are
    escaped. Other characters are not.
    """
    text = json.dumps(data, ensure_ascii=False, **layout)
    return _LONE_SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
