"""PyTorch's encoder with mistakes, as real code; torch is imported only when used."""

from paramproof.formulas import compare, inventory
from tests.specs import SMALL_ENCODER as SPEC


def bias_dropped(encoder, nn):
    for layer in encoder.layers:
        layer.linear1.bias = None


def norm_shared(encoder, nn):
    for layer in encoder.layers:
        layer.norm2 = layer.norm1


def axes_swapped(encoder, nn):
    layer = encoder.layers[1]
    layer.linear2.weight = nn.Parameter(layer.linear2.weight.detach().T)


def frozen(encoder, nn):
    encoder.layers[0].self_attn.in_proj_bias.requires_grad_(False)


def renamed(encoder, nn):
    norm = encoder.embeddings_norm
    norm.gain = norm.weight
    norm.weight = None


def doubled(encoder, nn):
    encoder.layers[0].norm3 = nn.LayerNorm(6)


def no_pooler(encoder, nn):
    encoder.pooler = None


def two_positions_more(encoder, nn):
    table = encoder.position_embeddings
    encoder.position_embeddings = nn.Embedding(table.num_embeddings + 2, table.embedding_dim)


def report_of(encoder, spec=SPEC):
    from paramproof.builders.frameworks.torch import TorchModel

    return compare(inventory(spec.letters()), TorchModel(encoder).weights())


def built(spec=SPEC):
    import torch

    from paramproof.builders.frameworks.torch import Encoder
    from paramproof.formulas import Numerics

    with torch.device("meta"):
        return Encoder(spec, Numerics()), torch.nn
