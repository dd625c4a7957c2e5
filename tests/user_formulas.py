"""Formulas as users write them: right, wrong, and impossible to call."""

import os


def exact(L, H, F, V, P, T, pooler, mlm, untied, nsp):
    heads = mlm * (H * H + 3 * H + V) + untied * V * H + nsp * (2 * H + 2)
    layer = 4 * H * H + 2 * H * F + F + 9 * H
    return (V + P + T) * H + 2 * H + L * layer + pooler * (H * H + H) + heads


def from_spec(spec):
    """The same, with branches on the parts, as in calculators."""
    hidden, tokens = spec.hidden_size, spec.vocab_size
    total = exact(*spec.letters()[:2], *spec.letters()[3:7], pooler=0, mlm=0, untied=0, nsp=0)
    if spec.pooler:
        total += hidden * hidden + hidden
    if spec.mlm_head:
        total += hidden * hidden + 3 * hidden + tokens
        total += 0 if spec.tie_word_embeddings else tokens * hidden
    return total + 2 * hidden + 2 if spec.nsp_head else total


def without_biases(spec):
    hidden, inner = spec.hidden_size, spec.intermediate_size
    tables = spec.vocab_size + spec.max_position_embeddings + spec.type_vocab_size
    layer = 4 * hidden**2 + 2 * hidden * inner
    total = tables * hidden + spec.num_hidden_layers * layer
    if spec.pooler:
        total += hidden * hidden
    if spec.mlm_head:
        total += hidden * hidden + (0 if spec.tie_word_embeddings else spec.vocab_size * hidden)
    if spec.nsp_head:
        total += 2 * hidden
    return total


def components(spec):
    hidden, inner = spec.hidden_size, spec.intermediate_size
    return {
        "embeddings.word_embeddings": spec.vocab_size * hidden,
        "layers.*.attention": 4 * (hidden * hidden + hidden),
        "layers.*.attention.query": hidden * hidden + hidden,
        "layers": spec.num_hidden_layers
        * (4 * hidden**2 + 2 * hidden * inner + inner + 9 * hidden),
        "pooler": (hidden * hidden + hidden) if spec.pooler else 0,
    }


def components_without_norms(spec):
    hidden, inner = spec.hidden_size, spec.intermediate_size
    return {
        "layers.*.attention": 4 * (hidden * hidden + hidden),
        "layers": spec.num_hidden_layers
        * (4 * hidden**2 + 2 * hidden * inner + inner + 5 * hidden),
    }


def raises(spec):
    return spec.d_model


def leaves(spec):
    raise SystemExit(3)


def ends_the_process(spec):
    os._exit(0)


def too_large(spec):
    return 10**5000


def too_large_component(spec):
    return {"pooler": 10**101}


def returns_float(spec):
    return 1.0 * spec.hidden_size


def returns_bool(spec):
    return True


def negative(spec):
    return -spec.hidden_size


def nothing(spec):
    pass


def empty(spec):
    return {}


def unknown_component(spec):
    return {"decoder": 0}


def float_component(spec):
    return {"pooler": 0.0}


def takes_others(d_model, n_layers):
    return d_model * n_layers


def takes_nothing():
    return 0


NUMBER = 110_000_000
