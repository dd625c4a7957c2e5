"""Small models with each feature that a framework may refuse, by name."""

from dataclasses import replace

from tests.specs import SMALL_ENCODER as SPEC
from tests.specs import SPECS

BOTH = SPECS["encoder-decoder"]
GPT = SPECS["gpt"]
LLAMA = replace(SPECS["llama"], hidden_size=18)
ONES = {"vocab_size": 1, "intermediate_size": 1}
TWO_VOCABULARIES = replace(BOTH, target_vocab_size=13, share_embeddings=False)

FEATURES = {
    "encoder": SPEC,
    "no pooler": replace(SPEC, pooler=False),
    "mlm": replace(SPEC, mlm_head=True),
    "mlm, no pooler": replace(SPEC, mlm_head=True, pooler=False),
    "nsp": replace(SPEC, nsp_head=True),
    "mlm, nsp": replace(SPEC, mlm_head=True, nsp_head=True),
    "mlm untied": replace(SPEC, mlm_head=True, tie_word_embeddings=False),
    "L = 0": replace(SPEC, num_hidden_layers=0),
    "L = 0, no pooler": replace(SPEC, num_hidden_layers=0, pooler=False),
    "H = 1": replace(SPEC, hidden_size=1, num_attention_heads=1),
    "A = 1": replace(SPEC, num_attention_heads=1),
    "A = H": replace(SPEC, num_attention_heads=6),
    "V = F = P = 1": replace(SPEC, **ONES, max_position_embeddings=1),
    "T = 1": replace(SPEC, type_vocab_size=1),
    "T = 3": replace(SPEC, type_vocab_size=3),
    "encoder-decoder": BOTH,
    "encoder-decoder untied": replace(BOTH, tie_word_embeddings=False),
    "encoder-decoder, two tables": replace(BOTH, share_embeddings=False),
    "encoder-decoder, two vocabularies": TWO_VOCABULARIES,
    "encoder-decoder, two vocabularies, untied": replace(
        TWO_VOCABULARIES, tie_word_embeddings=False
    ),
    "encoder-decoder, learned positions": replace(BOTH, learned_positions=True),
    "encoder-decoder, no attention bias": replace(BOTH, attention_bias=False),
    "encoder-decoder, N = 0": replace(BOTH, num_encoder_layers=0),
    "encoder-decoder, M = 0": replace(BOTH, num_decoder_layers=0),
    "encoder-decoder, H = 1": replace(BOTH, hidden_size=1, num_attention_heads=1),
    "gpt": GPT,
    "gpt untied": replace(GPT, tie_word_embeddings=False),
    "gpt, L = 0": replace(GPT, num_hidden_layers=0),
    "gpt, H = 1": replace(GPT, hidden_size=1, num_attention_heads=1),
    "gpt, V = F = P = 1": replace(GPT, **ONES, max_position_embeddings=1),
    "llama": LLAMA,
    "llama tied": replace(LLAMA, tie_word_embeddings=True),
    "llama, G = A": replace(LLAMA, num_key_value_heads=6),
    "llama, G = 1": replace(LLAMA, num_key_value_heads=1),
    "llama, A = G = 1": replace(LLAMA, num_attention_heads=1, num_key_value_heads=1),
    "llama, A·K = H": replace(LLAMA, hidden_size=24),
    "llama, A does not divide H": replace(LLAMA, hidden_size=10),
    "llama, L = 0": replace(LLAMA, num_hidden_layers=0),
    "llama, V = F = H = 1": replace(LLAMA, **ONES, hidden_size=1),
}
