"""Numbers that stand beside the oracle: counted by others, or by hand, never by our formulas."""

TOTALS = {
    # Source 000 (google-research/bert, issue 656) prints this one, tensor by tensor.
    "bert-base-uncased": 109_482_240,
    # The same source prints 335,043,584: its layers lack the 4,096 of intermediate.bias.
    "bert-large-uncased": 335_141_888,
    "bert-base-cased": 108_310_272,
    "bert-large-cased": 333_579_264,
    "bert-base-chinese": 102_267_648,
    "bert-base-multilingual-cased": 177_853_440,
    "bert-tiny": 4_385_920,
    "ernie-1.0": 99_866_112,
    "keras-bert-question": 109_705_010,
    "encoder-175b": 174_755_291_136,
    # By hand, term by term: the products are in tests/formulas/test_totals.py.
    "transformer-base": 63_045_632,
    "transformer-big": 214_171_648,
    # Source 000 prints 10,152,448, with its two fixed tables of positions.
    "transformer-one-layer": 10_118_656,
    # Hugging Face prints these for its models of the same names.
    "gpt2": 124_439_808,
    "gpt2-medium": 354_823_168,
    "gpt2-large": 774_030_080,
    "gpt2-xl": 1_557_611_200,
    "gpt3-175b": 174_604_259_328,
    "llama-7b": 6_738_415_616,
    "llama-13b": 13_015_864_320,
    "llama-33b": 32_528_943_616,
    "llama-65b": 65_285_660_672,
    "llama-2-70b": 68_976_648_192,
    "llama-3-8b": 8_030_261_248,
}

BERT_BASE_WITH_BOTH_HEADS = 110_106_428
BERT_BASE_LAYER = 7_087_872
ATTENTION_LAYER = 2_362_368

SHAPES = {
    "embeddings.word_embeddings.weight": (11, 12),
    "embeddings.position_embeddings.weight": (7, 12),
    "embeddings.token_type_embeddings.weight": (2, 12),
    "embeddings.layer_norm.scale": (12,),
    "embeddings.layer_norm.bias": (12,),
    "layers.0.attention.query.kernel": (12, 12),
    "layers.0.attention.query.bias": (12,),
    "layers.0.attention.key.kernel": (12, 12),
    "layers.0.attention.key.bias": (12,),
    "layers.0.attention.value.kernel": (12, 12),
    "layers.0.attention.value.bias": (12,),
    "layers.0.attention.output.kernel": (12, 12),
    "layers.0.attention.output.bias": (12,),
    "layers.0.attention_layer_norm.scale": (12,),
    "layers.0.attention_layer_norm.bias": (12,),
    "layers.0.feed_forward.intermediate.kernel": (12, 5),
    "layers.0.feed_forward.intermediate.bias": (5,),
    "layers.0.feed_forward.output.kernel": (5, 12),
    "layers.0.feed_forward.output.bias": (12,),
    "layers.0.feed_forward_layer_norm.scale": (12,),
    "layers.0.feed_forward_layer_norm.bias": (12,),
    "pooler.kernel": (12, 12),
    "pooler.bias": (12,),
    "mlm_head.dense.kernel": (12, 12),
    "mlm_head.dense.bias": (12,),
    "mlm_head.layer_norm.scale": (12,),
    "mlm_head.layer_norm.bias": (12,),
    "mlm_head.decoder.weight": (11, 12),
    "mlm_head.decoder.bias": (11,),
    "nsp_head.classifier.kernel": (12, 2),
    "nsp_head.classifier.bias": (2,),
}
"""Every tensor of one layer and both heads at V 11, H 12, F 5, P 7, T 2, by hand."""
