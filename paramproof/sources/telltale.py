"""Recognise, by tensor names, files and models whose tensors are not plain weights.

An adapter has tensors that are added to weights, a quantised model packs several weights into one
number, and FSDP packs several tensors into one. A wrapper only adds its own name to the others.

Sources: huggingface/peft, docs, "PEFT checkpoint format"; bitsandbytes, ``nn/modules.py``;
AutoGPTQ, ``qlinear``; vllm-project/compressed-tensors; torch, ``fsdp/_flat_param.py`` and
``fsdp/_common_utils.py``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Disguise:
    """A kind of file or model that is recognised by ``signs``: parts of names between dots.

    ``file`` and ``model`` tell the user what to do with such a file or live model.
    """

    what: str
    signs: frozenset[str]
    file: str
    model: str


ADAPTER = Disguise(
    "has tensors of an adapter, which are added to weights and are not weights themselves",
    frozenset(
        (
            *("lora_A", "lora_B", "lora_embedding_A", "lora_embedding_B", "lora_magnitude_vector"),
            *("ia3_l", "hada_w1_a", "lokr_w1", "oft_R", "vera_lambda_b", "prompt_embeddings"),
        )
    ),
    file="merge them (peft: merge_and_unload) and save the model, or give the file without them",
    model="compare what merge_and_unload() returns, or the model before it had them",
)

QUANTISED = Disguise(
    "is quantised: weights are packed or have separate scales",
    frozenset(
        (
            *("absmax", "nested_absmax", "quant_map", "nested_quant_map", "quant_state", "SCB"),
            *("qweight", "qzeros", "weight_packed", "weight_scale", "weight_scale_inv"),
        )
    ),
    file="give the file before quantisation",
    model="compare the model before it is quantised",
)

FLAT = Disguise(
    "is sharded by FSDP: tensors are concatenated into flat parameters and cut into shards",
    frozenset(("_flat_param",)),
    file="save with StateDictType.FULL_STATE_DICT",
    model="compare the module before it is wrapped, or within "
    "FullyShardedDataParallel.summon_full_params(model)",
)

DATA_PARALLEL = "module"
"""The prefix that ``nn.DataParallel`` and DeepSpeed add to every name, only at its beginning."""

WRAPPERS = {
    DATA_PARALLEL: "DataParallel",
    "_orig_mod": "torch.compile",
    "_fsdp_wrapped_module": "FSDP",
    "_checkpoint_wrapped_module": "activation checkpointing",
}
"""The names that wrappers give to the wrapped module, with the names of the wrappers."""


def disguise(names: Iterable[str], *among: Disguise) -> tuple[str, Disguise] | None:
    """Return the first name with a sign of one ``among`` these, and which one; None without any."""
    for name in names:
        parts = frozenset(name.split("."))
        for found in among:
            if parts & found.signs:
                return name, found
    return None


def unwrapped(name: str) -> tuple[str, list[str]]:
    """Return ``name`` without the names of wrappers, and the names that were removed."""
    kept: list[str] = []
    gone: list[str] = []
    for part in name.split("."):
        wraps = part in WRAPPERS and (part != DATA_PARALLEL or not kept)
        (gone if wraps else kept).append(part)
    return (".".join(kept), gone) if kept else (name, [])
