"""Small models to start from: one per family, with distinct sizes, and several encoders."""

from dataclasses import replace

from paramproof.formulas import EncoderDecoderSpec, EncoderSpec, GPTSpec, LlamaSpec

SIZES = {"vocab_size": 11, "hidden_size": 12, "num_attention_heads": 3, "intermediate_size": 5}
LAYERS, POSITIONS = {"num_hidden_layers": 2}, {"max_position_embeddings": 7}
SPECS = {
    "encoder": EncoderSpec(**SIZES, **LAYERS, **POSITIONS, type_vocab_size=2),
    "encoder-decoder": EncoderDecoderSpec(
        **SIZES, **POSITIONS, num_encoder_layers=2, num_decoder_layers=4
    ),
    "gpt": GPTSpec(**SIZES, **LAYERS, **POSITIONS),
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

# Mixer-B/16 of table 1, for images of 224·224: 196 patches of 16·16.
B16 = {"num_patches": 196, "patch_size": 16, "hidden_size": 768, "num_blocks": 12}
B16 |= {"tokens_mlp_dim": 384, "channels_mlp_dim": 3072}

SMALL_ENCODER = replace(SPECS["encoder"], hidden_size=6)
"""Three heads of width 2, so that every size may become 1. Tests that compute reuse this spec and
``IDS``, because some frameworks compile each operation once for each shape."""

IDS = ((3, 4, 5, 6), (7, 8, 9, 10))
"""Two sequences of four tokens without padding."""

LIVE_ENCODER = replace(
    SPECS["encoder"], vocab_size=31, intermediate_size=20, max_position_embeddings=17
)
"""An encoder in which few tensors share a shape, so that shapes identify them."""
