"""Find the named model that a name from elsewhere means: from the Hub, from ollama, or in prose.

A name means a model if both are equal once they are folded, and words that change no size are left
out (``names.toml``). Nothing is guessed: a name without a size, or with another one, is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from paramproof.formulas.printing import MAX_PATH_SHOWN

HUB = (
    r"((https?://)?(www\.)?(huggingface\.co|hf\.co|ollama\.com/library)/)?"
    r"(?P<name>(\w[\w.-]*/)?[\w.-]+(:[\w.-]+)?)"
    r"(/(blob|raw|resolve|tree)/[\w.-]+(/config\.json)?)?/?(\?\S*)?"
)
"""A name, or a URL, of the Hugging Face Hub or of ollama: ``hf.co/Qwen/Qwen3-8B``."""


@cache
def data() -> dict[str, Any]:
    """Return the words that are left out and the other names, from ``names.toml``."""
    import tomllib  # Most models need none of this.

    return tomllib.loads(Path(__file__).with_name("names.toml").read_text("utf-8"))


@lru_cache(4096)
def folded(name: str) -> str:
    """Return a name for comparison: ``llama-3.1-8b`` for ``Llama3.1:8b`` and ``Llama 3.1 8B``."""
    parts = re.split(r"[\s_:-]+", name.casefold().strip())
    return "-".join(re.sub(r"^([^\W\d]+)(?=\d)", r"\1-", part) for part in parts)


def without_owner(text: str) -> str:
    """Return what a name or a URL of the Hub names, without its owner; other text as it is."""
    found = re.fullmatch(HUB, text)
    return found["name"].rpartition("/")[2] if found else text


def model_meant(text: str, names: Iterable[str]) -> str:
    """Return the one of ``names``, those of models, that ``text`` means, or ""."""
    if len(text) > MAX_PATH_SHOWN:
        return ""
    known = {folded(one): one for one in names} | data()["also"]
    name, last = folded(without_owner(text)), ""
    while name != last:
        last = name
        for word in ["(?!)", *data()["words"]]:
            name = re.sub(word, "", name)
            if name in known:
                return str(known[name])
    return ""
