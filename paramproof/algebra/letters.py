"""Choose short letters for sizes: customary ones of the field first, initials otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

CUSTOMARY_LETTERS = (
    ("L", "num_hidden_layers n_layer n_layers num_layers layers depth"),
    ("H", "hidden_size n_embd d_model dim embed_dim width"),
    ("A", "num_attention_heads n_head n_heads num_heads heads"),
    ("G", "num_key_value_heads num_kv_heads n_head_kv kv_heads"),
    ("K", "head_dim d_kv head_size attention_head_dim"),
    (
        "F",
        "intermediate_size feed_forward_dim n_inner ffn_dim d_ff hidden_dim ffn_hidden_size "
        "mlp_dim intermediate_dim",
    ),
    ("V", "vocab_size"),
    ("P", "max_position_embeddings n_positions max_seq_len n_ctx"),
    ("T", "type_vocab_size"),
    ("E", "n_routed_experts num_experts num_local_experts"),
    ("I", "moe_intermediate_size expert_ffn_hidden_size"),
    ("S", "n_shared_experts"),
    ("D", "first_k_dense_replace"),
    ("N", "encoder_layers num_encoder_layers"),
    ("M", "decoder_layers num_decoder_layers"),
    ("Q", "q_lora_rank"),
    ("C", "kv_lora_rank"),
    ("C", "num_channels"),
    ("dr", "qk_rope_head_dim"),
    ("dn", "qk_nope_head_dim"),
    ("dv", "v_head_dim"),
    ("k", "num_labels"),
    ("w", "patch_size"),
    ("i", "image_size"),
    ("s", "state_size ssm_state_size mamba_d_state"),
    ("c", "conv_kernel mamba_d_conv"),
    ("e", "embedding_size"),
)
"""Letters, each with the names of fields that mean the same, most usual first."""

_MEANING_OF = {
    name: (letter, names) for letter, names in CUSTOMARY_LETTERS for name in names.split()
}


AMBIGUOUS = "hidden_dim"
"""The width of the feed-forward network; the model's width if another field has the former."""


def field_names(fields: Iterable[str]) -> dict[str, str]:
    """Return each field's own name in place of a letter."""
    return {field: field for field in fields}


def letters_for(fields: Iterable[str], known: Mapping[str, str] = {}) -> dict[str, str]:
    """Return a letter for each field, all different: ``{"hidden_size": "H", …}``.

    The fields in ``known`` have their letters already, and no other field gets one of these.

    A field of a part has the part as its subscript: ``text_config.hidden_size`` is H_text. A field
    without a customary letter has its initials: ``mlp_expansion`` is me. If two would have the same
    letter, the second has a number.
    """
    fields = list(fields)
    found = {field: known[field] for field in fields if field in known}
    taken = {*known.values()}
    with_feed_forward = {
        tuple(parts)
        for *parts, name in (field.split(".") for field in [*known, *fields])
        if name != AMBIGUOUS and _customary(name) == "F"
    }
    for field in fields:
        if field in known:
            continue
        *parts, name = field.split(".")
        base, bracket, index = name.partition("[")
        is_kind = bool(bracket) and not index[:-1].isdigit()
        letter = "n" if is_kind else _customary(base) or _initials(base)
        if name == AMBIGUOUS and tuple(parts) in with_feed_forward:
            letter = "H"
        # A single letter without a custom would look like a customary one.
        marks = [part.removesuffix("_config") for part in parts]
        marks += [index[:-1]] if bracket else []
        wanted = "_".join([letter, *marks])
        chosen, number = wanted, 2
        while chosen in taken:
            chosen, number = f"{wanted}{number}", number + 1
        found[field] = chosen
        taken.add(chosen)
    return {field: found[field] for field in fields}


def mean_the_same(field: str, other: str) -> bool:
    """Return whether two fields are customary names of one size, such as d_model and hidden_size.

    A field of a part means the same only in a part of this name.
    """
    return _meaning(field) == _meaning(other)


def _meaning(field: str) -> tuple[object, ...]:
    *parts, name = field.split(".")
    return *(part.removesuffix("_config") for part in parts), _MEANING_OF.get(name, name)


def _customary(name: str) -> str:
    return _MEANING_OF.get(name, ("",))[0]


def _initials(name: str) -> str:
    words = [word for word in name.split("_") if word]
    initials = "".join(word[0] for word in words).lower()
    return initials if len(initials) > 1 else name[:2].lower()
