"""Random specs by a seed, for ``paramproof verify``, and how a spec of any family is made.

A spec is constructed and never filtered: H is A times K, a head that needs a part comes with
it. Sizes are small, so that a hundred models are built in seconds. ``tests.strategies`` has
the same specs as Hypothesis strategies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from paramproof.builders.protocol import Builder
from paramproof.formulas.spec import EncoderDecoderSpec, EncoderSpec, GPTSpec, LlamaSpec, Spec

RANGES = {
    "num_hidden_layers": (0, 4),
    "num_encoder_layers": (0, 3),
    "num_decoder_layers": (0, 3),
    "num_attention_heads": (1, 8),
    "num_key_value_heads": (1, 4),
    "queries_per_key": (1, 3),
    "head_size": (1, 12),
    "pairs_per_head": (1, 6),
    "hidden_size": (1, 96),
    "intermediate_size": (1, 300),
    "vocab_size": (1, 600),
    "target_vocab_size": (1, 600),
    "max_position_embeddings": (1, 64),
    "type_vocab_size": (1, 5),
}
"""Smallest and largest value, both reached."""

Choose = Callable[[str, int, int], int]
"""A number from the smallest to the largest, for the field of that name."""


class Choices:
    """What is chosen for each field; those in ``fixed`` have been chosen before."""

    def __init__(self, choose: Choose, fixed: Mapping[str, Any]) -> None:
        self.choose = choose
        self.fixed = fixed

    def size(self, name: str) -> int:
        """The size ``name``."""
        return self.fixed[name] if name in self.fixed else self.choose(name, *RANGES[name])

    def sizes(self, *names: str) -> dict[str, int]:
        """Sizes by name, chosen in this order."""
        return {name: self.size(name) for name in names}

    def flag(self, name: str, possible: bool = True) -> bool:
        """The flag ``name``, off where it is not possible."""
        if name in self.fixed:
            return bool(self.fixed[name])
        return bool(possible and self.choose(name, 0, 1))

    def tied(self) -> bool:
        """Whether the head is tied: the simpler case, which shrinking should end in."""
        return bool(self.fixed.get("tie_word_embeddings") or not self.choose("untied", 0, 1))


def constructed(family: str, choose: Choose, fixed: Mapping[str, Any]) -> Spec:
    """A spec of ``family`` with the fields in ``fixed``, and the others as ``choose`` says."""
    return CONSTRUCTORS[family](Choices(choose, fixed))


def random_spec(random: Random, family: str = "encoder", **fixed: Any) -> Any:
    """One model of ``family``, of any shape, with the fields in ``fixed`` at their values."""
    return constructed(family, lambda name, low, high: random.randint(low, high), fixed)


def random_specs(
    builder: Builder, number: int, seed: int, family: str = "encoder", **fixed: Any
) -> list[Any]:
    """``number`` models of ``family`` that ``builder`` can express: the same for a seed.

    Not drawn by Hypothesis, whose examples also depend on its version and on which modules
    it finds in the working directory. Raises ``ValueError`` where hardly any is expressible.
    """
    random = Random(seed)
    specs: list[Spec] = []
    tries = 1000 * number
    while len(specs) < number:
        spec = random_spec(random, family, **fixed)
        supported = builder.supports(spec)
        if supported is True:
            specs.append(spec)
        tries -= 1
        if not tries:
            raise ValueError(f"hardly any random spec can be expressed: {supported}")
    return specs


def refusal(builder: Builder, family: str) -> str:
    """Why ``builder`` can express no model of ``family``; empty where it can express some."""
    random = Random(0)
    reason = ""
    for _ in range(100):
        supported = builder.supports(random_spec(random, family))
        if supported is True:
            return ""
        reason = reason or supported
    return reason


def fixed_in(family: str, fixed: Mapping[str, Any]) -> Mapping[str, Any]:
    """A framework's fixed fields, which are an encoder's, as far as they are about ``family``."""
    return fixed if family == "encoder" else {}


def _encoder(choices: Choices) -> EncoderSpec:
    sizes = choices.sizes(
        "num_hidden_layers",
        "num_attention_heads",
        "head_size",
        "intermediate_size",
        "vocab_size",
        "max_position_embeddings",
        "type_vocab_size",
    )
    pooler, mlm_head = choices.flag("pooler"), choices.flag("mlm_head")
    return EncoderSpec(
        hidden_size=sizes["num_attention_heads"] * sizes.pop("head_size"),
        pooler=pooler,
        mlm_head=mlm_head,
        tie_word_embeddings=not mlm_head or choices.tied(),
        nsp_head=choices.flag("nsp_head", pooler),
        **sizes,
    )


def _encoder_decoder(choices: Choices) -> EncoderDecoderSpec:
    sizes = choices.sizes(
        "num_encoder_layers",
        "num_decoder_layers",
        "num_attention_heads",
        "head_size",
        "intermediate_size",
        "vocab_size",
        "max_position_embeddings",
    )
    # Tables of their own may have as many rows by chance, so that is a case too.
    vocabularies = choices.choose("one table, two, two of one size", 0, 2)
    own = choices.size("target_vocab_size") if vocabularies == 1 else sizes["vocab_size"]
    return EncoderDecoderSpec(
        hidden_size=sizes["num_attention_heads"] * sizes.pop("head_size"),
        target_vocab_size=own,
        share_embeddings=not vocabularies,
        tie_word_embeddings=choices.tied(),
        learned_positions=choices.flag("learned_positions"),
        attention_bias=choices.flag("attention_bias"),
        **sizes,
    )


def _gpt(choices: Choices) -> GPTSpec:
    sizes = choices.sizes(
        "num_hidden_layers",
        "num_attention_heads",
        "head_size",
        "intermediate_size",
        "vocab_size",
        "max_position_embeddings",
    )
    return GPTSpec(
        hidden_size=sizes["num_attention_heads"] * sizes.pop("head_size"),
        tie_word_embeddings=choices.tied(),
        **sizes,
    )


def _llama(choices: Choices) -> LlamaSpec:
    sizes = choices.sizes(
        "num_hidden_layers", "num_key_value_heads", "intermediate_size", "vocab_size"
    )
    heads = sizes["num_key_value_heads"] * choices.size("queries_per_key")
    head_dim = 2 * choices.size("pairs_per_head")
    of_its_own = choices.flag("a head size of its own")
    return LlamaSpec(
        hidden_size=choices.size("hidden_size") if of_its_own else heads * head_dim,
        num_attention_heads=heads,
        head_dim=head_dim,
        tie_word_embeddings=choices.tied(),
        **sizes,
    )


CONSTRUCTORS: Mapping[str, Callable[[Choices], Spec]] = {
    "encoder": _encoder,
    "encoder-decoder": _encoder_decoder,
    "gpt": _gpt,
    "llama": _llama,
}
