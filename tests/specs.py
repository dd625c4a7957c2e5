"""Small models to start from: one of each family, whose sizes are all different, and encoders."""

from paramproof.formulas import EncoderDecoderSpec, EncoderSpec, GPTSpec, LlamaSpec

SPECS = {
    "encoder": EncoderSpec(
        vocab_size=11,
        hidden_size=12,
        num_hidden_layers=2,
        num_attention_heads=3,
        intermediate_size=5,
        max_position_embeddings=7,
        type_vocab_size=2,
    ),
    "encoder-decoder": EncoderDecoderSpec(
        vocab_size=11,
        hidden_size=12,
        num_encoder_layers=2,
        num_decoder_layers=4,
        num_attention_heads=3,
        intermediate_size=5,
        max_position_embeddings=7,
    ),
    "gpt": GPTSpec(
        vocab_size=11,
        hidden_size=12,
        num_hidden_layers=2,
        num_attention_heads=3,
        intermediate_size=5,
        max_position_embeddings=7,
    ),
    "llama": LlamaSpec(
        vocab_size=11,
        hidden_size=10,
        num_hidden_layers=2,
        num_attention_heads=6,
        num_key_value_heads=3,
        head_dim=4,
        intermediate_size=5,
    ),
}

SMALL_ENCODER = EncoderSpec(
    vocab_size=11,
    hidden_size=6,
    num_hidden_layers=2,
    num_attention_heads=3,
    intermediate_size=5,
    max_position_embeddings=7,
    type_vocab_size=2,
)
"""Three heads of two, so that every size may be made 1. What computes comes back to this one and
to ``IDS``: a framework that compiles each operation for each shape has compiled it."""

IDS = ((3, 4, 5, 6), (7, 8, 9, 10))
"""Two sequences of four tokens, none of them padding."""

LIVE_ENCODER = EncoderSpec(
    vocab_size=31,
    hidden_size=12,
    num_hidden_layers=2,
    num_attention_heads=3,
    intermediate_size=20,
    max_position_embeddings=17,
    type_vocab_size=2,
)
"""An encoder of which few tensors are of one shape, to be recognised by them."""
