"""Find the family spec that describes the same model as a configuration of transformers.

A family adds canonical names, and a builder for every framework. The formula and the names that a
configuration is counted with stay those of its class.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from paramproof.formulas import EncoderSpec, GPTSpec, Inventory, LlamaSpec, Spec, inventory
from paramproof.formulas.architecture import Architecture

BASE = {"pooler": True, "tie_word_embeddings": True}
"""The parts of an encoder that has no head to tie."""

MASKED = {"pooler": False, "mlm_head": True}
PRETRAINING = {"pooler": True, "mlm_head": True, "nsp_head": True}
NEXT_SENTENCE = {**BASE, "nsp_head": True}

HEADLESS = {"tie_word_embeddings": True}
"""A decoder without a head has the same parameters as one whose head is tied to the embeddings."""

SIZES = (
    "vocab_size",
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "intermediate_size",
)

GPT2 = {
    "n_embd": "hidden_size",
    "n_layer": "num_hidden_layers",
    "n_head": "num_attention_heads",
    "n_inner": "intermediate_size",
    "n_positions": "max_position_embeddings",
}
"""Fields of GPT-2's configuration, with their names in its spec."""


class FamilyClasses(NamedTuple):
    """A model type that a family describes: its spec, and the optional parts of each class.

    ``is_stacked`` is set if transformers keeps the projections of queries, keys and values in one
    tensor, where the family has three.
    """

    spec: type[Spec]
    sizes: tuple[str, ...]
    classes: Mapping[str, Mapping[str, bool]]
    is_stacked: bool = False


_ENCODER_SIZES = (*SIZES, "max_position_embeddings", "type_vocab_size")


def _encoder(name: str, **more: Mapping[str, bool]) -> FamilyClasses:
    classes = {f"{name}Model": BASE, f"{name}ForMaskedLM": MASKED}
    return FamilyClasses(
        EncoderSpec, _ENCODER_SIZES, classes | {f"{name}{end}": has for end, has in more.items()}
    )


TYPES: Mapping[str, FamilyClasses] = {
    "bert": _encoder("Bert", ForPreTraining=PRETRAINING, ForNextSentencePrediction=NEXT_SENTENCE),
    "ernie": _encoder("Ernie", ForPreTraining=PRETRAINING, ForNextSentencePrediction=NEXT_SENTENCE),
    "roberta": _encoder("Roberta"),
    "gpt2": FamilyClasses(
        GPTSpec,
        (*SIZES, "max_position_embeddings"),
        {"GPT2Model": HEADLESS, "GPT2LMHeadModel": {}},
        is_stacked=True,
    ),
    "llama": FamilyClasses(
        LlamaSpec,
        (*SIZES, "num_key_value_heads", "head_dim"),
        {"LlamaModel": HEADLESS, "LlamaForCausalLM": {}},
    ),
}


def spec_of(one: Architecture, keys: Mapping[str, Any]) -> Spec | None:
    """Return the spec of a configuration with these keys, whose class has the architecture ``one``.

    Return None if no family has the class, or if the class has other tensors.
    """
    described = TYPES.get(str(keys["model_type"]))
    parts = described.classes.get(one.name) if described else None
    if described is None or parts is None:
        return None
    try:
        spec = described.spec(**_sizes(described, one), **_parts(parts, keys))
    except ValueError:
        return None
    width = spec.hidden_size if described.is_stacked else 0
    own = _shapes(one.inventory(one.sizes), width)
    return spec if _shapes(inventory(spec.letters()), width) == own else None


def _sizes(described: FamilyClasses, one: Architecture) -> dict[str, int]:
    found = {}
    for letter, field in one.fields.items():
        name = GPT2.get(field, field)
        if name in described.sizes and letter in one.sizes:
            found[name] = one.sizes[letter]
    # n_inner of GPT-2 is null in most files.
    found.setdefault("intermediate_size", 4 * found["hidden_size"])
    return found


def _parts(parts: Mapping[str, bool], keys: Mapping[str, Any]) -> dict[str, bool]:
    """Return the parts of a class; the configuration or the default of its type ties the head."""
    default = keys.get("model_type") != "llama"
    tied = keys.get("tie_word_embeddings")
    return {"tie_word_embeddings": default if tied is None else tied is True, **parts}


def _shapes(named: Inventory, width: int = 0) -> Counter[tuple[int, ...]]:
    """Return how many trainable tensors have each shape, whatever the order of its axes.

    If ``width`` is given, a tensor of three times that width counts as three tensors.
    """
    found: Counter[tuple[int, ...]] = Counter()
    for tensor in named:
        if tensor.trainable and not tensor.tied_to and tensor.present:
            *others, widest = sorted(map(int, tensor.shape))
            parts = 3 if width and widest == 3 * width else 1
            found[tuple(sorted((*others, widest // parts)))] += int(tensor.repeat) * parts
    return found
