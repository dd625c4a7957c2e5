"""The questions about a counted model. Each is a module, which is imported when it is needed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

from paramproof.following.tensors import named_by_transformers
from paramproof.formulas.errors import InvalidInput, require_type

if TYPE_CHECKING:
    from paramproof.following.answer import Answer
    from paramproof.resolver import Model


NAMES = re.compile(r"[\w.,-]*")
"""Matches a list of names; any other text is a pattern."""


class Questions:
    """The questions, as methods of a count. All raise ``InvalidInput`` where there is no answer.

    An ``Answer`` has a heading, which names the convention, a table, lines, and ``data``, which
    is what ``json.dumps`` takes.
    """

    model: Model

    @cached_property
    def _asked(self) -> Model:
        return named_by_transformers(self.model)

    def cache(
        self, tokens: int, batch: int = 1, dtype: str = "bfloat16", convention: str = "dynamic"
    ) -> Answer:
        """Return the bytes of keys, values and states of ``batch`` sequences of ``tokens``.

        The convention is ``dynamic``, what transformers keeps after a prefill, ``static``, what it
        reserves at once, or ``full``, room for each token in each layer of attention.
        """
        from paramproof.following.caches import cache

        return cache(self._asked, tokens, batch, dtype, convention)

    def lora(
        self, rank: int = 8, targets: str | Sequence[str] | None = None, **settings: Any
    ) -> Answer:
        """Return the parameters of LoRA, r·(in + out) for each target, as peft builds it.

        ``targets`` are names of modules, a pattern, or "all-linear"; None means the usual ones of
        the model type. ``settings`` are fields of ``following.adapters.Lora``, as ``use_dora``.
        """
        from paramproof.following.adapters import Lora, adapter

        return adapter(self._asked, Lora(r=rank, target_modules=targets, **settings))

    def prefix(self, tokens: int) -> Answer:
        """Return the parameters of prefix tuning: keys and values of virtual tokens."""
        from paramproof.following.adapters import Prompt, adapter

        return adapter(self._asked, Prompt(num_virtual_tokens=tokens, is_prefix=True))

    def prompt(self, tokens: int) -> Answer:
        """Return the parameters of prompt tuning: embeddings of virtual tokens."""
        from paramproof.following.adapters import Prompt, adapter

        return adapter(self._asked, Prompt(num_virtual_tokens=tokens))

    def ranks(self, plan: str = "", **sizes: int) -> Answer:
        """Return what each rank holds, by transformers' own plan.

        The plan is a text, "tp=8,ep=8", or ``tp``, ``ep``, ``pp`` and ``fsdp`` are ints.
        """
        from paramproof.following.ranks import parse, ranks

        require_type(plan, str, "the plan")
        return ranks(self._asked, sizes if sizes and not plan else {**parse(plan), **sizes})

    def stored(self, scheme: str) -> Answer:
        """Return the bytes of the parameters in a file under a scheme, tensor by tensor."""
        from paramproof.following.stored import stored

        return stored(self._asked, scheme)


def listed(text: str | None) -> str | list[str]:
    """Return a list of names, or the pattern or the word that the text is."""
    if text and (text == "all-linear" or not NAMES.fullmatch(text)):
        return text
    return [name for name in (text or "").split(",") if name]


def usual_facts(asked: Questions) -> Iterator[tuple[str, str, str]]:
    """Yield what a page says of the cache and of an adapter: name, value and formula."""
    with suppress(InvalidInput):
        cache = asked.cache(1).data
        formula = f"{cache['formula']}, for n tokens of b sequences in {cache['dtype']}"
        yield "Cache of a token", f"{cache['bytes']:,} bytes", formula
    with suppress(InvalidInput):
        lora = asked.lora(16, "all-linear").data
        yield "LoRA, rank 16, all-linear", f"{lora['parameters']:,}", lora["formula"]
