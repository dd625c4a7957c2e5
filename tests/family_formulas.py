"""Formulas for several families as users write them: from posts and code, and with mistakes."""


def gpt2_rule_of_thumb(num_hidden_layers, hidden_size, vocab_size, max_position_embeddings):
    """12·L·H² + 13·L·H and the tables: right if F = 4·H and the head is tied."""
    layers, width = num_hidden_layers, hidden_size
    tables = vocab_size * width + max_position_embeddings * width
    return 12 * layers * width**2 + 13 * layers * width + tables + 2 * width


def gpt2(spec):
    width, inner = spec.hidden_size, spec.intermediate_size
    attention = width * 3 * width + 3 * width + width * width + width
    mlp = width * inner + inner + inner * width + width
    total = (spec.vocab_size + spec.max_position_embeddings) * width
    total += spec.num_hidden_layers * (2 * width + attention + 2 * width + mlp) + 2 * width
    return total if spec.tie_word_embeddings else total + spec.vocab_size * width


def gpt2_without_biases(spec):
    width = spec.hidden_size
    return {
        "embeddings": (spec.vocab_size + spec.max_position_embeddings) * width,
        "layers.*.attention": 4 * width * width,
        "layers.*.feed_forward": 2 * width * spec.intermediate_size,
        "lm_head": 0 if spec.tie_word_embeddings else spec.vocab_size * width,
    }


def llama(L, H, A, G, K, F, V, untied):
    """Count grouped heads whose size is independent of the hidden size."""
    attention = H * A * K + 2 * H * G * K + A * K * H
    return (1 + untied) * V * H + L * (attention + 3 * H * F + 2 * H) + H


def llama_with_a_key_for_each_query(config):
    """Right for the LLaMA of 2023; overestimates llama-2-70b by 9.4e9."""
    width, heads = config.hidden_size, config.num_attention_heads
    attention = 4 * width * heads * config.head_size
    layer = attention + 3 * width * config.intermediate_size + 2 * width
    tables = config.vocab_size * width * (1 if config.tie_word_embeddings else 2)
    return tables + config.num_hidden_layers * layer + width


def llama_of_divided_heads(L, H, A, G, F, V, untied):
    """Wrong if the head size is a field of its own."""
    return llama(L, H, A, G, H // A, F, V, untied)


def transformer(N, M, H, F, V, U, P, shared, learned, bias, untied):
    attention, inner = 4 * H * H + bias * 4 * H, 2 * H * F + F + H
    tables = V * H + (1 - shared) * U * H + untied * U * H + learned * 2 * P * H
    return tables + N * (attention + inner + 4 * H) + M * (2 * attention + inner + 6 * H)


def transformer_of_one_attention(N, M, H, F, bias):
    """Forget that a decoder layer has a second attention and a third norm."""
    layer = 4 * H * H + bias * 4 * H + 2 * H * F + F + 5 * H
    return {"encoder.layers": N * layer, "decoder.layers.*": layer}


def mixer(num_blocks, S, hidden_size, D, F, R, C, Y, classifier, B=0):
    H = hidden_size
    block = 2 * S * D + D + S + 2 * H * F + F + 5 * H
    return R**2 * C * H + 3 * H + num_blocks * block + classifier * (H + 1) * Y


def mixer_in_patches(spec):
    """Confuse the patches with the embedded pixels, and forget the classifier's bias."""
    head = spec.num_labels * spec.hidden_size if spec.classifier else 0
    return {"stem": spec.num_patches * spec.hidden_size, "classifier": head}


def three_quarters(L, H, V):
    return 12 * L * H**2 + V * H


def any_spec(spec):
    return spec.hidden_size


def mixtral(V, H, F, L, A, G, num_local_experts):
    """Forget the last norm."""
    attention = 2 * H * (A + G) * (H // A)
    experts = (3 * F * H + H) * num_local_experts
    return 2 * V * H + L * (attention + experts + 2 * H)
