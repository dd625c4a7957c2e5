"""Counts that others published or that we computed by hand, never with our formulas."""

TOTALS = {
    # Source 000 (google-research/bert, issue 656) prints this count, tensor by tensor.
    "bert-base-uncased": 109_482_240,
    # The same source prints 335,043,584: its layers lack the 4,096 of intermediate.bias.
    "bert-large-uncased": 335_141_888,
    "bert-base-cased": 108_310_272,
    "bert-large-cased": 333_579_264,
    "bert-base-chinese": 102_267_648,
    "bert-base-multilingual-cased": 177_853_440,
    "bert-tiny": 4_385_920,
    # Hugging Face's RobertaModel, with the pooler that its checkpoint lacks.
    "roberta-base": 124_645_632,
    "roberta-large": 355_359_744,
    # By hand: six layers with 7,087,872 parameters each fewer than roberta-base.
    "distilroberta-base": 82_118_400,
    "ernie-1.0": 99_866_112,
    "keras-bert-question": 109_705_010,
    "encoder-175b": 174_755_291_136,
    # By hand, term by term; tests/formulas/test_models.py has the products.
    "transformer-base": 63_045_632,
    "transformer-big": 214_171_648,
    # Source 000 prints 10,152,448, including two fixed tables of positions.
    "transformer-one-layer": 10_118_656,
    # Hugging Face prints these for its models of the same names.
    "gpt2": 124_439_808,
    "gpt2-medium": 354_823_168,
    "gpt2-large": 774_030_080,
    "gpt2-xl": 1_557_611_200,
    "distilgpt2": 81_912_576,
    "gpt3-175b": 174_604_259_328,
    "llama-7b": 6_738_415_616,
    "llama-13b": 13_015_864_320,
    "llama-33b": 32_528_943_616,
    "llama-65b": 65_285_660_672,
    "llama-2-70b": 68_976_648_192,
    "llama-3-8b": 8_030_261_248,
    # Hugging Face prints these for its models of the same names.
    "llama-3.2-1b": 1_235_814_400,
    "llama-3.2-3b": 3_212_749_824,
    "tinyllama-1.1b": 1_100_048_384,
}

BERT_BASE_LAYER = 7_087_872
ATTENTION_LAYER = 2_362_368


def dense(path, *shape):
    return {f"{path}.kernel": shape, f"{path}.bias": shape[-1:]}


def norm(path):
    return {f"{path}.scale": (12,), f"{path}.bias": (12,)}


def attention(path):
    query, key = dense(f"{path}.query", 12, 12), dense(f"{path}.key", 12, 12)
    return query | key | dense(f"{path}.value", 12, 12) | dense(f"{path}.output", 12, 12)


def feed_forward(path):
    return dense(f"{path}.intermediate", 12, 5) | dense(f"{path}.output", 5, 12)


SHAPES = {
    "encoder": {
        "embeddings.word_embeddings.weight": (11, 12),
        "embeddings.position_embeddings.weight": (7, 12),
        "embeddings.token_type_embeddings.weight": (2, 12),
        **norm("embeddings.layer_norm"),
        **attention("layers.0.attention"),
        **norm("layers.0.attention_layer_norm"),
        **feed_forward("layers.0.feed_forward"),
        **norm("layers.0.feed_forward_layer_norm"),
        **dense("pooler", 12, 12),
        **dense("mlm_head.dense", 12, 12),
        **norm("mlm_head.layer_norm"),
        "mlm_head.decoder.weight": (11, 12),
        "mlm_head.decoder.bias": (11,),
        **dense("nsp_head.classifier", 12, 2),
    },
    "encoder-decoder": {
        "encoder.embeddings.word_embeddings.weight": (11, 12),
        "encoder.embeddings.position_embeddings.weight": (7, 12),
        **attention("encoder.layers.0.attention"),
        **norm("encoder.layers.0.attention_layer_norm"),
        **feed_forward("encoder.layers.0.feed_forward"),
        **norm("encoder.layers.0.feed_forward_layer_norm"),
        "decoder.embeddings.word_embeddings.weight": (11, 12),
        "decoder.embeddings.position_embeddings.weight": (7, 12),
        **attention("decoder.layers.0.attention"),
        **norm("decoder.layers.0.attention_layer_norm"),
        **attention("decoder.layers.0.cross_attention"),
        **norm("decoder.layers.0.cross_attention_layer_norm"),
        **feed_forward("decoder.layers.0.feed_forward"),
        **norm("decoder.layers.0.feed_forward_layer_norm"),
        "lm_head.weight": (11, 12),
    },
    "gpt": {
        "embeddings.word_embeddings.weight": (11, 12),
        "embeddings.position_embeddings.weight": (7, 12),
        **norm("layers.0.attention_layer_norm"),
        **attention("layers.0.attention"),
        **norm("layers.0.feed_forward_layer_norm"),
        **feed_forward("layers.0.feed_forward"),
        **norm("final_layer_norm"),
        "lm_head.weight": (11, 12),
    },
    "llama": {
        "embeddings.word_embeddings.weight": (11, 10),
        "layers.0.attention_norm.scale": (10,),
        "layers.0.attention.query.kernel": (10, 24),
        "layers.0.attention.key.kernel": (10, 12),
        "layers.0.attention.value.kernel": (10, 12),
        "layers.0.attention.output.kernel": (24, 10),
        "layers.0.feed_forward_norm.scale": (10,),
        "layers.0.feed_forward.gate.kernel": (10, 5),
        "layers.0.feed_forward.up.kernel": (10, 5),
        "layers.0.feed_forward.down.kernel": (5, 10),
        "final_norm.scale": (10,),
        "lm_head.weight": (11, 10),
    },
}
"""Every tensor of one layer of each family (of both sides), by hand.

At V 11, F 5, P 7, T 2 and H 12; for LLaMA H 10 with 6 query and 3 key-value heads of 4.
"""
