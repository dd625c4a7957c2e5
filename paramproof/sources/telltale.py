"""What the names of tensors give away: that these are not the weights of a model, one by one.

An adapter's file has what is added to weights, a quantised model has several weights in one
number, and FSDP several tensors in one. A wrapper only puts its own name before the others.

Sources: huggingface/peft, docs, "PEFT checkpoint format"; bitsandbytes, ``nn/modules.py``;
AutoGPTQ, ``qlinear``; vllm-project/compressed-tensors; torch, ``fsdp/_flat_param.py`` and
``fsdp/_common_utils.py``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Disguise:
    """What has names with one of these ``signs`` in them, between two dots.

    ``file`` and ``model`` say what to do with a file and with a live model.
    """

    what: str
    signs: frozenset[str]
    file: str
    model: str


ADAPTER = Disguise(
    "has an adapter's tensors, which are added to weights and are none themselves",
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
    "is quantised: weights are packed or have scales beside them",
    frozenset(
        (
            *("absmax", "nested_absmax", "quant_map", "nested_quant_map", "quant_state", "SCB"),
            *("qweight", "qzeros", "weight_packed", "weight_scale", "weight_scale_inv"),
        )
    ),
    file="give the file that it was made from",
    model="compare the model before it is quantised",
)

FLAT = Disguise(
    "is sharded by FSDP: tensors lie one behind the other in flat parameters, cut in shards",
    frozenset(("_flat_param",)),
    file="save with StateDictType.FULL_STATE_DICT",
    model="compare the module before it is wrapped, or within "
    "FullyShardedDataParallel.summon_full_params(model)",
)

DATA_PARALLEL = "module"
"""What ``nn.DataParallel``, its like and DeepSpeed put before every name, and nowhere else."""

WRAPPERS = {
    DATA_PARALLEL: "DataParallel",
    "_orig_mod": "torch.compile",
    "_fsdp_wrapped_module": "FSDP",
    "_checkpoint_wrapped_module": "checkpointing of activations",
}
"""The name that a wrapper gives to what it wraps, and what the wrapper is."""


def disguise(names: Iterable[str], *among: Disguise) -> tuple[str, Disguise] | None:
    """Return the first name that gives one ``among`` these away, and which; None if none does."""
    for name in names:
        parts = frozenset(name.split("."))
        for found in among:
            if parts & found.signs:
                return name, found
    return None


def unwrapped(name: str) -> tuple[str, list[str]]:
    """Return ``name`` without the names of wrappers in it, and these."""
    kept: list[str] = []
    gone: list[str] = []
    for part in name.split("."):
        wraps = part in WRAPPERS and (part != DATA_PARALLEL or not kept)
        (gone if wraps else kept).append(part)
    return (".".join(kept), gone) if kept else (name, [])
