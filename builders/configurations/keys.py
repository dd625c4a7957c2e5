"""Keys that do not change what there is to count, by whose they are.

Dropout, epsilons, ids and options of training and generation have no tensors. A key that is in
none of these lists is refused, and this is where it is added, once somebody has looked.
"""

HUGGING_FACE = frozenset(
    """
    _attn_implementation_autoset _name_or_path attn_implementation chunk_size_feed_forward
    bos_token_id dtype eos_token_id finetuning_task gradient_checkpointing id2label
    initializer_range label2id num_labels output_attentions output_hidden_states output_past
    pad_token_id prefix problem_type return_dict sep_token_id task_specific_params
    tf_legacy_loss tie_encoder_decoder tokenizer_class torch_dtype torchscript
    transformers_version use_bfloat16 use_cache
    """.split()
)
"""Of every configuration of Hugging Face: ``PreTrainedConfig``, versions 4 and 5. Labels count
only in classes with a classifier, none of which is read."""

GENERATION = frozenset(
    """
    bad_words_ids begin_suppress_tokens decoder_start_token_id diversity_penalty do_sample
    early_stopping encoder_no_repeat_ngram_size exponential_decay_length_penalty
    forced_bos_token_id forced_eos_token_id length_penalty max_length max_new_tokens min_length
    no_repeat_ngram_size num_beam_groups num_beams num_return_sequences output_scores
    remove_invalid_values repetition_penalty return_dict_in_generate suppress_tokens temperature
    top_k top_p typical_p
    """.split()
)
"""Options of generation, which version 4 of transformers wrote into every file."""

BERT = frozenset(
    """
    attention_probs_dropout_prob directionality hidden_act hidden_dropout_prob initializer_range
    pool_act pooler_fc_size pooler_num_attention_heads pooler_num_fc_layers
    pooler_size_per_head pooler_type
    """.split()
)
"""Of Google's ``bert_config.json`` and Baidu's ``ernie_config.json``. The ``pooler_…`` sizes
stand in some released files, and modeling.py reads none of them."""

BERT_OF_HUGGING_FACE = (
    HUGGING_FACE
    | GENERATION
    | BERT
    | frozenset({"classifier_dropout", "layer_norm_eps", "mask_token_id"})
)

GPT2 = (
    HUGGING_FACE
    | GENERATION
    | frozenset(
        """
        activation_function attn_pdrop embd_pdrop is_decoder layer_norm_epsilon
        reorder_and_upcast_attn resid_pdrop scale_attn_by_inverse_layer_idx scale_attn_weights
        summary_activation summary_first_dropout summary_proj_to_labels summary_type
        summary_use_proj
        """.split()
    )
)
"""The ``summary_…`` keys are of GPT2DoubleHeadsModel, which is not read."""

LLAMA = (
    HUGGING_FACE
    | GENERATION
    | frozenset(
        """
        attention_dropout hidden_act is_decoder max_position_embeddings max_sequence_length
        pretraining_tp rms_norm_eps rope_interleaved rope_parameters rope_scaling rope_theta
        """.split()
    )
)
"""Positions are rotated: there is no table of them, and so their number does not count."""
