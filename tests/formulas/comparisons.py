"""Weights as the formula writes them, and what ``compare`` says when they are changed."""

from paramproof.formulas import Weight, compare, inventory

WORDS = "embeddings.word_embeddings.weight"
DECODER = "mlm_head.decoder.weight"


def weights_of(spec):
    """The weights of a framework that stores everything as the formula writes it."""
    return [
        Weight(tensor.path, tensor.shape, tensor.trainable, (tensor.path,))
        for tensor in inventory(spec.letters()).expand()
        if tensor.tied_to is None
    ]


def compared(spec, weights):
    return compare(inventory(spec.letters()), weights)


def only_row(spec, weights):
    (row,) = compared(spec, weights).rows
    return row
